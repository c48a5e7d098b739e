"""Rich Text Format.

Source: Microsoft, "Rich Text Format (RTF) Specification", version 1.9.1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from hopyard.indexes.documents.readers.base import Content, Source
from hopyard.indexes.documents.readers.rtf.flow import Flow
from hopyard.indexes.documents.readers.rtf.letters import (
    CODE_PAGES,
    ESCAPES,
    MACHINES,
    SIGNS,
    SILENT,
    known_page,
)
from hopyard.indexes.documents.readers.text import author_name, plain_metadata
from hopyard.indexes.passages.markdown import first_heading
from hopyard.state.errors import CorpusError

_TOKEN: Final = re.compile(
    r"\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-fA-F]{2})|\\(.)|([{}])|[\r\n\0]+"
    r"|([^\\{}\r\n\0]+)",
    re.DOTALL,
)
_STARRED: Final = frozenset(
    ("shpinst", "shptxt", "annotation", "footnote", "ud", "formfield", "ffl", "fldrslt")
)
"""Groups that readers may skip, and that have text."""
_APART: Final = frozenset(
    ("footnote", "annotation", "header", "headerl", "headerr", "headerf", "footer", "footerl",
     "footerr", "footerf", "shptxt")
)  # fmt: skip
_ABOUT: Final = re.compile(r"\{\\(title|author)\s+([^{}]*)\}")


def read_rtf(source: Source) -> Iterator[Content]:
    """A document in Rich Text Format: headings, lists, tables, notes and comments."""
    raw = source.read().decode("latin-1")
    if not raw.lstrip("\ufeffï»¿ \r\n").startswith("{\\rtf"):
        raise CorpusError("not a readable RTF file")
    preferred = source.options.encoding
    head = re.search(r"\\ansicpg(\d+)", raw[:1000])
    about = {
        name: _Reader(preferred).text(f"{{\\rtf1{head[0] if head else ''} {value}}}")
        for name, value in _ABOUT.findall(raw[:10_000])
    }
    text = _Reader(preferred).text(raw)
    title = about.pop("title", "") or first_heading(text)
    about["author"] = author_name(about.get("author", ""))
    yield Content(title, [text], "markdown", plain_metadata(about))


@dataclass(slots=True)
class _State:
    """The state that a group changes until it ends."""

    is_silent: bool = False
    name: str = ""
    font: int = -1
    fallback: int = 1
    """Characters after a Unicode sign that stand for it."""
    is_raised: bool = False
    is_hidden: bool = False
    is_in_table: bool = False
    level: int = 0


class _Reader:
    def __init__(self, encoding: str) -> None:
        self._preferred = encoding
        self._page = encoding or "cp1252"
        self._fonts: dict[int, str] = {}
        self._default = -1
        self._state = _State()
        self._states: list[tuple[_State, Flow]] = []
        self._flow = Flow()
        self._bytes = bytearray()
        self._skip = 0
        self._is_starred = False
        self._notes: list[str] = []
        self._margins: list[str] = []
        self._marks = 0
        self._field: list[str] = []
        self._values: dict[str, int] = {}

    def text(self, raw: str) -> str:
        """The whole text as Markdown."""
        place = 0
        while found := _TOKEN.match(raw, place):
            place = found.end()
            word, number, byte, sign, brace, plain = found.groups()
            if word == "bin":
                place += max(0, int(number or 0))
            elif word:
                self._word(word, None if number is None else int(number))
            elif byte:
                self._add_bytes(bytes.fromhex(byte))
            elif sign:
                self._sign(sign)
            elif brace == "{":
                self._open()
            elif brace:
                self._close()
            elif plain:
                self._add_bytes(plain.encode("latin-1"))
        self._decode()
        self._flow.paragraph(self._state.level)
        self._flow.end_table()
        whole = [*self._flow.blocks, *self._notes, *dict.fromkeys(self._margins)]
        text = "\n\n".join(item for item in whole if item.strip())
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")

    def _open(self) -> None:
        self._decode()
        self._skip = 0
        self._states.append((self._state, self._flow))
        self._state = replace(self._state, name="")

    def _close(self) -> None:
        self._decode()
        self._skip = 0
        if not self._states:
            return
        name, ended = self._state.name, self._flow
        self._state, self._flow = self._states.pop()
        if name in ("listtext", "pntext"):
            self._flow.list_mark()
        if name == "formfield":
            self._form_field()
        if ended is self._flow:
            return
        ended.paragraph()
        ended.end_table()
        text = "\n\n".join(ended.blocks)
        if name == "footnote":
            self._notes.append(f"[{self._marks}] {text}" if self._marks else text)
        elif name == "annotation":
            self._flow.after.append(f"Comment: {text}")
        elif name == "shptxt":
            self._flow.after.append(text)
        else:
            self._margins.append(text)

    def _word(self, word: str, number: int | None) -> None:
        if self._skip and word != "u":
            self._skip -= 1
            return
        state = self._state
        if word == "u":
            self._decode()
            if self._skip:  # it stands for the sign before it
                self._skip -= 1
                return
            self._add(chr((number or 0) % 65536))
            self._skip = state.fallback
        elif word == "uc":
            state.fallback = 1 if number is None else number
        elif (self._is_starred and word not in _STARRED) or word in SILENT:
            state.is_silent = True
        elif word in ("listtext", "pntext", "formfield", "ffl", "fonttbl", "upr", "shpinst"):
            state.name = word
            state.is_silent |= word in ("formfield", "ffl", "fonttbl", "upr")
        elif word == "ud":  # the text of `upr` in Unicode
            state.is_silent = self._states[-1][0].name != "upr"
        elif word in _APART and not state.is_silent:
            state.name = word
            self._flow = Flow()
            self._state = replace(state, is_in_table=False, is_raised=False, level=0)
        else:
            self._format(word, number)
        self._is_starred = False

    def _format(self, word: str, number: int | None) -> None:
        self._decode()
        is_silent = self._state.is_silent
        if self._letters(word, number or 0) or is_silent:
            return
        if word in SIGNS:
            self._add(SIGNS[word])
        elif word in ("par", "sect", "page", "column"):
            self._end_paragraph(word == "par")
        elif word == "chftn":
            if not any(flow is not self._flow for _, flow in self._states):
                self._marks += 1
                self._flow.runs.append((f"[{self._marks}]", False))
        elif not self._style(word, number):
            self._flow.table(word)

    def _end_paragraph(self, may_be_in_table: bool) -> None:
        self._decode()
        in_table = may_be_in_table and self._state.is_in_table
        self._flow.paragraph(self._state.level, in_table=in_table)

    def _style(self, word: str, number: int | None) -> bool:
        """Note how the next letters or paragraphs look; False if the word says nothing of it."""
        state, on = self._state, number != 0
        if word == "pard":
            state.is_in_table, state.level = False, 0
        elif word == "plain":
            state.font, state.is_raised, state.is_hidden = self._default, False, False
        elif word == "intbl":
            state.is_in_table = on
        elif word == "outlinelevel":
            state.level = (number or 0) + 1
        elif word in ("super", "up"):
            state.is_raised = on
        elif word in ("sub", "nosupersub", "dn"):
            state.is_raised = False
        elif word in ("v", "deleted"):
            state.is_hidden = on
        else:
            return False
        return True

    def _letters(self, word: str, number: int) -> bool:
        """Note fonts, code pages and form fields; False if the word says nothing of them."""
        if word in ("f", "deff"):
            self._font(word, number)
        elif word in ("fcharset", "cpg"):
            self._charset(word, number)
        elif word in MACHINES or word == "ansicpg":
            self._page = self._preferred or known_page(MACHINES.get(word) or f"cp{number}")
        elif word.startswith("ff"):
            self._values[word] = number
        else:
            return False
        return True

    def _font(self, word: str, number: int) -> None:
        if word == "deff":
            self._default = number
        if word == "f" or self._state.font < 0:
            self._state.font = number

    def _charset(self, word: str, number: int) -> None:
        page = CODE_PAGES.get(number, "") if word == "fcharset" else known_page(f"cp{number}")
        if page:
            self._fonts.setdefault(self._state.font, page)

    def _form_field(self) -> None:
        values, self._values, choices, self._field = self._values, {}, self._field, []
        result = values.get("ffres", 25)
        chosen = values.get("ffdefres", 0) if result == 25 else result
        if values.get("fftype") == 1:
            self._flow.runs.append(("[x] " if chosen else "[ ] ", False))
        elif values.get("fftype") == 2 and chosen < len(choices):
            self._flow.runs.append((choices[chosen], False))

    def _sign(self, sign: str) -> None:
        if sign == "*":
            self._is_starred = True
        elif sign in "\n\r":
            self._end_paragraph(True)
        elif sign in "\\{}":
            self._add_bytes(sign.encode())
        elif not self._skip:
            self._decode()
            self._add(ESCAPES.get(sign, ""))
        else:
            self._skip -= 1

    def _add_bytes(self, data: bytes) -> None:
        if self._state.is_silent and self._state.name != "ffl":
            return
        skipped = min(self._skip, len(data))
        self._skip -= skipped
        self._bytes += data[skipped:]

    def _decode(self) -> None:
        """Add the bytes read so far, in the code page of their font."""
        if self._bytes:
            page = self._preferred or self._fonts.get(self._state.font) or self._page
            text = self._bytes.decode(page, "replace")
            self._bytes.clear()
            if self._state.name == "ffl":
                self._field.append(text)
            else:
                self._add(text)

    def _add(self, text: str) -> None:
        if not self._state.is_silent and not self._state.is_hidden:
            self._flow.runs.append((text, self._state.is_raised))
