"""Every Python snippet of README.md and docs/ runs, with a scripted model and without network.

The snippets of a page run in their order and share their names. A snippet that cannot run stands
after `<!-- not run: REASON -->`; a file of examples/, which other tests run, after
`<!-- file: PATH -->`.
"""

from __future__ import annotations

import ast
import asyncio
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, NamedTuple

import pytest
from building import build
from model_server import ModelServer, WordEmbedder, scripted_provider

from hopyard.indexes.corpus.records import Document
from hopyard.models import chat, embeddings

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    page
    for folder in (ROOT, ROOT / "docs", ROOT / "examples")
    for page in (folder.glob("*.md") if folder == ROOT else folder.rglob("*.md"))
)
SNIPPET = re.compile(
    r"(?:^<!-- (?P<mark>not run|file): (?P<why>[^\n]+?) -->\n\s*)?^```python\n(?P<code>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
MODEL = re.compile(r'"((?:openai|ollama|anthropic):[^"]+)"')
MOST_NOT_RUN = 4


class Snippet(NamedTuple):
    """A block of Python on a page."""

    code: str
    line: int
    mark: str
    why: str


def snippets(text: str) -> list[Snippet]:
    return [
        Snippet(
            found["code"],
            text[: found.start("code")].count("\n"),
            found["mark"] or "",
            found["why"] or "",
        )
        for found in SNIPPET.finditer(text)
    ]


def compiled(snippet: Snippet, page: str) -> CodeType:
    """The snippet, with its lines counted as in the page; `await` may stand outside a function."""
    code = "\n" * snippet.line + snippet.code
    return compile(code, page, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)


def run(code: CodeType, names: dict[str, Any]) -> None:
    result = FunctionType(code, names)()
    if inspect.iscoroutine(result):
        asyncio.run(result)


ANSWERS: dict[str, dict[str, Any]] = {
    "ChainStep": {
        "thought": "",
        "findings": [{"fact": "He was born in Streator.", "passage": 1}],
        "kind": "answer",
        "searches": [],
        "unconfirmed": "",
        "answer": "Streator [1]",
    },
    "Answer": {"thought": "", "answer": "Streator", "passages": [1]},
    "StandAlone": {"kind": "question", "question": "Where was Clyde Tombaugh born?"},
    "Split": {"thought": "", "complete": True, "relevant": True, "sub_questions": []},
    "Closing": {"thought": "", "answer": "Streator [1]", "again": [], "unconfirmed": ""},
}

DOCUMENTS = [
    Document("tombaugh", "Clyde Tombaugh", "Clyde Tombaugh discovered Pluto in 1930."),
    Document("streator", "Streator", "Clyde Tombaugh was born in Streator, Illinois."),
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: WordEmbedder) -> Iterator[Path]:
    """Where a reader may have started: an index, documents, and models that answer."""
    with ModelServer(lambda title, _: ANSWERS[title]) as server:
        for name, value in server.environment().items():
            if name != "HOPYARD_PROFILE":
                monkeypatch.setenv(name, value)
        texts = "\n".join(page.read_text("utf-8") for page in PAGES)
        for model in {"builtin", *MODEL.findall(texts)}:
            provider = scripted_provider(server, identity=model)
            monkeypatch.setitem(chat._registered, model, provider)
            if model != "builtin":  # the gate and the index have its vectors
                monkeypatch.setitem(embeddings._registered, model, words)
        monkeypatch.setenv("HOPYARD_PROFILE", "capable")
        monkeypatch.chdir(tmp_path)
        for name in ("docs", "my-folder"):
            (tmp_path / name).mkdir()
            (tmp_path / name / "pluto.md").write_text("Pluto was discovered in 1930.", "utf-8")
        build(DOCUMENTS, directory=tmp_path / "my-index", embedder=embeddings.embedder("builtin"))
        yield tmp_path


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if any(not each.mark for each in snippets(page.read_text("utf-8")))],
    ids=lambda page: page.relative_to(ROOT).as_posix(),
)
def test_the_snippets_of_a_page_run(page: Path, folder: Path) -> None:
    names: dict[str, Any] = {"__name__": "__main__"}
    for snippet in snippets(page.read_text("utf-8")):
        if not snippet.mark:
            run(compiled(snippet, str(page)), names)


def test_snippets_that_cannot_run_are_few_and_say_why() -> None:
    marked = [
        (page.name, snippet)
        for page in PAGES
        for snippet in snippets(page.read_text("utf-8"))
        if snippet.mark
    ]
    not_run = [(page, snippet) for page, snippet in marked if snippet.mark == "not run"]
    assert len(not_run) <= MOST_NOT_RUN, not_run
    for page, snippet in not_run:
        compiled(snippet, page)
        assert len(snippet.why.split()) > 2
    for _, snippet in marked:
        if snippet.mark == "file":
            assert (ROOT / snippet.why).read_text("utf-8") == snippet.code


def test_a_snippet_that_fails_is_found(folder: Path) -> None:
    (snippet,) = snippets("Text.\n\n```python\nfrom hopyard.agent import no_such_name\n```\n")
    with pytest.raises(ImportError):
        run(compiled(snippet, "page"), {})


def test_marks_belong_to_the_next_snippet() -> None:
    page = "<!-- not run: it needs a server -->\n```python\na\n```\n\n```python\nb\n```\n"
    assert [(found.mark, found.code) for found in snippets(page)] == [
        ("not run", "a\n"),
        ("", "b\n"),
    ]
