"""`local`: link, gather, answer; over a graph with facts and over one by rules."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from building import build
from langgraph.checkpoint.memory import InMemorySaver
from model_server import WordEmbedder

from hopyard.graphs.local import graph
from hopyard.indexes.corpus.records import Document
from hopyard.models.embeddings import register_embedder
from hopyard.nodes.local import context
from hopyard.nodes.resources import Resources, config_with
from hopyard.prompts.route import route_prompt
from hopyard.state.errors import IndexMissingError
from hopyard.state.settings.fields import Context
from hopyard.state.strategy import STRATEGIES
from hopyard.testing import DOCUMENTS, ScriptedChat

from ...indexes.kinds.entity_graph.made_graph import made_index

WHO = "Who built the Iron Bridge?"
DARBY = "Abraham Darby built the Iron Bridge."
REPORT = {
    "title": "Bridges over the Severn",
    "summary": "A bridge and its builder.",
    "rating": 7,
    "findings": [
        {
            "summary": "The builder",
            "explanation": "Abraham Darby III cast the ribs of the Iron Bridge.",
            "elements": ["S1"],
        }
    ],
}


@pytest.fixture(scope="module")
def facts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five passages with facts that a model might have found."""
    return made_index(tmp_path_factory.mktemp("facts") / "index", "entity-graph")


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eight passages about bridges, and a graph by rules with communities."""
    directory = tmp_path_factory.mktemp("rules") / "index"
    kinds = ("dense", "entity-graph", "communities")
    build(DOCUMENTS, directory=directory, embedder=WordEmbedder(), chunk_tokens=0, kinds=kinds)
    return directory


@pytest.fixture
def chat() -> ScriptedChat:
    register_embedder(WordEmbedder.name, WordEmbedder())
    answer = {"thought": "", "answer": "Abraham Darby", "passages": [1]}
    chat = ScriptedChat({"Answer": answer, "CommunityReport": REPORT})
    chat.register()
    return chat


@pytest.fixture
def resources(tmp_path: Path) -> Iterator[Resources]:
    with Resources(tmp_path / "ledger") as resources:
        yield resources


class Asker:
    """Asks the strategy, and keeps what the last prompt showed."""

    def __init__(self, chat: ScriptedChat, resources: Resources) -> None:
        self.chat, self.resources = chat, resources

    @property
    def turn(self) -> str:
        return self.chat.requests[-1].turn.partition("\n\nWrite the answer")[0]

    def part(self, heading: str) -> list[str]:
        """The lines below a heading of the prompt."""
        after = self.turn.partition(f"{heading}:\n")[2]
        return after.partition("\n\n")[0].splitlines()

    async def __call__(self, index: Path, question: str, **settings: Any) -> dict[str, Any]:
        output: dict[str, Any] = await graph.ainvoke(
            {"question": question}, config_with(self.resources), context=told(index, **settings)
        )
        return output


@pytest.fixture
def ask(chat: ScriptedChat, resources: Resources) -> Asker:
    return Asker(chat, resources)


def told(index: Path, **settings: Any) -> Context:
    base = {"index": str(index), "model": "scripted", "embedding": "words"}
    return Context.model_validate(base | settings)


def step(output: dict[str, Any], name: str) -> dict[str, Any]:
    [found] = [each for each in output["steps"] if each["id"] == name]
    return dict(found)


async def test_facts_stand_under_the_number_of_their_passage(facts: Path, ask: Asker) -> None:
    output = await ask(facts, WHO)
    names = [unit["id"] for unit in output["evidence"]]
    assert ask.part("Facts") == [
        f"[{names.index('bridge') + 1}] Bridge: Abraham Darby built Iron Bridge. "
        "Iron Bridge crosses SEVERN."
    ]
    assert ask.part("Passages")[0].startswith(f"[1] {names[0].title()}: ")
    assert step(output, "link") == {
        "id": "link",
        "kind": "entities",
        "title": "Entities: Iron Bridge",
    }
    gathered = step(output, "context")
    assert gathered["facts"]["neighbours"] == "Abraham Darby, SEVERN"
    assert gathered["facts"]["facts"].startswith("2, 19 of 4000 tokens")
    assert gathered["passages"] == output["evidence"]


async def test_a_fact_is_cited_by_its_passage(
    facts: Path, ask: Asker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Twenty tokens for facts and none for passages: only the facts' passage has a number."""
    ask.chat.answers = {"Answer": {"answer": f"{DARBY} [1]", "passages": [1]}}
    monkeypatch.setattr(context, "REPORTS", 0.0)
    monkeypatch.setattr(context, "FACTS", 1.0)
    output = await ask(facts, WHO, local={"tokens": 20})
    assert "Passages:" not in ask.turn
    assert [unit["id"] for unit in output["evidence"]] == ["bridge"]
    [cited] = output["citations"]
    assert (cited["passage_id"], cited["supported"]) == ("bridge", True)
    assert "Abraham Darby built it." in cited["quote"]


async def test_the_budget_holds(rules: Path, ask: Asker) -> None:
    for tokens in (40, 80, 160):
        output = await ask(rules, WHO, local={"tokens": tokens})
        assert len(ask.turn) <= 4 * tokens + len("Facts:\n\n\nPassages:\n")
        assert step(output, "context")["title"].startswith("Context of ")


