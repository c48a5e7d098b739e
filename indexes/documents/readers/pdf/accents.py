"""Accents that are drawn over letters, as TeX does with its older fonts: `Br¨oker` is Bröker."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Any, Final

import pypdfium2.raw as pdfium

from hopyard.indexes.documents.readers.pdf.native import places
from hopyard.indexes.documents.readers.pdf.places import Word

_COMBINING: Final = dict(
    zip(
        "´`¨ˆ˜¯˘˙˚¸˝˛ˇ",
        "\u0301\u0300\u0308\u0302\u0303\u0304\u0306\u0307\u030a\u0327\u030b\u0328\u030c",
        strict=True,
    )
)
_ACCENTED: Final = re.compile(f"[{''.join(_COMBINING)}][^\\W\\d_]")
_WITHOUT_DOT: Final = {"ı": "i", "ȷ": "j"}


def join_accents(page: Any, words: Sequence[Word]) -> dict[str, str]:
    """Join accents and the letters below them; which pairs became which letters.

    An accent beside a letter, as in `it´s`, stays.
    """
    joined: dict[str, str] = {}
    if not _ACCENTED.search(" ".join([word.text for word in words])):  # nearly every page
        return joined
    for word in words:
        for found in reversed([*_ACCENTED.finditer(word.text)] if word.first >= 0 else []):
            pair = found[0]
            accent, letter = pair[0], pair[1]
            number = word.first + found.start()
            whole = unicodedata.normalize(
                "NFC", _WITHOUT_DOT.get(letter, letter) + _COMBINING[accent]
            )
            if len(whole) > 1 or pdfium.FPDFText_GetUnicode(page.raw, number) != ord(accent):
                continue
            above, below = places(page, [number, number + 1])
            if below[0] <= (above[0] + above[2]) / 2 <= below[2]:
                word.text = f"{word.text[: found.start()]}{whole}{word.text[found.end() :]}"
                joined[pair] = whole
    return joined
