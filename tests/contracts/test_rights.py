"""No caller gets a byte of a document that he may not read, by whatever search or strategy.

Each document has a word of its own and a group of its own, so a set of groups is any rights. The
chat model repeats every such word that it is shown: the texts that it writes for the index, such as
reports and questions, carry the words of all that they were made of.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.testclient import TestClient

from hopyard.agent.people import PeopleOnly, Person
from hopyard.agent.searching import find_evidence
from hopyard.agent.session import new_thread_id, open_session
from hopyard.cli.mcp.server import mcp_server
from hopyard.indexes.building.build import build
from hopyard.indexes.corpus.records import Document
from hopyard.indexes.index import Index
from hopyard.indexes.kind import KINDS
from hopyard.indexes.search import SEARCHES
from hopyard.models.embeddings import register_embedder
from hopyard.nodes.resources import Resources, config_with
from hopyard.nodes.run import AUTH_USER
from hopyard.state.errors import HopyardError, UsageError
from hopyard.state.settings.fields import Context
from hopyard.state.settings.sources import change_context
from hopyard.state.strategy import STRATEGIES
from hopyard.testing.models import ScriptedChat, WordEmbedder
from hopyard.tracing.plain import as_plain
from hopyard.tracing.read import read_trace

WORDS: Final = ("Zorbaq", "Vexilon", "Quintar", "Brolix", "Mirvane", "Tolquin")
_KNOWN: Final = re.compile("|".join(WORDS), re.IGNORECASE)


def _group(word: str) -> str:
    return f"g{WORDS.index(word)}"


_DOCUMENTS: Final = tuple(
    Document(
        id=f"{word.lower()}-file",
        title=f"The {word} Bridge",
        text=(
            f"The {word} Bridge crosses the Severn at Coalbrookdale. Abraham Darby built the "
            f"{word} Bridge with Thomas Telford in {1700 + number}. The Severn is near {word}."
            f"\n\n| Bridge | Cost of {word} |\n| --- | --- |\n| {word} | {number + 10} |\n"
            f"| Severn | {number + 20} |\n"
        ),
        metadata={
            "groups": f"board, {_group(word)}",
            "author": f"Ann {word}",
            f"of {word}": "yes",
        },
        source=f"docs/{word}.md",
        markup="markdown",
    )
    for number, word in enumerate(WORDS)
)
QUESTION: Final = "Which bridge did Abraham Darby build at Coalbrookdale, and what did it cost?"
_SETTINGS: Final = {
    "entity_graph": {"builder": "model", "descriptions": True},
    "communities": {"reports": "all"},
    "summary_tree": {"writer": "model"},
    "rerank": {"model": "chat"},
    "retrieval": {"k": 3},
}


class Parrot(ScriptedChat):
    """A model that keeps to every schema, and says all the words that it was shown."""

    def __init__(self) -> None:
        self.schemas: dict[str, Mapping[str, Any]] = {}
        self.shown: list[str] = []
        self._count = itertools.count()
        super().__init__(self._say)

    def with_structured_output(self, schema: Mapping[str, Any], **_: Any) -> Any:
        """The model, held to a schema."""
        self.schemas[str(schema["title"])] = schema
        return super().with_structured_output(schema)

    def _say(self, name: str, messages: list[dict[str, Any]]) -> dict[str, Any]:
        text = "\n".join(str(message["content"]) for message in messages)
        self.shown.append(text)
        heard = list(dict.fromkeys(word.title() for word in _KNOWN.findall(text)))
        schema = self.schemas[name]
        if "entities" in schema["properties"]:
            return _elements(heard[-1])
        value: dict[str, Any] = self._fill(schema, schema.get("$defs", {}), " ".join(heard), text)
        return value

    def _fill(self, schema: Mapping[str, Any], defs: Mapping[str, Any], *said: str) -> Any:
        """A value of a schema; a choice of several changes with each request."""
        if "$ref" in schema:
            schema = defs[schema["$ref"].rpartition("/")[2]]
        several = schema.get("enum") or schema.get("anyOf") or [schema.get("const")]
        chosen = several[len(self.shown) % len(several)]
        if chosen is not None:
            return self._fill(chosen, defs, *said) if isinstance(chosen, dict) else chosen
        if schema.get("type") == "object":
            parts = schema.get("properties", {})
            return {name: self._part(name, part, defs, *said) for name, part in parts.items()}
        if schema.get("type") == "array":
            items = schema.get("items", {"type": "string"})
            return [self._fill(items, defs, *said) for _ in range(schema.get("minItems", 1))]
        plain = {"boolean": True, "null": None}
        plain |= dict.fromkeys(("integer", "number"), schema.get("maximum", 1))
        text = f"What does the Severn cross at {said[0]} ({next(self._count)})?"
        return plain.get(schema.get("type", ""), text)

    def _part(self, name: str, part: Mapping[str, Any], defs: Mapping[str, Any], *said: str) -> Any:
        if name == "elements":
            return re.findall(r"^[ERS]\d+", said[1], re.MULTILINE)[:3]
        if name == "sql":
            return f"SELECT * FROM {next(iter(re.findall(r'^Table (.+?):', said[1], re.M)), 'x')}"
        return self._fill(part, defs, *said)


def _elements(word: str) -> dict[str, Any]:
    """The entities and facts of a passage, with its word in each part."""
    about = {"type": f"bridge of {word}", "description": f"It is of {word}."}
    ends = {"subject": f"{word} Bridge", "object": "Severn"}
    fact = {"sentence": 1, **ends, "relation": f"crosses by {word}", "strength": 5}
    return {
        "entities": [{"name": name, **about} for name in (f"{word} Bridge", "Severn")],
        "facts": [{**fact, "description": about["description"]}],
    }


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of every kind, whose model has repeated what it read."""
    directory = tmp_path_factory.mktemp("rights") / "index"
    parrot()
    with Resources(directory.with_name("home")) as resources:
        asyncio.run(
            build(
                _DOCUMENTS,
                directory=directory,
                embedder=WordEmbedder(),
                chunk_tokens=0,
                kinds=tuple(KINDS),
                settings=_context(directory),
                caller=lambda: resources.caller("parrot"),
            )
        )
    return directory


