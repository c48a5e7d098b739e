"""A sample of each format goes in with one command, and arrives with sections, pages, metadata."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from model_server import WordEmbedder

from hopyard.cli.main import main
from hopyard.indexes.corpus.records import Passage
from hopyard.indexes.index import Index
from hopyard.models.embeddings import register_embedder

OFFICE = Path(__file__).parents[2] / "examples" / "office"

QUESTIONS = [
    json.loads(line) for line in (OFFICE / "questions.jsonl").read_text("utf-8").splitlines()
]

pytest.importorskip("reportlab")
pytest.importorskip("docx")


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("office") / "samples"
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(OFFICE))
        import make  # type: ignore[import-not-found]

        make.make(folder)
        yield folder
        for name in ("make", "content", "papers"):
            sys.modules.pop(name)


def hopyard(*arguments: object, home: Path) -> dict[str, Any]:
    """What a command prints with --json."""
    printed = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit) as ended:
        patch.setenv("HOPYARD_HOME", str(home))
        patch.setattr(sys, "argv", ["hopyard", *map(str, arguments), "--json"])
        patch.setattr(sys, "stdout", printed)
        main()
    assert ended.value.code == 0
    result: dict[str, Any] = json.loads(printed.getvalue())
    return result


@pytest.fixture(scope="module")
def built(samples: Path) -> tuple[dict[str, Any], Path]:
    """What the one command reports, and the index."""
    register_embedder("words", WordEmbedder())
    directory = samples.parent / "index"
    command = ("index", "build", samples, "--out", directory, "--embedding", "words")
    return hopyard(*command, home=samples.parent / "home"), directory


@pytest.fixture(scope="module")
def readable(samples: Path) -> Path:
    """An index of what the recorded answers were searched in."""
    directory = samples.parent / "readable"
    command = ("index", "build", samples, "--out", directory, "--with", "sparse,tables")
    hopyard(*command, home=samples.parent / "home")
    return directory


@pytest.mark.parametrize("row", QUESTIONS, ids=[row["id"] for row in QUESTIONS])
def test_a_capable_model_answers_with_the_right_source_section_and_page(
    row: dict[str, Any], readable: Path
) -> None:
    model = f"recorded:{OFFICE / 'recording'}"
    settings = ("--index", readable, "--model", model, "--style", "short", "--search", "sparse")
    answer = hopyard("ask", row["question"], *settings, home=readable.parent / "home")

    given = answer["answer"].casefold()
    assert any(gold.removesuffix(" kg").casefold() in given for gold in row["answers"])
    cited = [each for each in answer["citations"] if each["supported"]]
    places = {(each["source"], each["section"], each["pages"]) for each in cited}
    assert places == {(f"samples/{row['source']}", row["section"], row["page"])}


@pytest.fixture(scope="module")
def passages(built: tuple[dict[str, Any], Path]) -> dict[str, list[Passage]]:
    """Passages by the source of their document, in order."""
    found: dict[str, list[Passage]] = {}
    with Index.open(built[1], WordEmbedder()) as index:
        sources = {each.id: each.source for each in index.corpus.documents()}
        for passage in sorted(index.corpus.passages(), key=lambda each: each.position):
            source = sources[passage.document_id].removeprefix("samples/")
            found.setdefault(source, []).append(passage)
    return found


def test_what_is_left_out_is_named(built: tuple[dict[str, Any], Path]) -> None:
    report, _ = built
    assert report["bad"] == []
    assert report["incomplete"] == []
    assert report["left_out"] == {
        "running line": 8, "menu": 1, "footer": 1, "surrounding part": 1,
    }  # fmt: skip
    assert {Path(each["place"]).name: each["reason"] for each in report["skipped"]} == {
        "lagerplan.pdf › page 2": "scanned, without text; "
        "--ocr eng+deu reads English and German text",
        "logo.png": ".png files are not read: save it as .pdf for --ocr",
    }


@pytest.mark.parametrize("row", QUESTIONS, ids=[row["id"] for row in QUESTIONS])
def test_a_passage_of_source_section_and_page_has_the_answer(
    row: dict[str, Any], passages: dict[str, list[Passage]]
) -> None:
    holding = [
        each
        for each in passages[row["source"]]
        if (each.section, each.pages) == (row["section"], row["page"])
    ]
    words = set(row["answers"][0].removesuffix(" Euro").removesuffix(" €").split())
    words -= {"euro", "Euro", "Tausend", "am", "May"}
    assert any(all(word in each.text for word in words) for each in holding), holding


ABOUT: dict[str, tuple[str, dict[str, object]]] = {
    "handbook.docx": ("Staff Handbook", {"author": "Ruth Pell", "date": "2025-02-03"}),
    "roadmap.pptx": ("Roadmap 2026", {"author": "Jonas Brandt", "date": "2025-02-03"}),
    "stock.xlsx": ("Stock", {"author": "Seo Ha-rin", "date": "2025-02-03"}),
    "protokoll.odt": (
        "Protokoll der Vorstandssitzung",
        {"author": "Jonas Brandt", "date": "2025-12-05"},
    ),
    "mietvertrag.rtf": ("Mietvertrag", {"author": "Jonas Brandt"}),
    "jahresbericht.pdf": ("Jahresbericht 2024", {"author": "Jonas Brandt", "date": "2000-01-01"}),
    "about.html": ("다산차 협동조합 소개", {"author": "오경란"}),
    "history.epub": ("A Short History", {"author": "Oh Gyeong-ran", "date": "2024-05-01"}),
    "letter.msg": ("Your bowls", {"author": "Ilse Tamm <ilse@tamm.example>"}),
    "tasting.ipynb": ("Tasting scores", {}),
    "preise.csv": ("preise", {}),
    "근무표.tsv": ("근무표", {}),
    "reorder.py": ("reorder", {}),
    "archive.zip › recipes/biscuits.md": ("Tea biscuits", {}),
    "beschwerde.eml": (
        "Fehlende Kartons",
        {
            "author": "Marlene Voß <voss@lindenhof.example>",
            "to": "bremen@dasan.example",
            "date": "2025-06-05T08:15:00+02:00",
            "date_utc": "2025-06-05T06:15:00+00:00",
        },
    ),
    "brewing.md": (
        "차 우리는 법",
        {
            "author": "서하린",
            "date": "2025-03-20",
            "topic": "brewing",
            "tags": "green tea, barley tea",
        },
    ),
}


@pytest.mark.parametrize("source", ABOUT)
def test_title_and_metadata_arrive(source: str, passages: dict[str, list[Passage]]) -> None:
    first = passages[source][0]
    assert (first.title, first.metadata) == ABOUT[source]


def test_text_arrives_in_every_language_and_encoding(passages: dict[str, list[Passage]]) -> None:
    texts = {source: "\n\n".join(each.text for each in found) for source, found in passages.items()}
    assert "der grünen Tür" in texts["notiz.txt"]  # Latin-1
    assert "한글날에는 보성 사무소가" in texts["공지.txt"]  # UTF-16
    assert "| Teeschale „Möwe“ | Stück | 23,00 |" in texts["preise.csv"]  # CP1252
    assert "| 서하린 | 수요일 | 보성 2창고 |" in texts["근무표.tsv"]
    assert "ready on 9 January" in texts["letter.msg"]
    assert "powdered Daejak" in texts["archive.zip › recipes/biscuits.md"]
    assert "stock_kg < max(REORDER_AT_KG" in texts["reorder.py"]
    assert "lends half of the sum" in texts["roadmap.pptx"]
    assert "Blue Heron" in texts["deliveries.jsonl"]


def test_what_stands_around_a_text_does_not_arrive(passages: dict[str, list[Passage]]) -> None:
    page = " ".join(each.text for each in passages["about.html"])
    assert not any(word in page for word in ("로그인", "쿠키", "이용약관"))
    report = " ".join(each.text for each in passages["jahresbericht.pdf"])
    assert not any(words in report for words in ("Seite 2", "Genossenschaft Dasan eG", "·"))


def test_columns_are_read_one_after_the_other(passages: dict[str, list[Passage]]) -> None:
    harvest, store = (
        each for each in passages["jahresbericht.pdf"] if each.section in ("Ernte", "Lager")
    )
    assert " ".join(harvest.text.split()).endswith("Ausgleich von 40 Euro je Ar.")
    assert store.text.startswith("Das Lager in Bremen")


def test_a_long_sheet_repeats_its_header(passages: dict[str, list[Passage]]) -> None:
    parts = [each for each in passages["stock.xlsx"] if each.section == "Teas"]
    assert len(parts) > 1
    assert all(each.text.startswith("| SKU | Tea | Origin | Stock (kg) |\n") for each in parts)
    assert sum(each.text.count("| T-") for each in parts) == 60


def test_the_samples_are_the_same_every_time(samples: Path, tmp_path: Path) -> None:
    import make

    for path in make.make(tmp_path / "again"):
        # The libraries of Word and PowerPoint stamp their ZIP entries; a mail has a random border.
        if path.suffix not in (".docx", ".pptx", ".eml"):
            assert path.read_bytes() == (samples / path.name).read_bytes(), path.name
