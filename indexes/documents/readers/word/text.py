"""The text of paragraphs: runs, fields, tracked changes, symbols, equations, marks of notes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Final, NamedTuple
from xml.etree.ElementTree import Element

from hopyard.indexes.documents.readers.word.equations import linear
from hopyard.indexes.documents.readers.word.fields import (
    BOXES,
    NO_RESULT,
    Field,
    control_value,
    form_value,
    unpaired,
)
from hopyard.indexes.documents.readers.word.numbers import number
from hopyard.indexes.documents.readers.word.package import value
from hopyard.indexes.documents.readers.word.styles import Look, Styles, look_of
from hopyard.indexes.documents.readers.word.symbols import in_font, symbol

_SPACE: Final = re.compile(r"[ \t\r\n]+")
_SPACES: Final = re.compile("[ \t]+")
_LINE_ENDS: Final = re.compile(" *\n[ \n]*")
_SILENT: Final = frozenset(
    ("pPr", "rPr", "sdtPr", "sdtEndPr", "rubyPr", "delInstrText", "footnoteRef", "endnoteRef")
)
_ADDED: Final = re.compile(
    r"Description automatically generated.*|AI-generated content may be incorrect\.?|"
    r"\S+\.(?:png|jpe?g|gif|svg|emf|wmf)$",
    re.IGNORECASE,
)
"""Texts that programs write into the description of a picture."""
_BEARING: Final = frozenset(
    ("t", "sym", "a_t", "m_t", "c_chart", "cx_chart", "dgm_relIds", "v_textpath", "object")
)
"""Elements that a branch has whose text is read."""


class Attached(NamedTuple):
    """A thing beside the text of a paragraph, which is read after it."""

    kind: str
    """`box`, `drawn`, `chart`, `diagram`, `footnote`, `endnote` or `comment`."""
    element: Element
    mark: str = ""
    """How the text names a note."""


class Marks:
    """Counts footnotes and endnotes in the order of their marks."""

    def __init__(self, forms: Mapping[str, str]) -> None:
        self._forms = forms
        self._counts: Counter[str] = Counter()

    def next(self, kind: str) -> str:
        """The next mark of a kind of note."""
        self._counts[kind] += 1
        return number(self._counts[kind], self._forms[kind])


class _Line:
    """Text with marks: `^` before raised characters, `~~` around struck text."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self._raised = self._struck = False

    def add(self, text: str, look: Look) -> None:
        if not text.strip():
            self.pieces.append(text)
            return
        raised, struck = bool(look.raised), bool(look.struck)
        if struck != self._struck:
            self.pieces.append("~~")
        if raised and not self._raised and not text.startswith("["):
            self.pieces.append("^")
        self.pieces.append(text)
        self._raised, self._struck = raised, struck

    def end(self) -> str:
        return "".join(self.pieces) + "~~" * self._struck