async def test_the_built_in_model_gets_a_small_context(rules: Path, ask: Asker) -> None:
    ask.chat.answers = {"Answer": {"answer": "Darby"}}
    output = await ask(rules, WHO, profile="builtin")
    assert "of 225 tokens" in step(output, "context")["facts"]["reports"]
    assert "Facts:" not in ask.turn


async def test_a_graph_by_rules_shows_sentences_in_place_of_facts(rules: Path, ask: Asker) -> None:
    """Passages get 28 tokens, which hold one passage: a sentence of the other is shown."""
    output = await ask(rules, "What is the Iron Bridge?", local={"tokens": 56})
    assert [unit["id"] for unit in output["evidence"]] == ["iron-bridge", "abraham-darby"]
    assert ask.part("Facts") == [
        "[2] Abraham Darby: Abraham Darby III cast the ribs of the Iron Bridge in Coalbrookdale."
    ]
    assert [line[:3] for line in ask.part("Passages")] == ["[1]"]


async def test_without_a_named_entity_the_search_begins_at_passages_found(
    rules: Path, ask: Asker
) -> None:
    output = await ask(rules, "which river is the longest?", retrieval={"k": 1})
    link = step(output, "link")
    assert link["verdict"] == "fallback"
    assert link["reason"] == (
        "the question names no entity of the graph; these stand in the first passages of a search"
    )
    assert "Severn" in link["title"]
    assert "severn" in [unit["id"] for unit in output["evidence"]]


async def test_a_name_that_the_graph_lacks_leads_to_the_nearest_name(
    rules: Path, ask: Asker
) -> None:
    output = await ask(rules, "Who crossed the Bridge Stone Gorge?")
    assert step(output, "link") == {
        "id": "link",
        "kind": "entities",
        "title": "Entities: Stone Bridge",
        "verdict": "fallback",
        "reason": "the question names no entity of the graph; these have the nearest names",
    }


async def test_a_corpus_without_names_is_read_by_its_passages(tmp_path: Path, ask: Asker) -> None:
    documents = [Document("a", "", "water and wind"), Document("b", "", "stones and sand")]
    kinds = ("dense", "entity-graph")
    build(documents, directory=tmp_path / "index", embedder=WordEmbedder(), kinds=kinds)
    output = await ask(tmp_path / "index", "what about water?")
    assert step(output, "link")["title"] == "Entities: none"
    assert step(output, "link")["reason"].endswith("no passage found holds one")
    assert [unit["id"] for unit in output["evidence"]] == ["a", "b"]


async def test_a_filter_holds_for_facts_and_passages(facts: Path, ask: Asker) -> None:
    output = await ask(facts, WHO, where=["title=Darby"])
    assert [unit["id"] for unit in output["evidence"]] == ["darby"]
    assert "Bridge: " not in ask.turn


async def test_an_index_without_an_entity_graph_is_an_error(tmp_path: Path, ask: Asker) -> None:
    build(DOCUMENTS, directory=tmp_path / "index", embedder=WordEmbedder(), kinds=("dense",))
    with pytest.raises(IndexMissingError, match="no entity-graph part, which local needs"):
        await ask(tmp_path / "index", WHO)
    assert ask.chat.requests == []


async def test_a_build_between_two_steps_has_the_question_linked_again(
    tmp_path: Path, chat: ScriptedChat
) -> None:
    """Rows of entities change with a build: `Aachen` moves all others."""
    directory, kinds = tmp_path / "index", ("dense", "entity-graph")
    build(DOCUMENTS, directory=directory, embedder=WordEmbedder(), chunk_tokens=0, kinds=kinds)
    own = graph.copy({"checkpointer": InMemorySaver()})
    thread = {"configurable": {"thread_id": "t"}}
    with Resources(tmp_path / "first") as first:
        config = config_with(first, thread)
        asked: Any = {"question": "What is the Iron Bridge?"}
        await own.ainvoke(asked, config, context=told(directory), interrupt_after=["gather"])
    new = Document("aachen", "Aachen", "Aachen is a city. Aachen has a Cathedral in Aachen.")
    build(
        [new, *DOCUMENTS], directory=directory, embedder=WordEmbedder(), chunk_tokens=0, kinds=kinds
    )
    with Resources(tmp_path / "second") as second:
        output = await own.ainvoke(None, config_with(second, thread), context=told(directory))
    with Resources(tmp_path / "third") as third:
        alone = await graph.ainvoke(asked, config_with(third), context=told(directory))
    assert chat.requests[0].turn == chat.requests[1].turn
    assert output["steps"] == alone["steps"]
    assert output["evidence"] == alone["evidence"]


def test_the_route_offers_it_for_the_surroundings_of_a_thing() -> None:
    offered = {name: STRATEGIES[name].route for name in ("direct", "single", "local")}
    prompt = route_prompt(offered)  # type: ignore[arg-type]
    assert "local: it asks what the documents say about one person, place or thing" in prompt.system
    shown = [example.output.strategy for example in prompt.examples]
    assert shown.count("local") == 2
