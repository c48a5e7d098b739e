"""The chat model as the builder: what is asked, kept, counted and continued."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from building import build, wait

from hopyard.indexes.building import build as building
from hopyard.indexes.corpus.records import Document, Passage
from hopyard.indexes.index import Index
from hopyard.indexes.kind import KINDS
from hopyard.indexes.kinds.entity_graph.find.extraction import EXTRACTIONS_FILE, NOWHERE
from hopyard.indexes.kinds.entity_graph.find.extractions import ExtractionCounts
from hopyard.indexes.kinds.entity_graph.find.model import extraction_of
from hopyard.indexes.kinds.entity_graph.find.placing import Places
from hopyard.models.calls.parse import json_schema, parse
from hopyard.nodes.resources import Resources
from hopyard.prompts.indexes.entity_graph import (
    FACTS,
    LONGEST,
    PassageFacts,
    StatedFact,
    fact_values,
)
from hopyard.state.errors import UsageError
from hopyard.state.settings.fields import Context
from hopyard.testing.models import GARBAGE, ScriptedChat, WordEmbedder

from ..facts_kind import FactsKind

# The prompt


def test_each_sentence_is_one_numbered_line() -> None:
    values = fact_values("A\ntitle", ["One.\n[7] Two.", "Three <|im_end|>."])
    turn = str(FACTS.messages(values)[-1].content)
    assert turn == "Title: A title\n[1] One. [7] Two.\n[2] Three < |im_end|>."


def test_the_builtin_model_alone_is_held_to_a_few_short_facts() -> None:
    few = json_schema(FACTS.output)
    assert (few["properties"]["entities"]["maxItems"], few["properties"]["facts"]["maxItems"]) == (
        10,
        6,
    )
    assert few["$defs"]["ShortFact"]["properties"]["subject"]["maxLength"] == LONGEST
    free = FACTS.of("capable")
    assert "axItems" not in json.dumps(json_schema(free.output))
    assert (free.version, free.output.model_json_schema()["title"]) == (2, few["title"])


def test_the_examples_of_the_prompt_keep_its_rules() -> None:
    for example in FACTS.examples:
        lines = example.values["sentences"].splitlines()
        text = "\n\n".join(line.split("] ", 1)[1] for line in lines)
        places = Places(Passage("p", "p", 0, example.values["title"], text, "", 0))
        assert len(places.sentences) == len(lines)
        placed = extraction_of(places, example.output, ends=2)
        assert (placed.dropped_names, placed.dropped_facts) == (0, 0)
        stated = [fact.sentence - 1 for fact in example.output.facts]
        assert [fact.sentence for fact in placed.facts] == stated


def test_a_fact_that_is_cut_off_leaves_the_others() -> None:
    whole = '{"entities": ["A"], "facts": [{"sentence": 1, "subject": "A", "relation": "is", '
    found, _ = parse(f'{whole}"object": "B"}}, {{"sentence": 2, "subject": "A", "rel', FACTS.output)
    assert [(fact.subject, fact.object) for fact in found.facts] == [("A", "B")]


# From an output to an extraction


def test_sentences_are_counted_from_1_in_an_output() -> None:
    text = "Alba knows Bert. She lives in Oslo."
    output = PassageFacts(
        entities=["Alba", "Bert", "Oslo", "Rome"],
        facts=[
            StatedFact(sentence=2, subject="Alba", relation="lives in", object="Oslo"),
            StatedFact(sentence=0, subject="Alba", relation="knows", object="Bert"),
            StatedFact(sentence=9, subject="Alba", relation="is", object="a woman"),
        ],
    )
    found = extraction_of(Places(Passage("p", "p", 0, "", text, "", 0)), output, ends=1)
    assert [(mention.name, mention.sentence) for mention in found.mentions] == [
        ("Alba", 0),
        ("Bert", 0),
        ("Oslo", 1),
    ]
    assert [(fact.object, fact.sentence) for fact in found.facts] == [
        ("Oslo", 1),
        ("Bert", 0),
        ("a woman", 0),
    ]
    assert (found.dropped_names, found.dropped_facts) == (1, 0)


def test_both_ends_of_a_fact_by_the_builtin_model_are_in_the_passage() -> None:
    """It wrote this of a passage about pizza, after the example of the band Nord."""
    output = PassageFacts(
        entities=["Papa John's Pizza", "Nord"],
        facts=[
            StatedFact(sentence=1, subject="Papa John's Pizza", relation="album of", object="Nord")
        ],
    )
    places = Places(Passage("p", "p", 0, "", "Papa John's Pizza has 66 shops.", "", 0))
    assert len(extraction_of(places, output, ends=1).facts) == 1
    found = extraction_of(places, output, ends=2)
    assert [mention.name for mention in found.mentions] == ["Papa John's Pizza"]
    assert (found.dropped_names, found.dropped_facts) == (1, 1)


# A build

PEOPLE = ("Alba", "Bert", "Cora", "Dirk", "Elsa", "Finn", "Gina", "Hugo", "Inga", "Jens")
_SENTENCE = re.compile(r"^\[(\d+)\] (.*)$", re.MULTILINE)


def person(number: int) -> Document:
    name, other = PEOPLE[number], PEOPLE[(number + 1) % len(PEOPLE)]
    return Document(name.lower(), name, f"{name} grows plant {number}. {name} knows {other}.")


def people(count: int) -> list[Document]:
    return [person(number) for number in range(count)]


def facts_of(turn: str) -> dict[str, Any]:
    """Every capitalised word is an entity, and the first and last of a sentence make a fact."""
    sentences = _SENTENCE.findall(turn)
    names = [re.findall(r"[A-Z]\w+", text) for _, text in sentences]
    return {
        "entities": [name for found in names for name in found],
        "facts": [
            {
                "sentence": int(number),
                "subject": found[0],
                "relation": "is with",
                "object": found[-1],
            }
            for (number, _), found in zip(sentences, names, strict=True)
            if len(set(found)) > 1
        ],
    }


def answer(name: str, messages: list[dict[str, Any]]) -> dict[str, Any]:
    assert name == "PassageFacts"
    return facts_of(str(messages[-1]["content"]))


class Library:
    """An index with the kind of the tests, and a scripted model that counts what it is asked."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.instead: dict[str, Any] = {}
        self.chat = ScriptedChat(self._answer)
        self.chat.register("scripted")

    def _answer(self, name: str, messages: list[dict[str, Any]]) -> Any:
        title = str(messages[-1]["content"]).splitlines()[0].removeprefix("Title: ")
        return self.instead.get(title) or answer(name, messages)

    @property
    def asked(self) -> Counter[str]:
        turns = [request.turn for request in self.chat.requests]
        return Counter(turn.splitlines()[0].removeprefix("Title: ") for turn in turns)

    def settings(self, builder: str, graph: dict[str, Any], **settings: Any) -> Context:
        given = {"model": "scripted", "entity_graph": {"builder": builder, **graph}}
        return Context.model_validate(given | settings)

    def build(
        self,
        documents: list[Document],
        builder: str = "model",
        *,
        budget: int = 0,
        writing: dict[str, float] | None = None,
        **graph: Any,
    ) -> None:
        settings = self.settings(builder, graph, budget={"calls": budget}, writing=writing or {})
        with Resources() as resources:
            build(
                documents,
                directory=self.directory,
                embedder=WordEmbedder(),
                chunk_tokens=0,
                kinds=["dense", "facts"],
                settings=settings,
                caller=lambda: resources.caller("scripted"),
            )

    def add(self, *documents: Document, **graph: Any) -> None:
        with Resources() as resources:
            wait(
                building.add(
                    documents,
                    directory=self.directory,
                    embedder=WordEmbedder(),
                    settings=self.settings("rules", graph),
                    caller=lambda: resources.caller("scripted"),
                )
            )

    @property
    def facts(self) -> dict[str, Any]:
        with Index.open(self.directory) as index:
            found: dict[str, Any] = index.reader("facts")
            return found

    @property
    def counts(self) -> ExtractionCounts:
        with Index.open(self.directory) as index:
            file = index.kind_directory("facts") / "counts.json"
            return ExtractionCounts.model_validate_json(file.read_bytes())


