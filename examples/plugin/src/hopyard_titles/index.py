"""The index kind `titles`: which passages have a word in their title."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from hopyard.indexes.build_context import BuildContext
from hopyard.indexes.corpus.threads import in_thread
from hopyard.indexes.kind import IndexKind
from hopyard.state.errors import IndexMissingError

Titles = dict[str, list[str]]
"""Ids of the passages whose title has a word, by word."""

FILE: Final = "titles.json"


class TitleKind(IndexKind):
    """The words of all titles."""

    name = "titles"
    about = "Which passages have a word in their title. Read by the search `titles`."

    async def build(self, context: BuildContext) -> Mapping[str, int]:
        """Go through all passages again: that costs nothing."""
        titles = await in_thread(collect_titles, context)
        return {"title_words": len(titles)}

    def open(self, directory: Path) -> Titles:
        """Read the file that `build` wrote."""
        try:
            titles: Titles = json.loads((directory / FILE).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise IndexMissingError(
                f"The file {str(directory / FILE)!r} cannot be read ({error}): "
                "build the index again."
            ) from error
        return titles


def collect_titles(context: BuildContext) -> Titles:
    """Write the words of all titles into the kind's folder."""
    titles: Titles = {}
    for passage in context.corpus.passages():
        for word in words_of(passage.title):
            titles.setdefault(word, []).append(passage.id)
    text = json.dumps(titles, sort_keys=True)
    (context.directory / FILE).write_text(text, encoding="utf-8")
    return titles


def words_of(text: str) -> list[str]:
    """The words of a text, in lower case, each once, in order."""
    return list(dict.fromkeys(re.findall(r"\w+", text.lower())))


KIND: Final = TitleKind()
