"""Numbers of lists and headings as Word shows them.

Source: ECMA-376, part 1, 17.9 (numbering) and 17.18.59 (number formats).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final, NamedTuple
from xml.etree.ElementTree import Element

from hopyard.indexes.documents.readers.marks import numeral
from hopyard.indexes.documents.readers.word.package import is_on, value
from hopyard.indexes.documents.readers.word.styles import Style, Styles, look_of
from hopyard.indexes.documents.readers.word.symbols import in_font

_LEVELS: Final = 9
_NUMERALS: Final = {"lowerLetter": "a", "upperLetter": "A", "lowerRoman": "i", "upperRoman": "I"}
_LETTERS: Final = {
    "russianLower": "абвгдежзиклмнопрстуфхцчшщыэюя",
    "russianUpper": "АБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЫЭЮЯ",
    "ganada": "가나다라마바사아자차카타파하",
    "chosung": "ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ",
    "aiueoFullWidth": "アイウエオカキクケコサシスセソタチツテトナニヌネノ",
    "irohaFullWidth": "イロハニホヘトチリヌルヲワカヨタレソツネナラム",
    "ideographTraditional": "甲乙丙丁戊己庚辛壬癸",
    "ideographZodiac": "子丑寅卯辰巳午未申酉戌亥",
    "chicago": "*†‡§",
}
_DIGITS: Final = {
    "decimalFullWidth": "０１２３４５６７８９",
    "hindiNumbers": "०१२३४५६७८९",
    "thaiNumbers": "๐๑๒๓๔๕๖๗๘๙",
    "hindiArabic": "٠١٢٣٤٥٦٧٨٩",
    "ideographDigital": "〇一二三四五六七八九",
    "koreanDigital": "영일이삼사오육칠팔구",
}
_HAN: Final = (
    *("chineseCounting", "chineseCountingThousand", "japaneseCounting"),
    *("taiwaneseCounting", "taiwaneseCountingThousand"),
)
_TENS: Final = {
    **dict.fromkeys(_HAN, "十一二三四五六七八九"),
    "koreanCounting": "십일이삼사오육칠팔구",
}
"""Ten, and the digits from one."""
_ENCLOSED: Final = {
    "decimalEnclosedCircle": 0x2460,
    "decimalEnclosedCircleChinese": 0x2460,
    "decimalEnclosedParen": 0x2474,
    "decimalEnclosedFullstop": 0x2488,
}
"""The characters for 1, of twenty."""
_BOXES: Final = frozenset("☐☑☒□◻❏❐❑❒✓✔✗✘🗸🗴🗷🗹🗵")
"""Bullets that say something: boxes to tick, and ticks."""


class _Level(NamedTuple):
    start: int
    form: str
    text: str
    restart: int
    """It begins again after paragraphs of levels before this one."""
    style: str
    legal: bool
    """Whether numbers of all levels are shown in decimal."""
    close: bool
    """Whether nothing separates the number from the text."""


class _List(NamedTuple):
    counted_by: str
    """Lists with the same key count on from each other."""
    levels: Mapping[int, _Level]
    starts: Mapping[int, int]
    """Levels that begin again with the list, and their first numbers."""


class Numbering:
    """The lists of a file, and how far each is counted."""

    def __init__(self, root: Element | None, styles: Styles) -> None:
        self._styles = styles
        found = root if root is not None else ()
        self._forms = {
            node.get("abstractNumId", ""): node for node in found if node.tag == "abstractNum"
        }
        self._given = {node.get("numId", ""): node for node in found if node.tag == "num"}
        self._lists: dict[str, _List | None] = {}
        self._counts: dict[str, dict[int, int]] = {}
        self._begun: set[tuple[str, int]] = set()

    def place(self, properties: Element | None, style: Style) -> tuple[str, int] | None:
        """The list and level of a paragraph with properties (`pPr`); None if it is in no list."""
        given = value(properties, "numPr/numId")
        list_id = given or style.list_id
        found = self._list(list_id)
        if found is None:
            return None
        level = value(properties, "numPr/ilvl")
        if level.isdecimal():
            return list_id, min(int(level), _LEVELS - 1)
        linked = (
            number for number, node in found.levels.items() if node.style == style.numbered_by
        )
        if given and given != style.list_id:
            return list_id, 0
        return list_id, next(linked, style.list_level or 0)

    def label(self, list_id: str, level: int) -> str:
        """Count a paragraph.

        Returns:
            Its number with a space, "- " for a bullet, "" if Word shows nothing.
        """
        found = self._list(list_id)
        if found is None:
            return ""
        counts = self._counts.setdefault(found.counted_by, {})
        if level in found.starts and (list_id, level) not in self._begun:
            self._begun.add((list_id, level))
            counts.pop(level, None)
        form = found.levels.get(level)
        counts[level] = counts[level] + 1 if level in counts else self._start(found, level)
        for deeper in [node for node in counts if node > level]:
            lower = found.levels.get(deeper)
            if lower is None or level < lower.restart:
                del counts[deeper]
        if form is None:
            return ""
        if form.form == "bullet":
            return f"- {form.text} " if form.text in _BOXES else "" if form.text == " " else "- "
        shown = form.text
        for upper in range(level, -1, -1):
            if f"%{upper + 1}" in shown:
                node = found.levels.get(upper)
                count = counts.get(upper, self._start(found, upper))
                style = "decimal" if form.legal or node is None else node.form
                shown = shown.replace(f"%{upper + 1}", number(count, style))
        return shown if form.close or not shown.strip() else f"{shown.strip()} "

    @staticmethod
    def _start(found: _List, level: int) -> int:
        form = found.levels.get(level)
        return found.starts.get(level, form.start if form else 1)

    def _list(self, list_id: str) -> _List | None:
        if list_id not in self._lists:
            self._lists[list_id] = self._read(list_id)
        return self._lists[list_id]

    def _read(self, list_id: str) -> _List | None:
        given = self._given.get(list_id)
        key = value(given, "abstractNumId")
        form = self._forms.get(key)
        if given is None or form is None or list_id == "0":
            return None
        if linked := value(form, "numStyleLink"):
            other = self._given.get(self._styles.of(linked).list_id)
            key = value(other, "abstractNumId") or key
            form = self._forms.get(key, form)
        levels = {_place(node): _level(node) for node in form.findall("lvl")}
        starts: dict[int, int] = {}
        for change in given.findall("lvlOverride"):
            if (lvl := change.find("lvl")) is not None:
                levels[_place(change)] = _level(lvl)
            if (start := value(change, "startOverride")).isdecimal():
                starts[_place(change)] = int(start)
        return _List(key, levels, starts)


def number(count: int, form: str) -> str:
    """A number in one of Word's formats; in decimal where the format is not known."""
    if form.startswith("0"):  # a format of one's own: "001, 002, 003, ..."
        return str(count).zfill(len(form.partition(",")[0]))
    return _FORMATS.get(form, str)(count)