class Text:
    """Reads the paragraphs of a part in their order: fields reach over several."""

    def __init__(self, root: Element, styles: Styles, marks: Marks, left_out: Counter[str]) -> None:
        self._styles = styles
        self._marks = marks
        self._left_out = left_out
        self._fields: list[Field] = []
        self._unpaired = unpaired(root)
        self._line = _Line()
        self._attached: list[Attached] = []
        self._unseen = {"hidden": "", "deleted": ""}
        self._readers: Mapping[str, Callable[[Element, Look], None]] = {
            "r": self._run,
            "t": self._plain,
            "tab": lambda _, look: self._add(" ", look),
            "ptab": lambda _, look: self._add(" ", look),
            "br": lambda _, look: self._add("\n", look),
            "cr": lambda _, look: self._add("\n", look),
            "noBreakHyphen": lambda _, look: self._add("-", look),
            "sym": self._symbol,
            "ruby": self._ruby,
            "fldChar": self._field_mark,
            "instrText": self._instruction,
            "sdt": self._control,
            "del": self._deleted,
            "moveFrom": self._deleted,
            "mc_AlternateContent": self._branches,
            "m_oMath": lambda element, look: self._add(linear(element), look),
            "m_oMathPara": self._equations,
            "footnoteReference": lambda element, look: self._note("footnote", element, look),
            "endnoteReference": lambda element, look: self._note("endnote", element, look),
            "commentReference": lambda element, _: self._attach("comment", element),
            "txbxContent": lambda element, look: self._box("box", element, look),
            "a_p": lambda element, look: self._box("drawn", element, look),
            "c_chart": lambda element, look: self._box("chart", element, look),
            "dgm_relIds": lambda element, look: self._box("diagram", element, look),
            "v_textpath": lambda element, look: self._add(f" {element.get('string', '')} ", look),
            "cx_chart": lambda element, look: self._box("chart", element, look),
            "object": lambda *_: self._count("embedded object"),
            "control": lambda *_: self._count("form control"),
            "subDoc": lambda *_: self._count("subdocument"),
            "wp_docPr": self._description,
            "a_blip": lambda *_: self._count("picture"),
            "v_imagedata": lambda *_: self._count("picture"),
        }

    def read(self, elements: Iterable[Element], look: Look) -> tuple[str, list[Attached]]:
        """The text of a paragraph, whose style has a look, and what is attached to it."""
        self._line, self._attached = _Line(), []
        for element in elements:
            self._walk(element, look)
        self.count_words()
        text = _SPACES.sub(" ", self._line.end().replace("\u00ad", ""))
        return _LINE_ENDS.sub(lambda ends: ends[0].replace(" ", "")[:2], text), self._attached

    def skip(self, element: Element) -> None:
        """Count the words of an element that is deleted."""
        self._deleted(element, Look())
        self.count_words()

    def count_words(self) -> None:
        """Count the words that were passed over."""
        for name, text in self._unseen.items():
            if words := len(text.split()):
                self._left_out[f"{name} word"] += words
            self._unseen[name] = ""

    def _walk(self, element: Element, look: Look) -> None:
        if read := self._readers.get(element.tag):
            read(element, look)
        elif element.tag not in _SILENT:
            for child in element:
                self._walk(child, look)

    def _add(self, text: str, look: Look) -> None:
        if any(not field.in_result for field in self._fields):
            return
        if look.hidden:
            self._unseen["hidden"] += text
            return
        if text.strip():
            for field in self._fields:
                field.shown = True
        self._line.add(text, look)

    def _run(self, run: Element, look: Look) -> None:
        properties = run.find("rPr")
        own = look_of(properties)
        styled = self._styles.of(value(properties, "rStyle")).look
        look = own.over(styled).over(look)
        for child in run:
            self._walk(child, look)

    def _plain(self, element: Element, look: Look) -> None:
        self._add(in_font(_SPACE.sub(" ", element.text or ""), look.font), look)

    def _symbol(self, element: Element, look: Look) -> None:
        try:
            shown = symbol(int(element.get("char", ""), 16), element.get("font", ""))
        except ValueError:
            shown = ""
        if shown:
            self._add(shown, look)
        else:
            self._count("symbol")

    def _ruby(self, element: Element, look: Look) -> None:
        for part in element.iter("rubyBase"):
            self._walk(part, look)
        self._add("(", look)
        for part in element.iter("rt"):
            self._walk(part, look)
        self._add(")", look)

    def _equations(self, element: Element, look: Look) -> None:
        for node in element:
            self._walk(node, look)
            self._add("\n", look)

    def _field_mark(self, element: Element, look: Look) -> None:
        if element in self._unpaired:
            return
        kind = element.get("fldCharType")
        if kind == "begin":
            self._fields.append(Field(element.find("ffData")))
        elif kind == "separate" and self._fields:
            self._fields[-1].in_result = True
        elif self._fields:
            field = self._fields.pop()
            if not field.shown and field.form is not None:
                self._add(form_value(field.form), look)
            elif not field.shown and field.name in NO_RESULT:
                self._count(f"{field.name} field")

    def _instruction(self, element: Element, _: Look) -> None:
        if self._fields:
            self._fields[-1].instruction += element.text or ""

    def _control(self, element: Element, look: Look) -> None:
        """A content control. A tick box is shown by its state, whatever sign stands for it."""
        properties = element.find("sdtPr")
        content = element.find("sdtContent")
        if properties is not None and (box := properties.find("w14_checkbox")) is not None:
            ticked = value(box, "w14_checked", "w14_val") in ("1", "true", "on")
            self._add(BOXES[ticked], look)
            return
        before = len(self._line.pieces)
        if content is not None:
            self._walk(content, look)
        if not "".join(self._line.pieces[before:]).strip():
            self._add(control_value(properties), look)

    def _deleted(self, element: Element, _: Look) -> None:
        self._unseen["deleted"] += "".join(
            " " if node.tag in ("p", "tab", "br") else node.text or ""
            for node in element.iter()
            if node.tag in ("t", "delText", "p", "tab", "br")
        )

    def _branches(self, element: Element, look: Look) -> None:
        if (branch := chosen_branch(element)) is not None:
            for child in branch:
                self._walk(child, look)

    def _description(self, element: Element, look: Look) -> None:
        """The text that a person gave a picture, without the lines that Word adds."""
        if words := " ".join(_ADDED.sub("", element.get("descr", "")).split()):
            self._add(f" [{words}] ", look)

    def _note(self, kind: str, element: Element, look: Look) -> None:
        custom = element.get("customMarkFollows") in ("1", "true", "on")
        mark = "" if custom else self._marks.next(kind)
        if mark:
            self._add(f"[{mark}]", look)
        self._attach(kind, element, mark)

    def _box(self, kind: str, element: Element, look: Look) -> None:
        if look.hidden:
            self._unseen["hidden"] += " ".join(node.text or "" for node in element.iter("t"))
        else:
            self._attach(kind, element)

    def _attach(self, kind: str, element: Element, mark: str = "") -> None:
        self._attached.append(Attached(kind, element, mark))

    def _count(self, name: str) -> None:
        self._left_out[name] += 1


def chosen_branch(element: Element) -> Element | None:
    """The branch of alternative contents that is read: the first with text, else the first."""
    branches = [*element.findall("mc_Choice"), *element.findall("mc_Fallback")]
    with_text = (
        branch for branch in branches if any(node.tag in _BEARING for node in branch.iter())
    )
    return next(with_text, branches[0] if branches else None)
