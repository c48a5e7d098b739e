"""Entity types that a chat model proposes for the entity graph of a corpus."""
