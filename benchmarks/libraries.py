"""Which library reads the files of the tests as well as Hopyard's own readers?

    python benchmarks/libraries.py FOLDER     # a folder of `pip install --target`, or of a venv

The inputs are all files of at most 200 kB that the tests of `tests/indexes/documents/readers` read:
small files that were mostly made from public reports of errors. Hopyard passes these tests, so the
order of its words is taken as right. `kept` is the share of a file's words that a program gives,
by `indexes/documents/kept`, which uses no reader; a file that a program refuses counts as 0.
`order` is the share of the words that both texts have and that are in the same order (`difflib`).
`whole` counts the files of which the program gives all of Hopyard's words in the same order.
`seconds` are those of the processor for all files that it reads, in one process.
The tests leave out of office files what Hopyard does not need; it is added for the libraries.
Writes `benchmarks/results/libraries.json`.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import io
import json
import logging
import os
import re
import signal
import sys
import tempfile
import time
import warnings
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from difflib import SequenceMatcher
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final, NamedTuple, NoReturn

import pytest

from hopyard.indexes.documents.kept.compare import FileWords, compare
from hopyard.indexes.documents.kept.table import EXTRACTORS
from hopyard.indexes.documents.kept.words import words_in_order
from hopyard.indexes.documents.readers import table
from hopyard.indexes.documents.readers.base import Content, Found, Options, Reader, Source

ROOT: Final = Path(__file__).resolve().parents[1]
RESULTS: Final = ROOT / "benchmarks" / "results" / "libraries.json"
TESTS: Final = "tests/indexes/documents/readers"
CONTAINED: Final = b'<rootfile media-type="application/oebps-package+xml" '
LARGEST: Final = 200_000
PATIENCE: Final = 10
"""Seconds of the processor for one file."""

_WORD: Final = "application/vnd.openxmlformats-officedocument.wordprocessingml"
_MIMES: Final = {
    ".docx": _WORD,
    ".odt": "application/vnd.oasis.opendocument.text",
    ".ods": "application/vnd.oasis.opendocument.spreadsheet",
    ".odp": "application/vnd.oasis.opendocument.presentation",
}

Program = Callable[[Path], str]


class Input(NamedTuple):
    """A file of a test, and the text that Hopyard reads in it."""

    suffix: str
    data: bytes
    text: str


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where the other libraries are installed")
    parser.add_argument("--only", nargs="+", help="suffixes; the other rows stay as they are")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    logging.disable()
    inputs = inputs_of_the_tests()
    sys.path.append(str(options.folder))
    rows = json.loads(RESULTS.read_text())["rows"] if options.only else []
    for suffix, programs in PROGRAMS.items():
        if options.only and suffix not in options.only:
            continue
        rows = [row for row in rows if row["suffix"] != suffix]
        some = [each for each in inputs if each.suffix == suffix]
        for name, make in (("hopyard", None), *programs.items()):
            rows.append(row_of(suffix, name, some, make))
            print(json.dumps(rows[-1], ensure_ascii=False), flush=True)
    names = sorted({row["program"] for row in rows} - {"hopyard"})
    found = {
        "command": "python benchmarks/libraries.py FOLDER",
        "versions": {name: version_of(name) for name in names},
        "rows": rows,
    }
    RESULTS.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")


def inputs_of_the_tests() -> list[Input]:
    """Run the tests, and keep each file that a reader gives one text of."""
    found: dict[str, Input] = {}

    def kept(read: Reader, suffix: str) -> Reader:
        def reading(source: Source) -> Iterator[Found]:
            texts = []
            for each in read(source):
                if isinstance(each, Content):
                    parts: list[str] = []
                    texts.append(parts)
                    yield each._replace(text=collected(each.text, parts))
                else:
                    yield each
            if (
                source.options == Options()
                and len(texts) == 1
                and (text := "".join(texts[0])).strip()
            ):
                data = completed(source.read(), suffix)
                if len(data) <= LARGEST:
                    found[hashlib.sha256(data).hexdigest()] = Input(suffix, data, text)

        return reading

    for suffix, kind in table._BY_SUFFIX.items():
        table._BY_SUFFIX[suffix] = kind._replace(read=kept(kind.read, suffix))
    with redirect_stdout(io.StringIO()):
        code = pytest.main(["-q", "-n0", "-p", "no:cacheprovider", str(ROOT / TESTS)])
    if code:
        sys.exit(f"The tests fail ({code}); their texts are not right.")
    return list(found.values())


def completed(data: bytes, suffix: str) -> bytes:
    """A file with the parts that its standard asks for and the tests leave out."""
    if suffix == ".epub":
        return with_kinds_of_items(data)
    kind = _MIMES.get(suffix)
    if kind is None or not data.startswith(b"PK"):
        return data
    stream = io.BytesIO(data)
    with zipfile.ZipFile(stream, "a") as archive:
        names = archive.namelist()
        if suffix == ".docx" and "[Content_Types].xml" not in names:
            overrides = "".join(
                f'<Override PartName="/{name}" ContentType="{_WORD}.'
                f'{"document.main" if stem == "document" else stem}+xml"/>'
                for name in names
                if name.endswith(".xml")
                for stem in [Path(name).stem.rstrip("0123456789")]
            )
            archive.writestr(
                "[Content_Types].xml",
                '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
                '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.'
                f'relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>'
                f"{overrides}</Types>",
            )
        elif suffix != ".docx":
            if "mimetype" not in names:
                archive.writestr("mimetype", kind)
            if "META-INF/manifest.xml" not in names:
                entries = "".join(
                    f'<manifest:file-entry manifest:full-path="{name}" '
                    f'manifest:media-type="{kind if name == "/" else "text/xml"}"/>'
                    for name in ("/", *names)
                )
                archive.writestr(
                    "META-INF/manifest.xml",
                    '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:'
                    f'manifest:1.0">{entries}</manifest:manifest>',
                )
    return stream.getvalue()


def with_kinds_of_items(data: bytes) -> bytes:
    """A book that says of each of its parts what it is."""
    stream = io.BytesIO()
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(stream, "w") as new:
            for each in old.infolist():
                content = old.read(each)
                if each.filename.endswith(".opf"):
                    kind = b'<item media-type="application/xhtml+xml" '
                    content = re.sub(rb"<item (?![^>]*media-type)", kind, content)
                elif each.filename == "META-INF/container.xml":
                    content = re.sub(rb"<rootfile (?![^>]*media-type)", CONTAINED, content)
                new.writestr(each, content)
    except zipfile.BadZipFile:
        return data
    return stream.getvalue()


def collected(text: Any, parts: list[str]) -> Iterator[str]:
    """The parts of a text, kept as they are read."""
    for part in text:
        parts.append(part)
        yield part


def row_of(
    suffix: str, name: str, inputs: list[Input], make: Callable[[], Program] | None
) -> dict[str, Any]:
    """The share that one program keeps of the files of one format."""
    row: dict[str, Any] = {"suffix": suffix, "program": name, "inputs": len(inputs)}
    kept: list[float] = []
    order: list[float] = []
    whole, refused, seconds = 0, 0, 0.0
    if make is not None:
        try:
            program = make()
        except Exception as error:  # it is missing, or lacks a part
            return {**row, "error": " ".join(str(error).split())[:100]}
    with tempfile.TemporaryDirectory() as folder:
        for each in inputs:
            path = Path(folder) / f"file{each.suffix}"
            path.write_bytes(each.data)
            read = program if make is not None else ours
            began = time.process_time()
            try:
                with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()), patient():
                    text = read(path)
            except Exception:  # each program fails in its own way
                text, refused = "", refused + 1
            else:
                seconds += time.process_time() - began
            if (share := kept_share(each, text)) is not None:
                kept.append(share)
            right, words = words_in_order(each.text), words_in_order(text)
            same = SequenceMatcher(None, right, words, autojunk=False).get_matching_blocks()
            both = sum((Counter(right) & Counter(words)).values())
            order.append(sum(block.size for block in same) / both if both else 0.0)
            rest = iter(words)
            whole += all(word in rest for word in right)
    return {
        **row, "refused": refused, "kept": mean(kept), "order": mean(order), "whole": whole,
        "seconds": round(seconds, 2),
    }  # fmt: skip


def ours(path: Path) -> str:
    """A file by Hopyard's reader."""
    source = Source(path.name, partial(path.open, "rb"))
    kind = table.format_of(path.name)
    texts = [
        "".join(each.text)
        for each in (kind.read(source) if kind else ())
        if isinstance(each, Content)
    ]
    return "".join(texts)