@pytest.fixture
def kind() -> Iterator[None]:
    KINDS.register(FactsKind())
    yield
    KINDS.unregister("facts")


@pytest.fixture
def library(tmp_path: Path, kind: None) -> Library:
    return Library(tmp_path / "index")


def test_each_passage_is_asked_about_once(library: Library) -> None:
    library.build(people(3))
    assert library.asked == {"Alba": 1, "Bert": 1, "Cora": 1}
    assert library.facts["alba"]["facts"] == [
        {"subject": "Alba", "relation": "is with", "object": "Bert", "sentence": 1}
    ]
    assert [tuple(each.values()) for each in library.facts["alba"]["mentions"]] == [
        ("Alba", 0),
        ("Alba", 1),
        ("Bert", 1),
    ]
    counts = library.counts
    assert [(share.version, share.model, share.passages) for share in counts.authors] == [
        (2, "scripted", 3)
    ]
    assert [(calls.prompt, calls.calls) for calls in counts.calls] == [("facts", 3)]

    library.add(person(3))
    library.build(people(4))
    assert library.asked == {"Alba": 1, "Bert": 1, "Cora": 1, "Dirk": 1}
    assert library.counts.calls[0].calls == 4


def test_a_passage_that_the_model_fails_for_is_counted(library: Library) -> None:
    library.instead["Bert"] = GARBAGE
    library.build(people(5))
    assert (library.counts.failed, library.counts.missing) == (1, 0)
    assert library.facts["bert"] == {"mentions": [], "facts": []}
    library.add(person(5))
    assert library.asked["Bert"] == 1, "an accepted failure is not asked for again"


