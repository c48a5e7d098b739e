"""The values of all passages by field, in files that are mapped into memory.

A filter looks at each different value once, however many passages have it, and at a text without
wildcards by bisection. So its first use does not read the corpus.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise, product
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from hopyard.indexes.arrays.growing import Entries, Lists, Rows, extend
from hopyard.indexes.arrays.ragged import IDS, Ragged, load_array
from hopyard.indexes.corpus.manifest import damage_error
from hopyard.indexes.corpus.records import Document
from hopyard.state.metadata import MATCHED_FIELDS, MetadataValue, address_of, known_value
from hopyard.state.references import SECTION_MARK, file_name, in_folder, sections_in
from hopyard.state.where import Condition, folded

if TYPE_CHECKING:
    from hopyard.indexes.corpus.snapshot import Snapshot

FOLDER: Final = "fields"
"""The folder of a generation that holds them."""
_OF_PASSAGES: Final = ("page", "section")
"""Fields that the passages of a document may have different values of."""
_FILE: Final = "fields.json"
_LISTS: Final = "values"
_NUMBER: Final = "0"
_TEXT: Final = "1"
"""Numbers before texts."""
_ENDS: Final = ("\0", " - ", " | ", " <")
"""Signs after a name in the term of a value: its end, or the beginning of another part or of an
e-mail address."""
_KEPT: Final = 10_000
"""Pages and sections whose values are kept while a corpus is read."""

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Fields:
    """The values of n passages of m documents."""

    rows: Rows
    """The passages."""
    documents: NDArray[np.int32]
    """[n] The key of each passage's document."""
    keys: int
    """Keys of documents so far."""
    first: int
    """Passages of the first files."""
    names: frozenset[str]
    """The names of all fields."""
    parts: Sequence[Lists]
    """Of each value of a field (`_term`) the keys of the documents that have it; of `page` and
    `section`, of the passages. Numbers come first, then texts without regard to case."""

    @classmethod
    def of(cls, corpus: Snapshot) -> Fields:
        """Read the values of a corpus."""
        places = list(corpus.places())
        outlines = list(corpus.outlines())
        names, numbers, lists = _values(outlines, places, 0, 0)
        documents = np.fromiter((numbers[each[1]] for each in places), np.int32, len(places))
        rows = Rows.of(place[0] for place in places)
        return cls(rows, documents, len(numbers), len(rows), names, [lists])

    def save(self, directory: Path) -> None:
        """Write them into a new folder."""
        directory.mkdir()
        self._save_rest(directory)
        self.parts[0].save(directory, _LISTS)

    def _save_rest(self, directory: Path) -> None:
        self.rows.save(directory)
        np.save(directory / "documents.npy", self.documents)
        about = {"documents": self.keys, "first": self.first, "names": sorted(self.names)}
        (directory / _FILE).write_text(json.dumps(about), encoding="utf-8")

    def extend(self, last: Path, directory: Path, corpus: Snapshot) -> bool:
        """Write the values with what a generation has changed into a new folder.

        Args:
            last: The folder that these values were loaded from.

        Returns:
            False, and nothing is written, if so much has changed that all is better read again.
        """
        changes = corpus.changed()
        rows = self.rows.changed(changes.removed, [*changes.added])
        if rows.are_too_many(self.first):
            return False
        added = corpus.passages([*changes.added])
        places = [(each.id, each.document_id, each.pages, each.section) for each in added]
        outlines = list(corpus.outlines(changes.added_documents))
        names, numbers, lists = _values(outlines, places, self.keys, len(self.rows.rows))
        new = np.fromiter((numbers[each[1]] for each in places), np.int32, len(places))
        of_key = np.concatenate([self.documents[np.maximum(self.rows.rows, 0)], new])
        keys = self.keys + len(numbers)
        directory.mkdir()
        held = of_key[rows.keys]
        Fields(rows, held, keys, self.first, self.names | names, ())._save_rest(directory)
        extend(last, directory, _LISTS, self.parts, lists)
        return True

    @classmethod
    def load(cls, directory: Path) -> Fields:
        """Map what `save` or `extend` wrote.

        Raises:
            IndexMissingError: A file is missing or damaged.
        """
        try:
            about = json.loads((directory / _FILE).read_bytes())
        except (OSError, ValueError) as error:
            raise damage_error(directory / _FILE, f"cannot be read ({error})") from error
        rows = Rows.load(directory)
        documents = load_array(directory / "documents.npy", np.int32, rows=len(rows))
        parts = Lists.load_parts(directory, _LISTS, np.uint8)
        keys, first, names = (about[name] for name in ("documents", "first", "names"))
        return cls(rows, documents, keys, first, frozenset(names), parts)

    def has(self, field: str) -> bool:
        """Whether a passage has a value in a field."""
        if self.rows.has_removed:
            return bool(self.having(field, lambda _: True).any())
        ends = (_span(lists.terms, f"{field}\0", f"{field}\1") for lists in self.parts)
        return any(end > start for start, end in ends)

    def begins(self, field: str, text: str) -> bool:
        """Whether a text of a field begins with a text, without regard to case."""
        begun = f"{field}\0{_TEXT}{folded(text)}"
        spans = (_begun(lists.terms, begun) for lists in self.parts)
        return any(end > start for start, end in spans)

    def values(self, field: str) -> list[MetadataValue]:
        """The values of a field, also those of removed passages."""
        spans = [
            (lists.terms, *_span(lists.terms, f"{field}\0", f"{field}\1")) for lists in self.parts
        ]
        return [value for terms, start, end in spans for value in _decoded(terms, start, end)]

    def called(self, field: str, name: str) -> list[str]:
        """The texts of a field that are a name, or begin with it as a part of their own.

        `The Independent` stands for `The Independent - Travel`, too.
        """
        begun, found = f"{field}\0{_TEXT}{folded(name)}", list[MetadataValue]()
        for lists, end in product(self.parts, _ENDS):
            found += _decoded(lists.terms, *_begun(lists.terms, begun + end))
        return [str(value) for value in dict.fromkeys(found)]

    def fit(self, condition: Condition) -> Mask:
        """[n] The passages that a condition lets through."""
        field = condition.field
        if condition.operator == "!=":
            return ~self.fit(Condition(field, "=", condition.values))
        if (plain := condition.plain_texts) is None:
            return self.having(field, lambda value: condition.holds([value]))

        def chosen(lists: Lists) -> NDArray[np.int64]:
            numbers = _span(lists.terms, f"{field}\0", f"{field}\0{_TEXT}")
            test = (condition.holds([value]) for value in _decoded(lists.terms, *numbers))
            hits = [place for place, fits in enumerate(test, numbers[0]) if fits]
            begun = [f"{field}\0{_TEXT}{text}\0" for text in plain]
            spans = [_span(lists.terms, text, text[:-1] + "\1") for text in begun]
            return np.concatenate([hits, *(np.arange(*span) for span in spans)]).astype(np.int64)

        return self._passages(field, chosen)

    def having(self, field: str, test: Callable[[MetadataValue], bool]) -> Mask:
        """[n] The passages that have a value in a field that passes a test."""

        def chosen(lists: Lists) -> NDArray[np.int64]:
            start, end = _span(lists.terms, f"{field}\0", f"{field}\1")
            passed = map(test, _decoded(lists.terms, start, end))
            return start + np.flatnonzero(np.fromiter(passed, np.bool_, end - start))

        return self._passages(field, chosen)

    def _passages(self, field: str, chosen: Callable[[Lists], NDArray[np.int64]]) -> Mask:
        """The passages that have one of the values of a field at the chosen places."""
        of_passages = field in _OF_PASSAGES
        mask = np.zeros(len(self.rows.rows) if of_passages else self.keys, dtype=np.bool_)
        for lists in self.parts:
            for start, end in _runs(chosen(lists)):
                mask[lists.keys[lists.starts[start] : lists.starts[end]]] = True
        return mask[self.rows.keys if of_passages else self.documents]


