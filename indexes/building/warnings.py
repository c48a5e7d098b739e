"""Warnings about a corpus, which do not stop its build."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from hopyard.indexes.building.recipe import Recipe
from hopyard.indexes.corpus.snapshot import Snapshot
from hopyard.indexes.text.language import READ_BY, foreign_languages
from hopyard.state.settings.rights import Rules, rule_of


def build_warnings(corpus: Snapshot, recipe: Recipe) -> list[str]:
    """Languages that the embedding model does not know, and rules of folders without documents."""
    read = READ_BY.get(recipe.embedding)
    foreign = foreign_languages(corpus, read) if read else {}
    languages = [_not_read(foreign, read)] if read and foreign else []
    return languages + _idle_rules(corpus, recipe.options.rights)


def _not_read(foreign: Mapping[str, float], read: Collection[str]) -> str:
    shares = " and ".join(f"{100 * share:.0f} % are {name}" for name, share in foreign.items())
    return (
        f"The embedding model was not trained with every language here, and of these passages "
        f"{shares}: dense search finds them badly. Build the index with another model: --embedding "
        f"{'builtin' if len(read) == 1 else 'ollama:qwen3-embedding:0.6b'}."
    )


def _idle_rules(corpus: Snapshot, rights: Rules) -> list[str]:
    """Rules of folders that no document is in, as where the name is misspelt."""
    used = {rule_of(source, rights) for _, _, source in corpus.names()} if rights else set()
    return [
        f"The rule of {rule!r} in indexing.rights decides about no document: see whether the index "
        "has such a folder or file."
        for rule in rights.keys() - used
    ]
