"""Entity types and worked examples that a chat model proposes for the entity graph of a corpus."""