@pytest.fixture(autouse=True)
def embedder() -> None:
    """The embedding model of the index."""
    register_embedder(WordEmbedder.name, WordEmbedder())


def parrot() -> Parrot:
    """A new chat model for runs, without a memory."""
    chat = Parrot()
    chat.register("parrot")
    return chat


def _context(index: Path, **changes: Any) -> Context:
    base = Context.model_validate(
        {"index": str(index), "model": "parrot", "embedding": WordEmbedder.name}
    )
    return change_context(base, {**_SETTINGS, **changes})


def words_in(*texts: object) -> set[str]:
    """The words of documents in some texts."""
    return {word.title() for text in texts for word in _KNOWN.findall(str(text))}


def test_without_groups_every_word_is_told(index: Path) -> None:
    with Index.open(index) as opened:
        [report] = opened.reader("communities").reports.values()
        [summary] = opened.reader("summary-tree").summaries
        assert words_in(report.summary) == words_in(summary.text) == {*WORDS}
    chat = parrot()
    told = asyncio.run(_asked(_context(index, strategy="global"), index.with_name("asking")))
    assert words_in(*told) == words_in(*chat.shown) == {*WORDS}


rights = st.sets(st.sampled_from(WORDS), max_size=len(WORDS) - 1)


@given(rights)
@settings(max_examples=4)
def test_every_search_finds_only_readable_documents(index: Path, groups: set[str]) -> None:
    parrot()
    for method in SEARCHES:
        context = _context(
            index, groups=tuple(map(_group, groups)), retrieval={"method": method, "k": 9}
        )
        with Resources(index.with_name("searching")) as resources:
            try:
                found = asyncio.run(find_evidence(QUESTION, context, resources))
            except HopyardError as error:
                assert words_in(error) <= groups, method
                continue
        texts = json.dumps(found.evidence), *(passage.text for passage in found.passages.values())
        assert words_in(found.problem, *texts) <= groups, method
        assert {unit["passages"][0] for unit in found.evidence} <= {
            f"{word.lower()}-file" for word in groups
        }


@given(rights, st.sampled_from(WORDS))
@settings(max_examples=4)
def test_a_filter_chooses_among_readable_documents(
    index: Path, groups: set[str], word: str
) -> None:
    with Index.open(index) as opened:
        part = opened.readable_by(tuple(map(_group, groups)))
        own = {f"{word.lower()}-file"} if word in groups else set()
        assert set(part.allowed([f"author=*{word}"] if groups else []) or ()) == own & {
            f"{each.lower()}-file" for each in groups
        }
        for field in (f"of {word}", "nothing"):
            if field != f"of {word}" or word not in groups:
                with pytest.raises(UsageError) as refused:
                    part.allowed([f"{field}=yes"])
                shown = str(refused.value).partition("; ")[2]
                assert words_in(shown) == groups
        every = frozenset(document.id for document in _DOCUMENTS)
        readable = {f"{each.lower()}-file" for each in groups}
        vector = WordEmbedder().embed_query(QUESTION)
        for reader, asked in ((part.reader("sparse"), QUESTION), (part.reader("dense"), vector)):
            assert {name for name, _ in reader.search(asked, 9, every)} == readable