def test_an_output_with_nothing_in_it_is_no_failure(library: Library) -> None:
    library.instead["Bert"] = {"entities": [], "facts": []}
    library.build(people(2))
    assert library.counts.failed == 0


def test_a_long_passage_is_cut_at_a_sentence(library: Library) -> None:
    long = Document("alba", "Alba", "Alba knows Bert. " * 200)
    library.build([long, person(1)])
    (turn,) = [r.turn for r in library.chat.requests if r.turn.startswith("Title: Alba")]
    lines = turn.splitlines()[1:]
    assert lines[-1] == "[150] Alba knows Bert."  # 150 × 16 = 2400 characters
    assert [each["sentence"] for each in library.facts["alba"]["facts"]] == [0]
    assert len(library.facts["alba"]["mentions"]) == 400, "a name is found in all sentences"


def test_the_rules_use_no_row_that_the_model_wrote(library: Library) -> None:
    library.build(people(3))
    library.build(people(3), "rules")
    assert [share.model.partition(" ")[0] for share in library.counts.authors] == ["rules"]
    assert all(not found["facts"] for found in library.facts.values())
    library.build(people(3))
    assert (library.counts.missing, library.asked.total()) == (0, 3)


def test_the_ledger_answers_when_the_store_is_gone(library: Library) -> None:
    library.build(people(3))
    facts = library.facts
    (library.directory / EXTRACTIONS_FILE).unlink()
    library.build([*people(3), person(4)])
    assert library.asked == dict.fromkeys(("Alba", "Bert", "Cora", "Elsa"), 1)
    assert {name: library.facts[name] for name in facts} == facts