def kept_share(given: Input, text: str) -> float | None:
    """The share of the file's words that a text has; None where nothing can be compared."""
    kind = table.format_of(f"file{given.suffix}")
    extract = EXTRACTORS.get(kind.suffixes[0]) if kind else None
    if extract is None or given.suffix == ".pdf":
        return shares_of_words(given.text, text)
    found = FileWords()
    try:
        extract(Source(f"file{given.suffix}", partial(io.BytesIO, given.data)), found)
    except Exception:  # a file that only its reader understands
        return None
    return compare(found, [text]).share


def shares_of_words(right: str, text: str) -> float:
    """The share of the words of one text that another has."""
    words = Counter(words_in_order(right))
    return sum((words & Counter(words_in_order(text))).values()) / max(1, words.total())


def mean(shares: list[float]) -> float:
    """Their mean; 0 of none."""
    return round(sum(shares) / max(1, len(shares)), 3)


def version_of(name: str) -> str:
    """Which version of a library was measured; "" where it is not installed."""
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


class patient:  # noqa: N801  (used as a function)
    """Stops a program that needs too long for one file."""

    def __enter__(self) -> None:
        signal.signal(signal.SIGPROF, self.stop)
        signal.setitimer(signal.ITIMER_PROF, PATIENCE)

    def __exit__(self, *_: object) -> None:
        signal.setitimer(signal.ITIMER_PROF, 0)

    def stop(self, *_: object) -> NoReturn:
        """End it."""
        raise TimeoutError


