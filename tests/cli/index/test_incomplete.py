"""A document that lacks words of its file is named, and what is left out on purpose is shown."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import pytest
from model_server import WordEmbedder

from hopyard.agent.building import build_index

from ..conftest import Run

OPF = """<package xmlns="http://www.idpf.org/2007/opf"><metadata/><manifest>
<item id="one" href="one.xhtml" media-type="application/xhtml+xml"/>
</manifest><spine><itemref idref="one"/></spine></package>"""
CONTAINER = """<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
<rootfile full-path="book.opf"/></rootfiles></container>"""
SAID = 'kept 70 % of the words; not read: chapter "two.xhtml"'


@pytest.fixture(autouse=True)
def files(folder: Path) -> Path:
    """A book with a page that its package does not list, and a page with menus."""
    docs = folder / "docs"
    docs.mkdir()
    with zipfile.ZipFile(docs / "book.epub", "w") as book:
        book.writestr("META-INF/container.xml", CONTAINER)
        book.writestr("book.opf", OPF)
        book.writestr(
            "one.xhtml", "<html><body><p>Seven words of the first page.</p><p>x</p></body></html>"
        )
        book.writestr("two.xhtml", "<html><body><p>Three more words.</p></body></html>")
    menu = "<nav>Home Shop</nav>"
    (docs / "page.html").write_text(f"<body>{menu}<p>Tea is sold on board.</p>{menu}</body>")
    return docs


def test_a_build_names_what_is_lost_and_counts_what_is_left_out(hopyard: Run, files: Path) -> None:
    build = ("index", "build", files, "--out", "i", "--with", "sparse")
    ended = hopyard(*build)
    assert ended.code == 0
    assert f"incomplete {files}/book.epub: {SAID}" in ended.err
    assert "left out on purpose: 2 menus; `hopyard index show i DOCUMENT --texts`" in ended.err

    report = hopyard(*build, "--json").json
    [lost] = report["incomplete"]
    assert lost == {
        "place": f"{files}/book.epub", "said": SAID, "words": 10, "share": 0.7, "lost": 3,
        "gained": 0, "places": ['chapter "two.xhtml"'], "examples": ["words", "three", "more"],
        "new": [],
    }  # fmt: skip
    assert report["left_out"] == {"menu": 2}


def test_a_dry_run_says_the_same(
    hopyard: Run, files: Path, words: WordEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOPYARD_EMBEDDING", "words")
    build = ("index", "build", files, "--out", "i", "--with")
    ended = hopyard(*build, "entity-graph", "--dry-run")
    assert f"incomplete {files}/book.epub: {SAID}" in ended.err
    assert hopyard(*build, "sparse", "--skip-bad").code == 0
    os.utime(files / "book.epub", (0, 0))
    (files / "page.html").write_text("<body><nav>Home Shop</nav><p>Tea is sold.</p></body>")
    sync = hopyard("index", "sync", "i", files, "--dry-run", "--json").json
    assert (sync["documents"]["updated"], sync["left_out"]) == (["docs/page.html"], {"menu": 1})


def test_show_says_what_a_document_lacks(hopyard: Run, files: Path) -> None:
    hopyard("index", "build", files, "--out", "i", "--with", "sparse")
    assert SAID in " ".join(hopyard("index", "show", "i", "book.epub").out.split())
    page = " ".join(hopyard("index", "show", "i", "page.html").out.split())
    assert "left out 2 menus" in page
    assert "Home Shop" not in page
    whole = " ".join(hopyard("index", "show", "i", "page.html", "--texts").out.split())
    assert "menu Home Shop (2 times)" in whole
    reading = hopyard("index", "show", "i", "page.html", "--json").json["reading"]
    assert reading["said"] == ""
    assert reading["left_out_texts"] == [{"kind": "menu", "text": "Home Shop", "times": 2}]


def test_a_file_that_lacks_nothing_any_more(hopyard: Run, files: Path) -> None:
    hopyard("index", "build", files, "--out", "i", "--with", "sparse")
    (files / "page.html").write_text("<body><p>Tea is sold on board.</p></body>")
    assert hopyard("index", "add", "i", files / "page.html", "--json").json["documents"]["updated"]
    assert hopyard("index", "show", "i", "page.html", "--json").json["reading"] == {}


def test_python_gets_the_same(hopyard: Run, files: Path) -> None:
    report = build_index("i", files, kinds=["sparse"])
    assert [str(item) for item in report.incomplete] == [f"{files}/book.epub: {SAID}"]
