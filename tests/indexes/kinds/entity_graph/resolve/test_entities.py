from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopyard.indexes.kinds.entity_graph.resolve.entities import Entities, resolve_entities
from hopyard.indexes.kinds.entity_graph.resolve.senses import (
    Passages,
    Split,
    bare_name,
    choose_senses,
    find_senses,
)
from hopyard.indexes.text.keywords import normalise_keyword

# Sport, church, half of each, a little nearer to sport (cosines 0.8, 0.6), and something else.
DIRECTIONS = {
    "sport": (1.0, 0.0, 0.0),
    "church": (0.0, 1.0, 0.0),
    "both": (0.5**0.5, 0.5**0.5, 0.0),
    "more sport": (0.8, 0.6, 0.0),
    "law": (0.0, 0.0, 1.0),
}


class Text(NamedTuple):
    """A document of one passage."""

    title: str
    topic: str
    names: tuple[str, ...]
    document: str = ""


def passages_of(texts: list[Text]) -> Passages:
    vectors = np.array([DIRECTIONS[text.topic] for text in texts], dtype=np.float32)
    documents = [text.document or f"{text.title}/{text.topic}" for text in texts]
    return Passages(documents, [text.title for text in texts], vectors.reshape(-1, 3))


def resolve(texts: list[Text]) -> Entities:
    names = sorted({name for text in texts for name in text.names}, key=str.encode)
    mentions = [(names.index(name), row) for row, text in enumerate(texts) for name in text.names]
    return resolve_entities(names, np.array(mentions, np.int64).reshape(-1, 2), passages_of(texts))


def entity_of(texts: list[Text], found: Entities) -> dict[tuple[str, str], set[str]]:
    """(title and topic of the passage, name) -> label of its entity."""
    result: dict[tuple[str, str], set[str]] = {}
    mentions = [(text, name) for text in texts for name in text.names]
    for (text, name), entity in zip(mentions, found.of_mention.tolist(), strict=True):
        label = found.senses[entity] or found.names[entity]
        result.setdefault((f"{text.title}/{text.topic}", name), set()).add(label)
    return result


FOOTBALLER = Text("John Smith (footballer)", "sport", ("john smith", "john smith footballer"))
BISHOP = Text("John Smith (bishop)", "church", ("john smith",))


def test_two_people_of_one_name() -> None:
    texts = [
        FOOTBALLER,
        BISHOP,
        Text("Cup", "sport", ("john smith",)),
        Text("Cathedral", "church", ("john-smith",)),
        Text("Town", "both", ("john smith", "john smith footballer")),
        Text("Court", "law", ("john smith",)),
    ]
    found = resolve(texts)
    assert entity_of(texts, found) == {
        ("John Smith (footballer)/sport", "john smith"): {"John Smith (footballer)"},
        ("John Smith (footballer)/sport", "john smith footballer"): {"John Smith (footballer)"},
        ("John Smith (bishop)/church", "john smith"): {"John Smith (bishop)"},
        ("Cup/sport", "john smith"): {"John Smith (footballer)"},
        # Another spelling takes part.
        ("Cathedral/church", "john-smith"): {"John Smith (bishop)"},
        # As near to the one as to the other; the full name leaves no doubt.
        ("Town/both", "john smith"): {"john smith"},
        ("Town/both", "john smith footballer"): {"John Smith (footballer)"},
        ("Court/law", "john smith"): {"john smith"},
    }
    assert found.splits == (
        Split(name="john smith", sense="John Smith (bishop)", mentions=2),
        Split(name="john smith", sense="John Smith (footballer)", mentions=4),
    )
    assert Split.model_validate_json(found.splits[0].model_dump_json()) == found.splits[0]
    assert list(zip(found.names, found.senses, strict=True)) == [
        ("john smith", ""),
        ("john smith", "John Smith (bishop)"),
        ("john smith", "John Smith (footballer)"),
    ]


