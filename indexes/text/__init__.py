"""Words, sentences, names and languages of texts."""