def _markitdown() -> Program:
    converter = importlib.import_module("markitdown").MarkItDown()
    return lambda path: str(converter.convert(str(path)).text_content)


def _unstructured() -> Program:
    os.environ["UNSTRUCTURED_DISABLE_NOTICE"] = "1"
    partition = importlib.import_module("unstructured.partition.auto").partition
    return lambda path: "\n\n".join(map(str, partition(filename=str(path))))


def _docx2python() -> Program:
    module = importlib.import_module("docx2python")

    def read(path: Path) -> str:
        with module.docx2python(path) as found:
            return str(found.text)

    return read


def _mammoth() -> Program:
    module = importlib.import_module("mammoth")

    def read(path: Path) -> str:
        with path.open("rb") as stream:
            return str(module.convert_to_markdown(stream).value)

    return read


def _docx() -> Program:
    module = importlib.import_module("docx")

    def read(path: Path) -> str:
        texts = []
        for item in module.Document(str(path)).iter_inner_content():
            rows = item.rows if hasattr(item, "rows") else ()
            texts += [cell.text for row in rows for cell in row.cells] or [item.text]
        return "\n".join(texts)

    return read


def _pptx() -> Program:
    module = importlib.import_module("pptx")

    def read(path: Path) -> str:
        texts = []
        for slide in module.Presentation(str(path)).slides:
            for shape in slide.shapes:
                if shape.has_text_frame:
                    texts.append(shape.text_frame.text)
                if shape.has_table:
                    texts += [cell.text for row in shape.table.rows for cell in row.cells]
            if slide.has_notes_slide:
                texts.append(slide.notes_slide.notes_text_frame.text)
        return "\n".join(texts)

    return read


def _calamine() -> Program:
    module = importlib.import_module("python_calamine")

    def read(path: Path) -> str:
        book = module.CalamineWorkbook.from_path(str(path))
        return "\n".join(
            f"{name}\n" + "\n".join(" | ".join(map(str, row)) for row in sheet)
            for name in book.sheet_names
            for sheet in [book.get_sheet_by_name(name).to_python()]
        )

    return read


def _pyxlsb() -> Program:
    module = importlib.import_module("pyxlsb")

    def read(path: Path) -> str:
        with module.open_workbook(str(path)) as book:
            return "\n".join(
                str(cell.v)
                for name in book.sheets
                for row in book.get_sheet(name).rows()
                for cell in row
            )

    return read


def _odfpy() -> Program:
    load = importlib.import_module("odf.opendocument").load
    text_of = importlib.import_module("odf.teletype").extractText

    return lambda path: str(text_of(load(str(path)).body))


