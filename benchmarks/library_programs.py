"""Other libraries that read files: each as a function from a path to a text."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

Program = Callable[[Path], str]


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
