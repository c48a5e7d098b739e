"""Extractions as JSONL, read from another program's file.

A line of the short form holds names and triples, as OpenIE files do; the import looks for their
sentences:

    {"id": "hops", "entities": ["Humulus"], "triples": [["hop", "belongs to", "Humulus"]]}

A line of the long form has the sentences, counted from 0:

    {"id": "hops", "mentions": [{"name": "Humulus", "sentence": 0}],
     "facts": [{"subject": "hop", "relation": "belongs to", "object": "Humulus", "sentence": 0}]}

A long line may also describe: `entities` with name, type, description and sentence, `description`
and `strength` of a fact, and `claims` (`extraction` has their fields).

The id of a line is that of a passage, or of a document. A document's names and facts are shared out
to its passages. If two lines are about one passage, the last line counts. A triple with fewer or
more than three texts is dropped and counted, as HippoRAG drops it: models write some.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, Field, ValidationError

from hopyard.indexes.corpus.records import Passage
from hopyard.indexes.corpus.snapshot import Snapshot
from hopyard.indexes.kinds.entity_graph.find.extraction import (
    EXTRACTED,
    IMPORTED,
    NOWHERE,
    Claim,
    Described,
    Extraction,
    ExtractionStore,
    Fact,
    Mention,
    StoredExtraction,
)
from hopyard.indexes.kinds.entity_graph.find.placing import Places, place_extraction
from hopyard.indexes.written.store import Written
from hopyard.state.errors import UsageError

_AT_ONCE: Final = 500
"""Lines whose passages are fetched and stored at once."""
_PARTS: Final = 3
_BROKEN: Final = Fact(subject="", relation="", object="")
"""Stands for a broken triple until `place_extraction` drops and counts it."""


class _Line(BaseModel, frozen=True):
    id: str

    @property
    def extraction(self) -> Extraction:
        raise NotImplementedError


class _Short(_Line):
    entities: list[str] = Field(default_factory=list)
    triples: list[list[str]] = Field(default_factory=list)

    @property
    def extraction(self) -> Extraction:
        return Extraction(
            mentions=tuple(Mention(name=name) for name in self.entities),
            facts=tuple(
                Fact(subject=triple[0], relation=triple[1], object=triple[2])
                if len(triple) == _PARTS
                else _BROKEN
                for triple in self.triples
            ),
        )


class _Long(_Line):
    mentions: list[Mention] = Field(default_factory=list)
    facts: list[Fact] = Field(default_factory=list)
    entities: list[Described] = Field(default_factory=list)
    claims: list[Claim] = Field(default_factory=list)

    @property
    def extraction(self) -> Extraction:
        return Extraction(
            mentions=tuple(self.mentions),
            facts=tuple(self.facts),
            entities=tuple(self.entities),
            claims=tuple(self.claims),
        )


def import_extractions(file: Path, corpus: Snapshot, store: ExtractionStore) -> int:
    """Keep the extractions of a file for the passages of a corpus. Rows of other authors go.

    Args:
        file: JSONL in UTF-8.
        corpus: The corpus of the generation that is being built.
        store: Gets a row for each passage that the file is about.

    Returns:
        How many lines have an id that the corpus lacks.

    Raises:
        UsageError: The file or one of its lines cannot be read, or no id is in the corpus.
    """
    lines = _read(file)
    unknown = 0
    for start in range(0, len(lines), _AT_ONCE):
        part = lines[start : start + _AT_ONCE]
        passages = corpus.existing([line.id for line in part])
        rows: dict[str, Written[StoredExtraction]] = {}
        for line in part:
            given = [passages[line.id]] if line.id in passages else corpus.passages_of(line.id)
            unknown += not given
            found = {passage.content_hash: passage for passage in given}
            for content, extraction in zip(found, _placed(line, [*found.values()]), strict=True):
                rows[content] = Written(IMPORTED, EXTRACTED, extraction)
        store.put(rows.items(), corpus.generation)
    if unknown == len(lines):
        raise UsageError(
            f"No line of the file {str(file)!r} has the id of a passage or a document of this "
            "index: give the file that belongs to these documents."
        )
    return unknown


def _read(file: Path) -> list[_Line]:
    try:
        with file.open(encoding="utf-8-sig") as stream:
            return [_line(file, n, text) for n, text in enumerate(stream, 1) if text.strip()]
    except OSError as error:
        problem = error.strerror
    except UnicodeDecodeError:
        problem = "it is not UTF-8"
    raise UsageError(
        f"The file of extractions {str(file)!r} cannot be read ({problem}): "
        "give a JSONL file to entity_graph.extractions."
    )


def _line(file: Path, number: int, text: str) -> _Line:
    try:
        values: Any = json.loads(text)
        long = isinstance(values, dict) and not values.keys().isdisjoint({"mentions", "facts"})
        return (_Long if long else _Short).model_validate_json(text, strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        problem = ": ".join(filter(None, (".".join(map(str, first["loc"])), first["msg"])))
    except ValueError as error:
        problem = f"no JSON: {error}"
    raise UsageError(
        f"Line {number} of {str(file)!r} is no extraction ({problem}): write each line as "
        '{"id": "…", "entities": ["…"], "triples": [["subject", "relation", "object"]]}.'
    )


def _placed(line: _Line, passages: Sequence[Passage]) -> list[StoredExtraction]:
    """The share of each passage in a line."""
    given, all_places = line.extraction, [Places(passage) for passage in passages]
    if len(all_places) <= 1:
        return [_place(given, places) for places in all_places]
    shares = [_Share() for _ in passages]
    for fact in given.facts:
        best = _best(all_places, fact.subject, fact.object)
        shares[best].facts.append(fact.model_copy(update={"sentence": NOWHERE}))
    for name in dict.fromkeys(mention.name for mention in given.mentions):
        holders = [place for place, places in enumerate(all_places) if places.has(name)]
        for place in holders or [0]:
            shares[place].names.append(name)
    for each in given.entities:
        shares[_best(all_places, each.name, each.name)].entities.append(each)
    for claim in given.claims:
        best = _best(all_places, claim.subject, claim.object or claim.subject)
        shares[best].claims.append(claim.model_copy(update={"sentence": NOWHERE}))
    return [
        place_extraction(
            places, share.names, share.facts, entities=share.entities, claims=share.claims
        )
        for places, share in zip(all_places, shares, strict=True)
    ]


@dataclass
class _Share:
    """The share of one passage in a document's line."""

    names: list[str] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)
    entities: list[Described] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)


def _place(given: Extraction, places: Places) -> StoredExtraction:
    """One passage's extraction: as it is, where it has sentences and they are those of the text."""
    stated = {mention.sentence for mention in given.mentions}
    stated |= {fact.sentence for fact in given.facts}
    stated |= {each.sentence for each in given.entities} | {each.sentence for each in given.claims}
    if stated != {NOWHERE} and stated <= {NOWHERE, *range(len(places.sentences))}:
        return StoredExtraction.model_validate(dict(given))
    return place_extraction(
        places,
        [mention.name for mention in given.mentions],
        given.facts,
        entities=given.entities,
        claims=given.claims,
    )


def _best(all_places: Sequence[Places], *ends: str) -> int:
    """The first of the passages that support a statement about two names best."""
    return max(range(len(all_places)), key=lambda place: _support(all_places[place], ends))


def _support(places: Places, ends: Iterable[str]) -> int:
    """How well a passage supports it: 2 if a sentence has both ends, 1 if one end, else 0."""
    subject, object_ = (set(places.sentences_with(end)) for end in ends)
    return 2 if subject & object_ else int(bool(subject | object_))