def _odfdo() -> Program:
    document = importlib.import_module("odfdo").Document
    return lambda path: str(document(str(path)).get_formatted_text())


def _striprtf() -> Program:
    convert = importlib.import_module("striprtf.striprtf").rtf_to_text
    return lambda path: str(convert(path.read_text("latin-1"), errors="ignore"))


def _ebooklib() -> Program:
    epub = importlib.import_module("ebooklib.epub")
    parser = importlib.import_module("selectolax.lexbor").LexborHTMLParser

    def read(path: Path) -> str:
        book = epub.read_epub(str(path))
        chapters = [book.get_item_with_id(name) for name, _ in book.spine]
        return "\n".join(
            parser(each.get_content()).text(separator=" ") for each in chapters if each
        )

    return read


def _selectolax() -> Program:
    parser = importlib.import_module("selectolax.lexbor").LexborHTMLParser

    def read(path: Path) -> str:
        tree = parser(path.read_bytes())
        tree.strip_tags(["script", "style", "nav", "footer", "head"])
        return str(tree.text(separator=" "))

    return read


def _trafilatura() -> Program:
    extract = importlib.import_module("trafilatura").extract
    return lambda path: extract(path.read_bytes(), include_comments=True) or ""


def _pdfplumber() -> Program:
    module = importlib.import_module("pdfplumber")

    def read(path: Path) -> str:
        with module.open(path) as document:
            return "\n".join(page.extract_text() for page in document.pages)

    return read


def _pypdf() -> Program:
    module = importlib.import_module("pypdf")
    return lambda path: "\n".join(page.extract_text() for page in module.PdfReader(path).pages)


def _mailparser() -> Program:
    module = importlib.import_module("mailparser")

    def read(path: Path) -> str:
        mail = module.parse_from_bytes(path.read_bytes())
        return "\n".join([*mail.text_plain, *mail.text_html])

    return read


def _extract_msg() -> Program:
    module = importlib.import_module("extract_msg")

    def read(path: Path) -> str:
        with module.openMsg(str(path)) as mail:
            return f"{mail.subject}\n{mail.body}"

    return read


def _tnefparse() -> Program:
    module = importlib.import_module("tnefparse")

    def read(path: Path) -> str:
        found = module.TNEF(path.read_bytes())
        texts = [found.body, found.htmlbody, found.rtfbody]
        return "\n".join(
            each.decode("utf-8", "replace") if isinstance(each, bytes) else each
            for each in texts
            if each
        )

    return read


_BOTH: Final = {"markitdown": _markitdown, "unstructured": _unstructured}
PROGRAMS: Final[dict[str, dict[str, Callable[[], Program]]]] = {
    ".docx": {
        **_BOTH, "docx2python": _docx2python, "mammoth": _mammoth, "python-docx": _docx,
    },
    ".pptx": {**_BOTH, "python-pptx": _pptx},
    ".xlsx": {**_BOTH, "python-calamine": _calamine},
    ".xls": {"markitdown": _markitdown, "python-calamine": _calamine},
    ".xlsb": {"python-calamine": _calamine, "pyxlsb": _pyxlsb},
    ".odt": {"odfpy": _odfpy, "odfdo": _odfdo},
    ".ods": {"odfpy": _odfpy, "odfdo": _odfdo, "python-calamine": _calamine},
    ".odp": {"odfpy": _odfpy, "odfdo": _odfdo},
    ".rtf": {"striprtf": _striprtf},
    ".epub": {"markitdown": _markitdown, "ebooklib": _ebooklib},
    ".html": {**_BOTH, "selectolax": _selectolax, "trafilatura": _trafilatura},
    ".pdf": {"markitdown": _markitdown, "pdfplumber": _pdfplumber, "pypdf": _pypdf},
    ".csv": _BOTH,
    ".ipynb": {"markitdown": _markitdown},
    ".eml": {"unstructured": _unstructured, "mail-parser": _mailparser},
    ".msg": {"markitdown": _markitdown, "extract-msg": _extract_msg},
    ".tnef": {"tnefparse": _tnefparse},
}  # fmt: skip


if __name__ == "__main__":
    main()
