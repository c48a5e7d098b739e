"""The words of LaTeX and BibTeX files, without their parsers."""

from __future__ import annotations

import re
from typing import Final

from hopyard.indexes.documents.kept.compare import OTHER, FileWords
from hopyard.indexes.documents.kept.markup import decoded
from hopyard.indexes.documents.readers.base import Source

_COMMENT: Final = re.compile(r"(?<!\\)((?:\\\\)*)%.*")
_BODY: Final = re.compile(r"\\begin\s*\{document\}")
_ACCENT: Final = re.compile(
    r"""\w{0,40}(?:\{\s*)?\\(?:["'`^~=.]|[Hcvukrbdt](?![A-Za-z]))\s*(?:\{?\\?\w\}?)?\}?"""
    r"|\w{0,40}(?:\{\s*)?\\(?:ss|o|O|ae|AE|oe|OE|l|L|i|j|aa|AA)(?![A-Za-z])\s*(?:\{\})?\}?"
)
"""A letter with an accent, and the letters before it."""
_NAMES: Final = re.compile(
    r"\\(?:begin|end|label|ref|eqref|usepackage|documentclass|bibliographystyle|vspace|hspace|"
    r"pagestyle|setlength)\*?\s*+(?:\[[^\[\]]*\]\s*+)?(?:\{[^{}]*\}){1,2}|\[[^\[\]]*\]"
    r"|\\multicolumn\s*\{\d+\}\{[^{}]*\}"
)
_DEFINITION: Final = re.compile(r"\\(?:(?:re)?newcommand|providecommand|def)\b.*")
_COMMAND: Final = re.compile(r"\\(?:[A-Za-z@]+\*?|.)")
_FORMULA: Final = re.compile(
    r"\$\$?[^$]*\$\$?|\\\[(?:(?!\\\[).)*?\\\]|\\\((?:(?!\\\().)*?\\\)", re.DOTALL
)
_ENTRY: Final = re.compile(r"@(\w+)\s*[{(]\s*(?=\S)")
_FIELD: Final = re.compile(r"^\s*([\w-]+)\s*=\s*", re.MULTILINE)
_DIVIDED: Final = re.compile(r"[{}]")


def find_latex(source: Source, found: FileWords) -> None:
    """All words behind the preamble; formulas and what macros stand for may be there."""
    text = _COMMENT.sub(r"\1", decoded(source.read(), found, source.options.encoding))
    before, *after = _BODY.split(text, maxsplit=1)
    if after:
        found.name(before)
        text = after[0]
    found.open = True  # formulas and macros are written in another way
    for pattern in (_FORMULA, _DEFINITION, _NAMES):
        text = pattern.sub(lambda match: _named(match, found), text)
    _add(text, found)


def find_bibtex(source: Source, found: FileWords) -> None:
    """All values; the kinds of entries and the names of fields may be there."""
    text = decoded(source.read(), found, source.options.encoding)
    for pattern in (_ENTRY, _FIELD):
        text = pattern.sub(lambda match: _named(match, found), text)
    found.name("type")
    found.open = True  # abbreviations
    _add(text, found)


def _named(match: re.Match[str], found: FileWords) -> str:
    found.name(match[0])
    return " "


def _add(text: str, found: FileWords) -> None:
    text = _COMMAND.sub(" ", _ACCENT.sub(OTHER, text).replace("\\\\", " "))
    found.text(_DIVIDED.sub("", text))