def _lettered(letters: str, count: int) -> str:
    again, place = divmod(count - 1, len(letters))
    return letters[place] * (again + 1) if count > 0 else str(count)


def _in_digits(digits: str, count: int) -> str:
    return str(count).translate(str.maketrans("0123456789", digits))


def _in_tens(names: str, count: int) -> str:
    if not 0 < count < 100:
        return str(count)
    tens, rest = divmod(count, 10)
    before = names[tens] if tens > 1 else ""
    return f"{before}{names[0] if tens else ''}{names[rest] if rest else ''}"


def _enclosed(first: int, count: int) -> str:
    return chr(first + count - 1) if 0 < count <= 20 else str(count)


def _ordinal(count: int) -> str:
    last = "" if count % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(count % 10, "")
    return f"{count}{last or 'th'}"


_FORMATS: Final[Mapping[str, Callable[[int], str]]] = {
    "bullet": lambda _: "",
    "none": lambda _: "",
    "decimalZero": lambda count: f"{count:02}",
    "numberInDash": lambda count: f"- {count} -",
    "ordinal": _ordinal,
    **{name: partial(numeral, style=style) for name, style in _NUMERALS.items()},
    **{name: partial(_lettered, letters) for name, letters in _LETTERS.items()},
    **{name: partial(_in_digits, digits) for name, digits in _DIGITS.items()},
    **{name: partial(_in_tens, names) for name, names in _TENS.items()},
    **{name: partial(_enclosed, first) for name, first in _ENCLOSED.items()},
}


def _place(element: Element) -> int:
    given = element.get("ilvl", "0")
    return int(given) if given.isdecimal() else 0


def _level(element: Element) -> _Level:
    start = value(element, "start")
    restart = value(element, "lvlRestart")
    place = _place(element)
    form = next(iter(element.iter("numFmt")), None)
    name = form.get("val", "decimal") if form is not None else "decimal"
    return _Level(
        int(start) if start.isdecimal() else 0,
        form.get("format", "") if form is not None and name == "custom" else name,
        in_font(value(element, "lvlText"), look_of(element.find("rPr")).font),
        min(int(restart), place) if restart.isdecimal() else place,
        value(element, "pStyle"),
        bool(is_on(element, "isLgl")),
        value(element, "suff") == "nothing",
    )
