"""From names to entities: spellings joined, homonyms split."""
