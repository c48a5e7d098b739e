"""`hopyard search`: the evidence, and never a model call."""

from __future__ import annotations

from pathlib import Path

import pytest
from building import build
from model_server import ModelServer, WordEmbedder

from hopyard.indexes.corpus.records import Document
from hopyard.indexes.search import SEARCHES, Search, SearchMethod
from hopyard.models import chat
from hopyard.state.errors import UsageError
from hopyard.state.schemas import Evidence, passage_evidence

from .conftest import CORPUS, QUESTION, Run


@pytest.fixture(autouse=True)
def _no_model_is_asked(model: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """The model is not even opened."""

    def provider(spec: str) -> None:
        raise AssertionError(f"the chat model {spec} was opened")

    monkeypatch.setattr(chat, "chat_provider", provider)
    monkeypatch.setattr("hopyard.nodes.resources.chat_provider", provider)


def test_the_evidence_is_shown_best_first(hopyard: Run, index: Path) -> None:
    ended = hopyard("search", QUESTION, "--index", index, "--search", "dense")
    assert (ended.code, ended.err) == (0, "")
    lines = ended.out.splitlines()
    assert lines[0].split() == ["1", lines[0].split()[1], "Mars"]
    assert lines[1].strip() == CORPUS["mars"]
    assert [line.split()[0] for line in lines[::2]] == ["1", "2", "3"]
    scores = [float(line.split()[1]) for line in lines[::2]]
    assert scores == sorted(scores, reverse=True)


def test_json_has_the_evidence_and_its_passages(hopyard: Run, index: Path) -> None:
    found = hopyard("search", QUESTION, "-i", index, "--search", "sparse", "-k", "1", "--json").json
    assert list(found) == ["text", "search", "problem", "evidence"]
    assert (found["text"], found["search"]) == (QUESTION, "sparse")
    [unit] = found["evidence"]
    assert (unit["kind"], unit["id"]) == ("passage", "mars")
    assert unit["score"] > 0
    assert unit["passages"] == ["mars"]
    assert unit["sources"] == [
        {
            "passage_id": "mars",
            "reference": "Mars",
            "document_id": "mars",
            "title": "Mars",
            "source": "",
            "section": "",
            "pages": "",
            "position": 0,
            "metadata": {},
            "text": CORPUS["mars"],
        }
    ]


def test_the_settings_choose_the_search(
    hopyard: Run, index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert hopyard("search", QUESTION, "-i", index, "--json").json["search"] == "hybrid"
    monkeypatch.setenv("HOPYARD_RETRIEVAL__METHOD", "sparse")
    assert hopyard("search", QUESTION, "-i", index, "--json").json["search"] == "sparse"
    options = ("--search", "mmr", "--set", "retrieval.mmr_lambda=0.1", "--json")
    diverse = hopyard("search", QUESTION, "-i", index, *options).json["evidence"]
    plain = hopyard("search", QUESTION, "-i", index, "--search", "mmr", "--json").json["evidence"]
    assert [unit["score"] for unit in diverse] != [unit["score"] for unit in plain]


@pytest.mark.parametrize(
    ("method", "cure"), [("rerank", "cross-encoder"), ("expand", "choose another search")]
)
def test_a_search_that_asks_the_chat_model_is_refused(
    hopyard: Run, index: Path, method: str, cure: str
) -> None:
    chosen = ("--search", method, "--set", "rerank.model=chat")
    ended = hopyard("search", QUESTION, "-i", index, *chosen)
    assert (ended.code, ended.out) == (2, "")
    assert cure in ended.error


def test_units_that_are_no_passages_are_shown_with_theirs(hopyard: Run, index: Path) -> None:
    async def find(search: Search) -> list[Evidence]:
        return [Evidence(kind="summary", id="s-1", score=0.5, passages=["venus", "mars"])]

    SEARCHES.register(SearchMethod("summaries", "Summaries.", find))
    try:
        arguments = ("search", "moons", "-i", index, "--search", "summaries")
        shown, found = hopyard(*arguments).out, hopyard(*arguments, "--json").json
    finally:
        SEARCHES.unregister("summaries")
    assert "Venus, Mars summary s-1" in " ".join(shown.split())
    assert CORPUS["venus"][:40] in shown
    [unit] = found["evidence"]
    assert (unit["kind"], unit["id"]) == ("summary", "s-1")
    assert [source["title"] for source in unit["sources"]] == ["Venus", "Mars"]


def test_why_a_passage_was_found_is_shown(hopyard: Run, index: Path) -> None:
    async def find(search: Search) -> list[Evidence]:
        unit = passage_evidence("mars", 0.5)
        return [Evidence(**{**unit, "why": "Phobos\x1b"}), passage_evidence("venus", 0.4)]

    SEARCHES.register(SearchMethod("reasons", "With reasons.", find))
    try:
        arguments = ("search", "moons", "-i", index, "--search", "reasons")
        shown, found = hopyard(*arguments).out, hopyard(*arguments, "--json").json
    finally:
        SEARCHES.unregister("reasons")
    lines = [line.strip() for line in shown.splitlines()]
    assert lines[1:3] == ["why: Phobos", CORPUS["mars"]]
    assert lines[4:] == [CORPUS["venus"]]
    assert [unit.get("why") for unit in found["evidence"]] == ["Phobos\x1b", None]


def test_a_search_that_finds_nothing_says_so(hopyard: Run, index: Path) -> None:
    ended = hopyard("search", "zzz", "-i", index, "--search", "sparse")
    assert (ended.code, ended.out) == (0, "Nothing was found.\n")
    assert (
        hopyard("search", "zzz", "-i", index, "--search", "sparse", "--json").json["evidence"] == []
    )


def test_a_passage_cannot_steer_the_terminal(hopyard: Run, tmp_path: Path) -> None:
    text = "Mars [bold]has\x1b[2J two\nmoons. " + "word " * 100
    build([Document("a", "T\x07[red]", text)], directory=tmp_path / "x", embedder=WordEmbedder())
    out = hopyard("search", "moons", "-i", tmp_path / "x").out
    assert "\x1b" not in out
    assert "\x07" not in out
    assert "T[red]" in out
    assert "Mars [bold]has[2J two moons." in out
    assert out.rstrip().endswith("…")


@pytest.mark.parametrize(
    ("arguments", "code", "named"),
    [
        ((QUESTION,), 2, "--index DIR"),
        ((QUESTION, "-i", "nowhere"), 3, "hopyard index build"),
        ((" \n ", "-i", "INDEX"), 2, "empty"),
        (("x" * 5000, "-i", "INDEX"), 2, "at most 4000"),
        ((QUESTION, "-i", "INDEX", "--search", "divining"), 2, "'divining'"),
        ((QUESTION, "-i", "INDEX", "-k", "101"), 2, "'retrieval.k'"),
        ((QUESTION, "-i", "INDEX", "--embedding", "embedded"), 3, "--embedding words"),
    ],
)
def test_an_error_is_one_sentence_and_an_exit_code(
    hopyard: Run, index: Path, arguments: tuple[str, ...], code: int, named: str
) -> None:
    given = [str(index) if argument == "INDEX" else argument for argument in arguments]
    ended = hopyard("search", *given, "--json")
    assert (ended.code, ended.out) == (code, "")
    assert named in ended.error


def test_a_kind_that_is_missing_is_named_with_what_adds_it(hopyard: Run, tmp_path: Path) -> None:
    documents = [Document("mars", "Mars", CORPUS["mars"])]
    build(documents, directory=tmp_path / "x", embedder=WordEmbedder(), kinds=["sparse"])
    assert hopyard("search", "moons", "-i", tmp_path / "x", "--search", "sparse").code == 0
    assert hopyard("search", "moons", "-i", tmp_path / "x", "--search", "hybrid").code == 0
    ended = hopyard("search", "moons", "-i", tmp_path / "x", "--search", "dense")
    assert ended.code == 3
    assert "no dense part" in ended.error
    assert "--with sparse,dense" in ended.error


def test_a_search_without_embedding_embeds_nothing(
    hopyard: Run, index: Path, words: WordEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def embed(text: str) -> None:
        raise UsageError("it was embedded")

    monkeypatch.setattr(words, "embed_query", embed)
    assert hopyard("search", QUESTION, "-i", index, "--search", "sparse").code == 0
    assert hopyard("search", QUESTION, "-i", index, "--search", "dense").code == 2


def test_only_passages_that_fit_the_filter_are_found(hopyard: Run, index: Path) -> None:
    arguments = ("search", QUESTION, "-i", index, "--search", "hybrid", "--json")
    everything = hopyard(*arguments).json["evidence"]
    filtered = hopyard(*arguments, "--where", "title!=Mars").json["evidence"]
    assert "mars" in [unit["id"] for unit in everything]
    assert filtered
    assert "mars" not in [unit["id"] for unit in filtered]

    nothing = hopyard(*arguments, "--where", "title=Mars", "--where", "title!=Mars")
    assert nothing.json["evidence"] == []
    assert nothing.err == "No passage of the index matches title=Mars and title!=Mars.\n"


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("planet=Mars", "No passage of the index has the field 'planet' that a filter names"),
        ("title", "The setting 'where' is not usable: 'title' is not a condition"),
    ],
)
def test_a_filter_that_cannot_be_used_says_why(
    hopyard: Run, index: Path, where: str, message: str
) -> None:
    ended = hopyard("search", QUESTION, "-i", index, "--where", where)
    assert ended.code == UsageError.exit_code
    assert message in " ".join(ended.err.split())
