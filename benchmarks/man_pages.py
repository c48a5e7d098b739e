"""BM25 by the language of each passage, on translated manual pages. No chat model.

    python benchmarks/man_pages.py DATA [/usr/share/man]

The corpus is the manual pages of seven languages that this machine has, at most 120 of each, among
the English articles of DATA/multihoprag. A page is searched by the description at its top, which is
cut off. Counts, in percent, how often the page is first and among the first five, with stems and
stop words of three kinds: of the corpus's language; of the language that the classifier finds in
each passage and each question; and of the true language. Needs groff. Writes
`benchmarks/results/man_pages.json`.
"""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any, Final
from unittest.mock import patch

from hopyard.indexes.documents.loaders import load
from hopyard.indexes.kinds.sparse.bm25 import SparseIndex
from hopyard.indexes.kinds.sparse.words import Words
from hopyard.indexes.text.language import detect_language

RESULTS: Final = Path(__file__).parent / "results" / "man_pages.json"
LANGUAGES: Final = ("de", "es", "fr", "it", "nl", "pl", "sv")
MOST: Final = 120
LENGTH: Final = 1500
"""Characters of a page."""
GROFF: Final = ("groff", "-k", "-K", "utf-8", "-man", "-Tutf8", "-P-c", "-rLL=2000n")
_FIRST: Final = re.compile(
    r"^[^\W\d_]{3,30}\n\s+\S[^\n]*?\s+[-‐-—]+\s+([^\n]+(?:\n\s{3,}\S[^\n]*)*)\n", re.MULTILINE
)
_OF: Final = Words.of


def pages(folder: Path, language: str) -> Iterator[tuple[str, str, str]]:
    """The name, the description and the rest of pages."""
    seen: set[str] = set()
    for file in sorted(folder.glob("man*/*.gz")):
        page = gzip.decompress(file.read_bytes())
        made = subprocess.run(GROFF, input=page, capture_output=True, check=False)
        text = re.sub(r".\x08", "", made.stdout.decode("utf-8", "replace"))
        if not (first := _FIRST.search(text)):
            continue
        asked, rest = (" ".join(part.split()) for part in (first[1], text[first.end() :]))
        if len(asked.split()) > 2 and len(rest) > 300 and asked not in seen and len(seen) < MOST:
            seen.add(asked)
            yield f"{language}-{file.stem}", asked, rest[:LENGTH]


def place(index: SparseIndex, question: str, wanted: str) -> int:
    """The place of a page among the first five, from 0; 5 if it is not there."""
    found = [name for name, _ in index.search(question, 5)]
    return found.index(wanted) if wanted in found else 5


def main() -> None:
    """Measure and write."""
    data, man = Path(sys.argv[1]), Path((*sys.argv, "/usr/share/man")[2])
    asked = {name: [*pages(man / name, name)] for name in LANGUAGES}
    english = load([str(data / "multihoprag" / "corpus.jsonl")]).documents
    texts = {f"en-{each.id}": str(each.text) for each in english}
    texts |= {name: rest for rows in asked.values() for name, _, rest in rows}
    texts = dict(sorted(texts.items()))
    true = {text: name for name, rows in asked.items() for _, *both in rows for text in both}
    ways: dict[str, Callable[[str], str]] = {
        "corpus": lambda _: "en",
        "passage": lambda text: detect_language([text]),
        "true": lambda text: true.get(text, "en"),
    }
    found: dict[str, Any] = {
        "pages": {name: len(rows) for name, rows in asked.items()},
        "detected": round(fmean(detect_language([text]) == name for text, name in true.items()), 3),
    }
    for way, language in ways.items():

        def words_of(
            words: Words, parts: Sequence[str], language: Callable[[str], str] = language
        ) -> list[list[str]]:
            return [_OF(replace(words, language=language(text)), [text])[0] for text in parts]

        with patch.object(Words, "of", words_of):
            index = SparseIndex.build([*texts], [(text,) for text in texts.values()])
            places = {
                name: [place(index, text, wanted) for wanted, text, _ in rows]
                for name, rows in asked.items()
            }
        lists = {**places, "all": [each for rows in places.values() for each in rows]}
        found[way] = {
            name: [round(100 * fmean(each < most for each in row), 1) for most in (1, 5)]
            for name, row in lists.items()
        }
    RESULTS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
