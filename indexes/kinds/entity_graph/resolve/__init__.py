"""From names to entities: variants merged, homonyms split."""
