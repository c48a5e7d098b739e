"""One module a prompt: name, version, wording, examples, output schema."""
