"""Some hundred generated files: no word is lost, and a word that is taken out is missed."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, Phase, given, settings, strategies

from .conftest import Compared
from .office import docx, epub, odt, pdf, pptx, xlsx
from .texts import csv, html, json_, mail, markdown, notebook, rtf, text, xml
from .words import Words

MAKERS: dict[str, tuple[Callable[[Words], bytes], int]] = {
    "a.html": (html, 40), "a.xml": (xml, 40), "a.json": (json_, 40), "a.csv": (csv, 30),
    "a.txt": (text, 25), "a.md": (markdown, 25), "a.eml": (mail, 25), "a.docx": (docx, 25),
    "a.xlsx": (xlsx, 15), "a.odt": (odt, 25), "a.epub": (epub, 10), "a.rtf": (rtf, 10),
    "a.pptx": (pptx, 4), "a.pdf": (pdf, 8), "a.ipynb": (notebook, 5),
}  # fmt: skip
"""Makes a file of each format; how many are made."""


def bare(text: str) -> str:
    return re.sub(r"\W", "", text).casefold()


@pytest.mark.parametrize("name", MAKERS)
def test_generated_files_keep_all_words(name: str, compared: Compared) -> None:
    for module in {"a.pdf": ["reportlab"], "a.pptx": ["pptx"]}.get(name, []):
        pytest.importorskip(module)
    make, count = MAKERS[name]

    @settings(
        max_examples=count, derandomize=True, database=None, deadline=None,
        suppress_health_check=[*HealthCheck], phases=[Phase.explicit, Phase.generate],
    )  # fmt: skip
    @given(strategies.integers(0, 1 << 32))
    def check(seed: int) -> None:
        words = Words(random.Random(seed))
        data = make(words)
        kept, text, everything = compared(name, data)
        if kept is None:
            assert name in ("a.txt", "a.md", "a.csv")  # byte for byte
        else:
            assert (kept.lost, kept.gained) == (0, 0), str(kept)
        whole = bare(everything)
        missing = [word for word in words.made if bare(word) not in whole]
        assert name == "a.txt" or not missing  # in an encoding that nothing names
        only_in_text = (
            word for word in words.made
            if word.isascii() and f" {word} " in text and everything.count(word) == text.count(word)
        )  # fmt: skip
        if word := next(only_in_text, ""):
            less = compared(name, data, without=word).kept
            assert less is not None
            assert less.lost or less.gained

    check()
