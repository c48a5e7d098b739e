"""Every format that can be read: its suffixes, its reader, and the packages it needs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from hopyard.indexes.documents.readers.archives import read_gzip, read_tar, read_zip
from hopyard.indexes.documents.readers.base import Reader
from hopyard.indexes.documents.readers.books import read_epub
from hopyard.indexes.documents.readers.data import read_json, read_notebook
from hopyard.indexes.documents.readers.delimited import read_csv, read_tsv
from hopyard.indexes.documents.readers.excel import read_xls, read_xlsx
from hopyard.indexes.documents.readers.mail import read_eml, read_msg
from hopyard.indexes.documents.readers.mailbox import read_mbox
from hopyard.indexes.documents.readers.odf import read_opendocument
from hopyard.indexes.documents.readers.pdf import read_pdf
from hopyard.indexes.documents.readers.rtf import read_rtf
from hopyard.indexes.documents.readers.slides import read_pptx
from hopyard.indexes.documents.readers.text import read_markdown, read_plain_text
from hopyard.indexes.documents.readers.web import read_html
from hopyard.indexes.documents.readers.word import read_docx
from hopyard.indexes.documents.readers.xml_text import read_xml

CORPUS_SUFFIX: Final = ".jsonl"
"""Corpus files hold a document in each line: see `loaders`."""


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


_TEXT: Final = "txt text log rst tex org adoc bib srt vtt ics vcf po"
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
    Format((".rtf",), read_rtf, at_once=100),
    Format((".epub",), read_epub, at_once=20),
    Format((".csv",), read_csv),
    Format((".tsv", ".tab"), read_tsv),
    Format((".json", ".geojson", ".jsonld", ".ndjson"), read_json, at_once=100),
    Format((".xml", ".rss", ".atom", ".opml", ".kml", ".gpx", ".fb2", ".xliff"), read_xml),
    Format((".ipynb",), read_notebook, at_once=100),
    Format((".eml",), read_eml, holds_files=True, at_once=100),
    Format((".msg",), read_msg, "office", holds_files=True, at_once=100),
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