def write_fields(corpus: Snapshot, folder: Path, last: Path | None) -> None:
    """Write the values of a generation into its folder.

    Args:
        last: The folder of the last generation, if only what has changed need be read.
    """
    former = load_fields(last) if last else None
    if not (last and former and former.extend(last / FOLDER, folder / FOLDER, corpus)):
        Fields.of(corpus).save(folder / FOLDER)


def load_fields(folder: Path) -> Fields | None:
    """The values of a generation; None if an older Hopyard wrote its folder."""
    known = (folder / FOLDER / f"{IDS}-rows.npy").exists()
    return Fields.load(folder / FOLDER) if known else None


def keeps_removed(folder: Path) -> bool:
    """Whether the files have values of removed passages."""
    fields = load_fields(folder)
    return fields is not None and fields.rows.has_removed


def _values(
    outlines: Sequence[Document],
    places: Iterable[tuple[str, str, str, str]],
    first_document: int,
    first_passage: int,
) -> tuple[frozenset[str], dict[str, int], Lists]:
    """The names of the fields of documents and passages, the documents' keys, and the values."""
    entries, numbers, own = Entries("B"), dict[str, int](), dict[str, Document]()
    names = set[str]()
    for key, document in enumerate(outlines, first_document):
        numbers[document.id] = key
        names |= document.metadata.keys()
        if any(field in document.metadata for field in _OF_PASSAGES):
            own[document.id] = document
        terms = dict[str, int]()
        for field in {*document.metadata, *MATCHED_FIELDS, "title"}.difference(_OF_PASSAGES):
            if values := field_values(field, document):
                names.add(field)
                terms |= {_term(field, value): 1 for value in values}
        entries.add(key, terms)
    nothing = Document("", "", "")

    @lru_cache(_KEPT)  # many passages have the same
    def terms_of(field: str, owner: str, pages: str, section: str) -> dict[str, int]:
        document = own.get(owner, nothing)
        values = field_values(field, document, pages, section)
        return {_term(field, value): 1 for value in values}

    for key, (_, document_id, pages, section) in enumerate(places, first_passage):
        owner = document_id if document_id in own else ""
        for field, of in (("page", (owner, pages, "")), ("section", (owner, "", section))):
            if terms := terms_of(field, *of):
                names.add(field)
                entries.add(key, terms)
    return frozenset(names), numbers, entries.lists()


