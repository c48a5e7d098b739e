"""How many words readers keep, in what order, and how fast: ours beside other programs'.

    python benchmarks/reading.py                         # the samples of examples/office
    python benchmarks/reading.py --pdfs ../shared/data   # also the PDFs of the data sets
    python benchmarks/reading.py --libraries FOLDER      # also programs that are installed there

The words of a file are those that `indexes/documents/kept` finds without any reader. `kept` is the
share of them that a text has. `order` is the share of the common words that are in the same order
(the longest common subsequence, by blocks: `difflib`). A program's time is the shortest of
three runs, all in one process, one after the other. markitdown, docx2python and unstructured are
measured if they can be imported. Writes `benchmarks/results/reading.json`.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from difflib import SequenceMatcher
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from hopyard.indexes.documents.kept.compare import FileWords, compare
from hopyard.indexes.documents.kept.kept import Kept
from hopyard.indexes.documents.kept.table import EXTRACTORS, kept_of
from hopyard.indexes.documents.kept.words import words_in_order
from hopyard.indexes.documents.readers.base import Content, Source
from hopyard.indexes.documents.readers.table import format_of

ROOT: Final = Path(__file__).resolve().parents[1]
RESULTS: Final = ROOT / "benchmarks" / "results" / "reading.json"
REPEATS: Final = 3
PLUMBED: Final = 10
"""Pages of each PDF that pdfplumber reads, at most: it needs a second for a few."""
OFFICE: Final = (".docx", ".pptx", ".xlsx")
OTHERS: Final = ("markitdown", "docx2python", "unstructured")


class Recorded(FileWords):
    """Keeps the texts that an extractor finds, in their order."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def text(self, text: str, place: str = "") -> None:
        """Add a text."""
        self.texts.append(text)
        super().text(text, place)


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pdfs", type=Path, help="a folder with PDFs, in any subfolder")
    parser.add_argument("--peak", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--libraries", type=Path, help="a folder of `pip install --target`")
    options = parser.parse_args()
    if options.libraries:
        sys.path.append(str(options.libraries))
    if options.peak:
        print(peak_megabytes(options.peak))
        return
    warnings.simplefilter("ignore")
    os.environ["UNSTRUCTURED_DISABLE_NOTICE"] = "1"
    with tempfile.TemporaryDirectory() as folder:
        samples = Path(folder) / "samples"
        made = [sys.executable, str(ROOT / "examples" / "office" / "make.py"), str(samples)]
        subprocess.run(made, check=True, stdout=subprocess.DEVNULL)
        rows = [*sample_rows(samples)]
        office = [*office_rows(samples)]
    found: dict[str, Any] = {
        "command": " ".join(["python", "benchmarks/reading.py", *sys.argv[1:]]),
        "machine": f"{os.cpu_count()} cores, {platform.machine()}",
        "samples": rows,
        "office": office,
        "not_installed": [name for name in OTHERS if not importlib.util.find_spec(name)],
    }
    if options.pdfs:
        found["pdfs"] = pdf_rows(sorted(options.pdfs.rglob("*.pdf")))
    RESULTS.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")


class Read(NamedTuple):
    """A file by Hopyard's reader.

    Attributes:
        text: The text.
        about: The title and the metadata.
        source: The file, with the reader's notes.
    """

    text: str
    about: str
    source: Source

    def compared(self) -> Kept | None:
        """The comparison with the file."""
        kind = format_of(self.source.name)
        return kept_of(self.source, kind.suffixes[0], self.text, self.about) if kind else None


def ours(path: Path) -> Read:
    """A file by Hopyard's reader."""
    source = Source(path.name, partial(path.open, "rb"))
    kind = format_of(path.name)
    for found in kind.read(source) if kind else ():
        if isinstance(found, Content):
            about = " ".join(("title", found.title, *map(str, found.metadata.items())))
            return Read("".join(found.text), about, source)
    return Read("", "", source)


def sample_rows(samples: Path) -> Iterator[dict[str, Any]]:
    """The words that Hopyard keeps of each sample."""
    for path in sorted(samples.rglob("*.*")):
        kind = format_of(path.name)
        if kind is None or kind.suffixes[0] not in EXTRACTORS:
            continue
        seconds, read = shortest(partial(ours, path))
        comparing, kept = shortest(read.compared)
        row = {"file": path.name, "words": len(words_in_order(read.text)), "kept": 1.0}
        if kept:
            row |= {"words": kept.words, "kept": round(kept.share, 4), "gained": kept.gained}
            row["left_out"] = dict(kept.left_out_counts)
        yield shown({**row, "seconds": round(seconds, 4), "comparison": round(comparing, 4)})


def office_rows(samples: Path) -> Iterator[dict[str, Any]]:
    """The words that several programs keep of the office files."""
    programs = {"hopyard": lambda path: ours(path).text, **others()}
    for path in sorted(each for each in samples.rglob("*") if each.suffix in OFFICE):
        found = Recorded()
        EXTRACTORS[path.suffix](Source(path.name, partial(path.open, "rb")), found)
        in_file = words_in_order("\n".join(found.texts))
        for name, read in programs.items():
            if name == "docx2python" and path.suffix != ".docx":
                continue
            try:
                seconds, text = shortest(partial(read, path))
            except Exception as error:  # each program fails in its own way
                reason = " ".join(str(error).split())[:120]
                yield shown({"file": path.name, "program": name, "error": reason})
                continue
            kept = compare(found, [text])
            own = words_in_order(text)
            same = SequenceMatcher(None, in_file, own, autojunk=False).get_matching_blocks()
            both = sum((Counter(in_file) & Counter(own)).values())
            yield shown({
                "file": path.name, "program": name, "kept": round(kept.share, 4),
                "order": round(sum(block.size for block in same) / max(both, 1), 4),
                "seconds": round(seconds, 4),
            })  # fmt: skip


def others() -> Mapping[str, Callable[[Path], str]]:
    """The other programs that can be imported."""
    found: dict[str, Callable[[Path], str]] = {}
    if importlib.util.find_spec("markitdown"):
        from markitdown import MarkItDown

        found["markitdown"] = lambda path: str(MarkItDown().convert(str(path)).text_content)
    if importlib.util.find_spec("docx2python"):
        from docx2python import docx2python

        found["docx2python"] = lambda path: str(docx2python(path).text)
    if importlib.util.find_spec("unstructured"):
        from unstructured.partition.auto import partition

        found["unstructured"] = lambda path: "\n\n".join(map(str, partition(filename=str(path))))
    return found


def pdf_rows(files: list[Path]) -> dict[str, Any]:
    """Seconds and words of PDFs: PDFium alone, Hopyard with and without comparing, pdfplumber."""
    rows = []
    has_plumber = importlib.util.find_spec("pdfplumber") is not None
    for path in files:
        times: dict[str, list[float]] = {"pdfium": [], "hopyard": [], "comparison": []}
        for _ in range(REPEATS):
            times["pdfium"].append(timed(partial(pdfium_text, path))[0])
            took, read = timed(partial(ours, path))
            times["hopyard"].append(took)
            took, kept = timed(read.compared)
            times["comparison"].append(took)
        plumbing, pages = timed(partial(plumbed, path)) if has_plumber else (0.0, 0)
        rows.append(shown({
            "file": path.name, "folder": path.parts[-3], "pages": len(read.source.notes.pages),
            "words": kept.words, "kept": round(kept.share, 4), "gained": kept.gained,
            **{name: round(min(some), 3) for name, some in times.items()},
            "pdfplumber": round(plumbing, 3), "pdfplumber_pages": pages,
        }))  # fmt: skip
    pages = sum(row["pages"] for row in rows)
    total = {name: sum(row[name] for row in rows) for name in ("pdfium", "hopyard", "comparison")}
    speed = {
        f"{name}_pages_a_second": round(pages / total[name], 1) for name in ("pdfium", "hopyard")
    }
    plumbing = sum(row["pdfplumber"] for row in rows)
    few = sum(row["pdfplumber_pages"] for row in rows) / plumbing if plumbing else 0.0
    long = [row for row in rows if "financebench" in row["folder"]] or rows
    reports = round(sum(row["hopyard"] for row in long) / sum(row["pdfium"] for row in long), 2)
    longest = max(files, key=lambda path: path.stat().st_size)
    peak = [sys.executable, __file__, "--peak"]
    empty = Path(tempfile.mkdtemp()) / "empty.txt"
    empty.write_text("x")
    return shown({
        "files": len(rows), "pages": pages, "least_kept": min(row["kept"] for row in rows), **speed,
        "reports_times_pdfium": reports,
        "pdfplumber_pages_a_second": round(few, 1),
        "times_pdfium": round(total["hopyard"] / total["pdfium"], 2),
        "comparison_share": round(total["comparison"] / total["hopyard"], 3),
        "peak_megabytes": measured([*peak, str(longest)]),
        "peak_megabytes_without_pdf": measured([*peak, str(empty)]),
        "each": rows,
    })  # fmt: skip


def peak_megabytes(path: Path) -> int:
    """The most memory of a process that reads a file page by page and keeps no text."""
    source = Source(path.name, partial(path.open, "rb"))
    kind = format_of(path.name)
    for found in kind.read(source) if kind else ():
        if isinstance(found, Content):
            deque(found.text, maxlen=0)
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) // 1024