def test_a_killed_build_continues_without_asking_twice(library: Library, tmp_path: Path) -> None:
    """A copy of the folder, taken while the build runs, is what a kill would leave."""
    killed = tmp_path / "killed"

    def copy(stage: str, done: int, total: int) -> None:
        if (stage, done) == ("facts", 4) and not killed.exists():
            shutil.copytree(library.directory, killed)

    with Resources(tmp_path / "first") as resources:
        build(
            people(10),
            directory=library.directory,
            embedder=WordEmbedder(),
            chunk_tokens=0,
            kinds=["dense", "facts"],
            settings=library.settings("model", {}, concurrency=1),
            caller=lambda: resources.caller("scripted"),
            progress=copy,
        )
    again = Library(killed)
    again.build(people(10))  # with a ledger that knows nothing
    assert again.asked == dict.fromkeys(PEOPLE[4:], 1)
    assert again.facts == library.facts


# Imported extractions


def lines(file: Path, *values: dict[str, Any]) -> str:
    file.write_text("".join(json.dumps(line) + "\n" for line in values))
    return str(file)


@pytest.fixture
def openie(tmp_path: Path) -> str:
    return lines(
        tmp_path / "openie.jsonl",
        {"id": "alba", "entities": ["Bert"], "triples": [["Alba", "likes", "Bert"]]},
        {"id": "nobody", "entities": [], "triples": []},
    )


@pytest.mark.parametrize(("builder", "asked"), [("model", ["Bert", "Cora"]), ("rules", [])])
def test_a_passage_with_an_imported_extraction_is_not_asked_about(
    library: Library, openie: str, builder: str, asked: list[str]
) -> None:
    library.build(people(3), builder, extractions=openie)
    assert sorted(library.asked) == asked
    assert library.facts["alba"]["facts"][0]["relation"] == "likes"
    counts = library.counts
    assert [share.passages for share in counts.authors] == [1, 2]
    assert counts.authors[0].model == "imported"
    assert (counts.unknown_ids, counts.missing) == (1, 0)


@pytest.mark.parametrize("builder", ["model", "rules"])
def test_an_import_survives_an_addition_and_not_a_build_without_the_file(
    library: Library, openie: str, builder: str
) -> None:
    library.build(people(3), builder, extractions=openie)
    library.add(person(3))
    assert library.facts["alba"]["facts"][0]["relation"] == "likes"
    assert library.counts.has_imports

    library.build(people(4), builder)
    assert not library.counts.has_imports
    assert "likes" not in json.dumps(library.facts)


def test_a_changed_file_is_imported_again(library: Library, openie: str) -> None:
    library.build(people(2), "rules", extractions=openie)
    before = library.counts
    library.build(people(2), "rules", extractions=openie)
    assert library.counts == before
    lines(Path(openie), {"id": "alba", "triples": [["Alba", "hates", "Bert"]]})
    library.build(people(2), "rules", extractions=openie)
    assert library.facts["alba"]["facts"][0]["relation"] == "hates"
    assert library.facts["alba"]["mentions"] == []
    assert NOWHERE not in [each["sentence"] for each in library.facts["alba"]["facts"]]


def test_a_missing_file_is_named(library: Library, openie: str, tmp_path: Path) -> None:
    library.build(people(2), "rules", extractions=openie)
    with pytest.raises(UsageError, match=r"none\.jsonl': give a file to entity_graph\.extractions"):
        library.build(people(2), "rules", extractions=str(tmp_path / "none.jsonl"))


def test_a_dry_run_asks_about_a_sample(library: Library, openie: str) -> None:
    library.build(people(2), "rules", extractions=openie)
    with Resources() as resources:
        passages, found = wait(
            building.estimate(
                people(10),
                directory=library.directory,
                embedder=WordEmbedder(),
                chunk_tokens=0,
                kinds=["dense", "facts"],
                settings=library.settings("model", {"extractions": openie}),
                caller=lambda: resources.caller("scripted"),
            )
        )
    estimate = found["facts"]
    assert passages == 10
    assert (estimate.spent_calls, estimate.model_calls) == (4, 5), "one passage is imported"
    assert (estimate.input_tokens, estimate.output_tokens) == (500, 50)
    assert library.asked.total() == 4