@given(rights)
@settings(max_examples=2)
def test_every_strategy_reads_only_readable_documents(index: Path, groups: set[str]) -> None:
    for strategy in STRATEGIES:
        chat = parrot()
        context = _context(index, groups=tuple(map(_group, groups)), strategy=strategy)
        told = asyncio.run(_asked(context, index.with_name("asking")))
        assert words_in(*told, *chat.shown) <= groups, strategy


async def _asked(context: Context, home: Path) -> list[object]:
    """All that a run tells: its events, its state, its trace, or its error."""
    told: list[object] = []
    with Resources(home) as resources:
        async with open_session(resources) as session:
            thread = new_thread_id()
            try:
                told += [
                    event async for event in session.ask(QUESTION, context, thread, tokens=True)
                ]
                told.append(await session.result(thread))
                told.append(as_plain(await read_trace(session, thread)))
            except HopyardError as error:
                told.append(error)
    return told


def test_a_user_of_a_server_has_the_own_groups_whatever_the_request_says(index: Path) -> None:
    chat, user = parrot(), {"identity": "ann", "groups": ["g0"]}
    context = _context(index, groups=("board",))
    with Resources(index.with_name("asking")) as resources:
        config = config_with(resources, {"configurable": {AUTH_USER: user}})
        graph = STRATEGIES["single"].load_graph()
        output = asyncio.run(graph.ainvoke({"question": QUESTION}, config, context=context))
    assert words_in(output, *chat.shown) == {WORDS[0]}


def test_no_call_tells_what_callers_with_other_groups_asked(index: Path, tmp_path: Path) -> None:
    paid = []
    for groups in (None, ("g0",), ("g1",), ("g0",)):
        chat = parrot()
        asyncio.run(_asked(_context(index, groups=groups, strategy="direct"), tmp_path))
        paid.append(bool(chat.shown))
    assert paid == [True, True, True, False]


def test_every_tool_of_the_mcp_server_keeps_to_its_caller(index: Path) -> None:
    chat, told = parrot(), list[str]()
    ids = [document.id for document in _DOCUMENTS]
    calls = {
        "ask": [{"question": QUESTION, "strategy": name} for name in ("every", "local")],
        "continue_thread": [{"thread_id": "bob/1", "question": QUESTION}],
        "list_strategies": [{}],
        "search": [{"query": QUESTION}],
        "fetch": [{"id": name} for name in ids],
        "find_in_document": [{"document": name, "words": "bridge"} for name in ids],
        "open_pages": [{"id": name} for name in ids],
    }
    with TestClient(_mcp(index), base_url="http://127.0.0.1:8000") as client:
        assert client.post("/mcp", json={}).status_code == 401
        assert client.get("/ok").status_code == 404  # LangGraph's server answers there
        client.headers |= {"authorization": f"Bearer {_ANN.token}"}
        listed = _said(client, "tools/list", {})
        assert {tool["name"] for tool in listed["result"]["tools"]} == {*calls}
        for name, arguments in calls.items():
            for given in arguments:
                told.append(json.dumps(_said(client, "tools/call", name=name, arguments=given)))
    assert words_in(*chat.shown) == {WORDS[0]}
    # An error repeats the id that it was asked for.
    assert {word for text in told for word in re.findall("|".join(WORDS), text)} == {WORDS[0]}


def test_a_server_with_groups_continues_only_threads_of_these_groups(index: Path) -> None:
    asked = {"question": QUESTION, "thread_id": "begun"}
    said = []
    for groups, tool in ((None, "ask"), (("g0",), "continue_thread")):
        chat = parrot()
        context = _context(index, groups=groups, strategy="direct")
        app = mcp_server(lambda held=context: held).streamable_http_app(stateless_http=True)
        with TestClient(app, base_url="http://127.0.0.1:8000") as client:
            said.append(_said(client, "tools/call", name=tool, arguments=asked)["result"])
    assert [result["isError"] for result in said] == [False, True]
    assert not chat.shown


_ANN: Final = Person(name="ann", token="the token of Ann", groups=("g0",))  # noqa: S106


def _mcp(index: Path) -> Starlette:
    app = mcp_server(lambda: _context(index)).streamable_http_app(stateless_http=True)
    app.add_middleware(PeopleOnly, people=[_ANN])
    return app


def _said(client: TestClient, method: str, params: Any = None, **named: Any) -> dict[str, Any]:
    asked = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params or named}
    kinds = {"accept": "application/json, text/event-stream"}
    answer = client.post("/mcp", json=asked, headers=kinds)
    line = next(line for line in answer.text.splitlines() if line.startswith("data: {"))
    said: dict[str, Any] = json.loads(line.removeprefix("data: "))
    return said
