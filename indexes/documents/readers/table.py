"""Every format that can be read: its suffixes, its reader, and the packages it needs."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterator
from typing import Final, NamedTuple

from hopyard.indexes.documents.readers.archives import read_gzip, read_mbox, read_tar, read_zip
from hopyard.indexes.documents.readers.base import Reader, Source
from hopyard.indexes.documents.readers.bibtex import read_bibtex
from hopyard.indexes.documents.readers.books import read_epub
from hopyard.indexes.documents.readers.cards import read_cards
from hopyard.indexes.documents.readers.data import read_json, read_notebook
from hopyard.indexes.documents.readers.delimited import read_csv, read_tsv
from hopyard.indexes.documents.readers.latex import read_latex
from hopyard.indexes.documents.readers.mail import read_eml, read_mhtml, read_msg, read_tnef
from hopyard.indexes.documents.readers.odf import read_opendocument
from hopyard.indexes.documents.readers.pdf import read_pdf
from hopyard.indexes.documents.readers.rtf import read_rtf
from hopyard.indexes.documents.readers.slides import read_pptx
from hopyard.indexes.documents.readers.text import read_markdown, read_plain_text
from hopyard.indexes.documents.readers.web import read_html
from hopyard.indexes.documents.readers.word import read_docx
from hopyard.indexes.documents.readers.workbooks.excel import read_xlsx
from hopyard.indexes.documents.readers.workbooks.xls import read_xls
from hopyard.indexes.documents.readers.xml_text import read_xml
from hopyard.state.errors import UsageError

CORPUS_SUFFIX: Final = ".jsonl"
"""Corpus files hold a document in each line: see `loaders`."""
LARGEST_VARIABLE: Final = "HOPYARD_LARGEST_FILE"
"""The environment variable that sets the limit, in megabytes, of all formats."""


class Format(NamedTuple):
    """A kind of file."""

    suffixes: tuple[str, ...]
    """In lower case."""
    read: Reader
    extra: str = ""
    """The extra of Hopyard that brings what it needs; "" where nothing is needed."""
    holds_files: bool = False
    """Whether its parts are files: archives, and mails with attachments."""
    at_once: int = 0
    """Megabytes that are read at once at most: they take up to eighty times as much memory where
    they are HTML, and ten times elsewhere. 0 where a file of any size is read as a stream."""


_TEXT: Final = "txt text log rst org adoc srt vtt po"
_CODE: Final = (
    "py pyi js mjs ts tsx jsx java kt scala c h cc cpp hpp cs go rs rb php swift m r jl lua "
    "pl sh bash zsh ps1 sql css scss vue dart ex erl hs clj groovy gradle tf proto graphql "
    "cmake mk yaml yml toml ini cfg conf properties"
)

FORMATS: Final = (
    Format(tuple(f".{name}" for name in _TEXT.split()), read_plain_text),
    Format((".md", ".markdown", ".mdx"), read_markdown),
    Format((".html", ".htm", ".xhtml"), read_html, at_once=20),
    Format((".pdf",), read_pdf, "pdf"),
    Format((".docx", ".docm", ".dotx", ".dotm"), read_docx, at_once=100),
    Format((".pptx", ".pptm", ".ppsx", ".potx"), read_pptx, at_once=100),
    Format((".xlsx", ".xlsm", ".xltx"), read_xlsx, "office"),
    Format((".xls", ".xlsb"), read_xls, "office", at_once=100),
    Format((".odt", ".ott", ".fodt"), read_opendocument, at_once=100),
    Format((".ods", ".ots", ".fods"), read_opendocument, at_once=100),
    Format((".odp", ".otp", ".fodp", ".odg"), read_opendocument, at_once=100),
    Format((".ics", ".ical", ".vcf"), read_cards, at_once=100),
    Format((".rtf",), read_rtf, at_once=100),
    Format((".tex", ".latex", ".ltx"), read_latex, at_once=20),
    Format((".bib", ".bibtex"), read_bibtex, at_once=20),
    Format((".epub",), read_epub, at_once=20),
    Format((".csv",), read_csv),
    Format((".tsv", ".tab"), read_tsv),
    Format((".json", ".geojson", ".jsonld", ".ndjson"), read_json, at_once=100),
    Format(
        (".xml", ".rss", ".atom", ".opml", ".kml", ".gpx", ".fb2", ".xliff", ".docbook", ".dita"),
        read_xml,
    ),
    Format((".ipynb",), read_notebook, at_once=100),
    Format((".eml",), read_eml, holds_files=True, at_once=100),
    Format((".msg",), read_msg, "office", holds_files=True, at_once=100),
    Format((".tnef",), read_tnef, holds_files=True, at_once=100),
    Format((".mht", ".mhtml"), read_mhtml, holds_files=True, at_once=100),
    Format((".mbox",), read_mbox, holds_files=True),
    Format((".zip",), read_zip, holds_files=True),
    Format(
        (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz"),
        read_tar,
        holds_files=True,
    ),
    Format((".gz",), read_gzip, holds_files=True),
    Format(tuple(f".{name}" for name in _CODE.split()), read_plain_text),
)

SPREADSHEETS: Final = tuple(
    item for item in FORMATS if {".xlsx", ".xls", ".ods", ".csv", ".tsv"} & {*item.suffixes}
)

_BY_SUFFIX: Final = {suffix: item for item in FORMATS for suffix in item.suffixes}
_NAMED: Final = frozenset(("readme", "license", "makefile", "dockerfile", "changelog", "copying"))
"""Files without a suffix that are text."""


def format_of(name: str) -> Format | None:
    """The format of a file by its name; None where it is not known."""
    lower = name.lower()
    if lower in _NAMED:
        return FORMATS[0]
    if lower.endswith("winmail.dat"):
        return _BY_SUFFIX[".tnef"]
    return next((_BY_SUFFIX[item] for item in _suffixes(lower) if item in _BY_SUFFIX), None)


def known_suffixes() -> list[str]:
    """The suffixes as an error names them: source code as one."""
    return [CORPUS_SUFFIX, *(item.suffixes[0] for item in FORMATS[:-1]), "source code"]


def _suffixes(name: str) -> Iterator[str]:
    """`.tar.gz` before `.gz`."""
    place = name.find(".", 1)
    while place > 0:
        yield name[place:]
        place = name.find(".", place + 1)


def largest_from_environment() -> int:
    """The limit that the user set, in megabytes; 0 for that of each format.

    Raises:
        UsageError: It is no number.
    """
    value = os.environ.get(LARGEST_VARIABLE, "").strip()
    if value and not value.isdecimal():
        raise UsageError(f"{LARGEST_VARIABLE} is {value!r}; set it to a number of megabytes.")
    return int(value or 0)


def too_large(source: Source, kind: Format) -> str:
    """Why a file is not read, where it is too large; else ""."""
    limit = kind.at_once and (source.options.largest or kind.at_once)
    if not limit:
        return ""
    found = _bytes_at_once(source) / 1e6
    if found <= limit:
        return ""
    return (
        f"{found:,.0f} MB of it would be in memory many times over, and a {kind.suffixes[0]} file "
        f"may have {limit:,}: split it, convert it to text, or set {LARGEST_VARIABLE}={found:.0f}"
    )


def _bytes_at_once(source: Source) -> int:
    """The size of a file or, of a ZIP archive such as .docx, of its largest part with text."""
    with source.open() as stream:
        if zipfile.is_zipfile(stream):
            with zipfile.ZipFile(stream) as archive:
                return max(
                    (
                        entry.file_size
                        for entry in archive.infolist()
                        if entry.filename.endswith((".xml", ".html", ".htm", ".xhtml"))
                    ),
                    default=0,
                )
        return stream.seek(0, os.SEEK_END)