def _term(field: str, value: MetadataValue) -> str:
    """The field, the order of the value, and the value as JSON, which has no zero byte."""
    order = f"{_TEXT}{folded(value.strip())}" if isinstance(value, str) else _NUMBER
    return f"{field}\0{order}\0{json.dumps(value)}"


def _span(terms: Ragged, first: str, end: str) -> tuple[int, int]:
    return terms.place(first), terms.place(end)


def _begun(terms: Ragged, text: str) -> tuple[int, int]:
    """The span of the terms that begin with a text."""
    return _span(terms, text, f"{text}\U0010ffff")


def _decoded(terms: Ragged, start: int, end: int) -> list[MetadataValue]:
    """The values of terms."""
    bounds = terms.bounds[start : end + 1].tolist()
    text, first = terms.values[bounds[0] : bounds[-1]].tobytes(), bounds[0]
    each = (text[low - first : high - first] for low, high in pairwise(bounds))
    found: list[MetadataValue] = json.loads(
        b"[" + b",".join(term.rpartition(b"\0")[2] for term in each) + b"]"
    )
    return found


def _runs(places: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """The first and last + 1 of each run of places."""
    for run in np.split(places, np.flatnonzero(np.diff(places) != 1) + 1):
        if len(run):
            yield int(run[0]), int(run[-1]) + 1


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
        paths = sections_in(section)
        own += [*paths, *(name for path in paths for name in path.split(SECTION_MARK))]
    elif not own and field == "title":
        own += [document.title]
    return [known for known in dict.fromkeys(own) if known != ""]


def _page_numbers(pages: str) -> list[MetadataValue]:
    first, _, last = pages.partition("-")
    if first.isdecimal() and (last or first).isdecimal():
        return list(range(int(first), int(last or first) + 1))
    return [pages]