def pdfium_text(path: Path) -> None:
    """All characters of a file by PDFium."""
    import pypdfium2

    document = pypdfium2.PdfDocument(path)
    for page in document:
        text = page.get_textpage()
        text.get_text_range()
        text.close()
        page.close()
    document.close()


def plumbed(path: Path) -> int:
    """Read some pages with pdfplumber; how many."""
    import pdfplumber

    with pdfplumber.open(path) as document:
        some = document.pages[:PLUMBED]
        for page in some:
            page.extract_text()
            page.extract_tables()
        return len(some)


def timed(run: Callable[[], Any]) -> tuple[float, Any]:
    """Processor seconds of one run, and what it gives."""
    began = time.process_time()
    found = run()
    return time.process_time() - began, found


def shortest(run: Callable[[], Any]) -> tuple[float, Any]:
    """The shortest of some runs, and what it gives."""
    return min((timed(run) for _ in range(REPEATS)), key=lambda each: each[0])


def measured(command: list[str]) -> int:
    """The number that another process prints."""
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def shown(row: dict[str, Any]) -> dict[str, Any]:
    """A row, after it is printed."""
    print(
        json.dumps({key: value for key, value in row.items() if key != "each"}, ensure_ascii=False)
    )
    return row


if __name__ == "__main__":
    main()
