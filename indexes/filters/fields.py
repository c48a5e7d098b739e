"""The values of all passages by field, in files that are mapped into memory.

A filter looks at each different value once, however many passages have it, and at a text without
wildcards by bisection. So its first use does not read the corpus.
"""

from __future__ import annotations

import json
from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from hopyard.indexes.arrays.ragged import IDS, Ragged, load_array
from hopyard.indexes.corpus.manifest import damage_error
from hopyard.indexes.corpus.records import Document
from hopyard.state.metadata import MATCHED_FIELDS, MetadataValue, address_of, known_value
from hopyard.state.references import SECTION_MARK, file_name, in_folder
from hopyard.state.where import Condition, folded

if TYPE_CHECKING:
    from hopyard.indexes.corpus.snapshot import Snapshot

FOLDER: Final = "fields"
"""The folder of a generation that holds them."""
_OF_PASSAGES: Final = ("page", "section")
"""Fields that the passages of a document may have different values of."""
_FILE: Final = "fields.json"
_KEPT: Final = 10_000
"""Pages and sections whose values are kept while a corpus is read."""

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Fields:
    """The values of n passages of m documents."""

    ids: Ragged
    """The ids of the passages, sorted."""
    documents: NDArray[np.int32]
    """[n] The number of each passage's document."""
    spans: Mapping[str, tuple[int, int, int]]
    """Of each field, the first and last + 1 of its values, and the first of them that is a text;
    its texts are sorted without regard to case."""
    values: Ragged
    """Each value as JSON, with a comma."""
    rows: Ragged
    """The numbers of the documents that have each value; of `page` and `section`, of passages."""

    @classmethod
    def of(cls, corpus: Snapshot) -> Fields:
        """Read the values of a corpus."""
        found: defaultdict[tuple[str, str], array[int]] = defaultdict(lambda: array("i"))
        names, numbers, own = set[str](), dict[str, int](), dict[str, Document]()
        for number, document in enumerate(corpus.outlines()):
            numbers[document.id] = number
            names |= document.metadata.keys()
            if any(field in document.metadata for field in _OF_PASSAGES):
                own[document.id] = document
            for field in {*document.metadata, *MATCHED_FIELDS, "title"}.difference(_OF_PASSAGES):
                for value in field_values(field, document):
                    found[field, json.dumps(value)].append(number)
        nothing = Document("", "", "")

        @lru_cache(_KEPT)  # many passages have the same
        def values_of(field: str, owner: str, pages: str, section: str) -> list[str]:
            document = own.get(owner, nothing)
            return [json.dumps(value) for value in field_values(field, document, pages, section)]

        ids, documents = list[str](), array("i")
        for row, (name, document_id, pages, section) in enumerate(corpus.places()):
            ids.append(name)
            documents.append(numbers[document_id])
            owner = document_id if document_id in own else ""
            for value in values_of("page", owner, pages, ""):
                found["page", value].append(row)
            for value in values_of("section", owner, "", section):
                found["section", value].append(row)
        keys = sorted(found, key=lambda key: (key[0], *_order(json.loads(key[1])), key[1]))
        spans = dict.fromkeys(names, (0, 0, 0))
        for field, group in groupby(range(len(keys)), key=lambda place: keys[place][0]):
            places = list(group)
            numeric = sum(keys[place][1][0] != '"' for place in places)
            spans[field] = (places[0], places[-1] + 1, places[0] + numeric)
        return cls(
            Ragged.of_texts(ids),
            np.asarray(documents, dtype=np.int32),
            dict(sorted(spans.items())),
            Ragged.of_texts(f"{value}," for _, value in keys),
            Ragged.of((found[key] for key in keys), np.int32),
        )

    def save(self, directory: Path) -> None:
        """Write them into a new folder."""
        directory.mkdir()
        self.ids.save(directory, IDS)
        self.values.save(directory, "values")
        self.rows.save(directory, "rows")
        np.save(directory / "documents.npy", self.documents)
        (directory / _FILE).write_text(json.dumps(self.spans), encoding="utf-8")

    @classmethod
    def load(cls, directory: Path) -> Fields:
        """Map what `save` wrote.

        Raises:
            IndexMissingError: A file is missing or damaged.
        """
        try:
            spans = json.loads((directory / _FILE).read_bytes())
        except (OSError, ValueError) as error:
            raise damage_error(directory / _FILE, f"cannot be read ({error})") from error
        ids = Ragged.load(directory, IDS, np.uint8)
        return cls(
            ids,
            load_array(directory / "documents.npy", np.int32, rows=len(ids)),
            spans,
            Ragged.load(directory, "values", np.uint8),
            Ragged.load(directory, "rows", np.int32),
        )

    def has(self, field: str) -> bool:
        """Whether a passage has a value in a field."""
        start, end, _ = self.spans.get(field, (0, 0, 0))
        return end > start

    def fit(self, condition: Condition) -> Mask:
        """[n] The passages that a condition lets through."""
        field = condition.field
        if condition.operator == "!=":
            return ~self.fit(Condition(field, "=", condition.values))
        start, end, texts = self.spans.get(field, (0, 0, 0))
        if (plain := condition.plain_texts) is None:
            return self.having(field, lambda value: condition.holds([value]))
        hits = [place for place, value in self._decoded(start, texts) if condition.holds([value])]
        for text in plain:
            place = bisect_left(
                range(end), text, texts, key=lambda place: _order(self._at(place))[1]
            )
            while place < end and _order(self._at(place))[1] == text:
                hits.append(place)
                place += 1
        return self._passages(field, np.isin(np.arange(start, end), hits))

    def having(self, field: str, test: Callable[[MetadataValue], bool]) -> Mask:
        """[n] The passages that have a value in a field that passes a test."""
        start, end, _ = self.spans.get(field, (0, 0, 0))
        passed = (test(value) for _, value in self._decoded(start, end))
        return self._passages(field, np.fromiter(passed, np.bool_, end - start))

    def _passages(self, field: str, chosen: Mask) -> Mask:
        """The passages that have one of the chosen values of a field."""
        start, end, _ = self.spans.get(field, (0, 0, 0))
        bounds = self.rows.bounds[start : end + 1]
        rows = self.rows.values[bounds[0] : bounds[-1]][np.repeat(chosen, np.diff(bounds))]
        mask = np.zeros(max(len(self.documents), int(rows.max(initial=0)) + 1), dtype=np.bool_)
        mask[rows] = True
        return mask[: len(self.ids)] if field in _OF_PASSAGES else mask[self.documents]

    def _decoded(self, start: int, end: int) -> Iterator[tuple[int, MetadataValue]]:
        bounds = self.values.bounds
        text = self.values.values[bounds[start] : bounds[end]].tobytes()
        return enumerate(json.loads(b"[" + text[:-1] + b"]"), start)

    def _at(self, place: int) -> MetadataValue:
        value: MetadataValue = json.loads(self.values[place].tobytes()[:-1])
        return value


def _order(value: MetadataValue) -> tuple[bool, str]:
    """Numbers first, then texts without regard to case."""
    return isinstance(value, str), folded(value.strip()) if isinstance(value, str) else ""


def field_values(
    field: str, document: Document, pages: str = "", section: str = ""
) -> list[MetadataValue]:
    """The values of a passage in a field.

    Args:
        field: A key of the metadata, or `source`, `author`, `date`, `title`, `page` or `section`.
        section: The headings above it. Each of them is a value, and so is the whole path.
    """
    if field == "page" and pages:
        return _page_numbers(pages)
    value = known_value(document.metadata, field)
    own = [] if value is None else [value]
    if field == "source":
        path = document.source
        own += [address_of(document.metadata), path, in_folder(path), file_name(path)]
    elif not own and field == "section":
        own += [section, *section.split(SECTION_MARK)]
    elif not own and field == "title":
        own += [document.title]
    return [known for known in dict.fromkeys(own) if known != ""]


def _page_numbers(pages: str) -> list[MetadataValue]:
    first, _, last = pages.partition("-")
    if first.isdecimal() and (last or first).isdecimal():
        return list(range(int(first), int(last or first) + 1))
    return [pages]
