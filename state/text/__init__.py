"""Short strings: counted nouns, markers, references, tokens."""