def test_a_mention_goes_to_the_clearly_nearer_sense() -> None:
    senses = find_senses(passages_of([FOOTBALLER, BISHOP]))["john smith"]
    assert [sense.label for sense in senses] == ["John Smith (bishop)", "John Smith (footballer)"]
    vectors = np.array([*DIRECTIONS.values()], dtype=np.float32)
    # Rows 0 and 1 are the documents themselves; "more sport" is nearer by 0.2.
    assert choose_senses(senses, range(5), vectors) == [1, 0, -1, 1, -1]
    assert choose_senses(senses, [3], vectors, margin=0.25) == [-1]
    assert choose_senses(senses, [3], vectors, near=0.85) == [-1]


def test_documents_of_one_title() -> None:
    # One article in two documents, and one on something else.
    texts = [
        Text("John Smith", "sport", ("john smith",)),
        Text("John Smith", "both", ("john smith",)),
        Text("John Smith", "law", ("john smith",)),
        Text("Cup", "sport", ("john smith",)),
    ]
    assert entity_of(texts, resolve(texts)) == {
        ("John Smith/sport", "john smith"): {"John Smith [John Smith/both]"},
        ("John Smith/both", "john smith"): {"John Smith [John Smith/both]"},
        ("John Smith/law", "john smith"): {"John Smith [John Smith/law]"},
        ("Cup/sport", "john smith"): {"John Smith [John Smith/both]"},
    }
    assert len(resolve(texts[:2])) == 1
    # Sport and church have nothing in common, and the document on both joins them.
    joined = [*texts[:2], Text("John Smith", "church", ("john smith",))]
    assert resolve(joined).senses == ("",)
    assert resolve([joined[0], joined[2]]).senses == (
        "John Smith [John Smith/church]",
        "John Smith [John Smith/sport]",
    )


def test_passages_of_one_document_are_of_one_sense() -> None:
    texts = [
        Text("John Smith", "sport", ("john smith",), "d"),
        Text("John Smith", "law", ("john smith",), "d"),
    ]
    assert resolve(texts).senses == ("",)
    # So are documents of one qualified title, however unlike they are.
    qualified = [FOOTBALLER, FOOTBALLER._replace(topic="law", document="other")]
    assert resolve(qualified).senses == ("John Smith (footballer)",)


def test_spellings_are_one_entity_and_no_name_gives_none() -> None:
    texts = [
        Text("A", "sport", ("kim jong-un", "us navy", "world war ii", "j smith", "may 1")),
        Text(
            "B", "law", ("kim jong un", "united states navy", "world war 2", "john smith", "may1")
        ),
        Text("C", "law", ("kim jong un",)),
    ]
    assert resolve(texts).names == (
        "j smith",
        "john smith",
        "kim jong un",
        "may 1",
        "may1",
        "united states navy",
        "world war 2",
    )
    assert resolve([Text("List", "sport", ("quebec", "québec"))]).names == ("quebec",)
    assert len(resolve([])) == 0


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("John Smith (footballer)", "john smith"),
        ("Live (Fred (Frith) album)", "live fred frith album"),
        (
            "(What's the Story) Morning Glory?",
            normalise_keyword("(What's the Story) Morning Glory?"),
        ),
        ("(footballer)", "footballer"),
        ("The Sun (United Kingdom)", "sun"),
        ("", ""),
    ],
)
def test_bare_names(title: str, name: str) -> None:
    assert bare_name(title) == name


TEXTS = st.builds(
    Text,
    title=st.sampled_from(
        ["John Smith (footballer)", "John Smith (bishop)", "John Smith", "Cup", "J. Smith (judge)"]
    ),
    topic=st.sampled_from([*DIRECTIONS]),
    names=st.sets(
        st.sampled_from(["john smith", "john-smith", "j smith", "john smith bishop", "cup"])
    ).map(lambda names: tuple(sorted(names))),
)


@given(texts=st.lists(TEXTS, max_size=8, unique=True), data=st.data())
def test_the_order_of_documents_does_not_matter(texts: list[Text], data: st.DataObject) -> None:
    found = resolve(texts)
    shuffled = data.draw(st.permutations(texts))
    again = resolve(shuffled)
    assert (again.names, again.senses, again.splits) == (found.names, found.senses, found.splits)
    assert entity_of(shuffled, again) == entity_of(texts, found)
    assert sorted(set(found.of_mention.tolist())) == list(range(len(found)))
