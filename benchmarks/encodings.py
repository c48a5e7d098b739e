"""How many short texts in older encodings are read rightly: ours, and charset-normalizer alone.

    python benchmarks/encodings.py [FOLDER…]    # default: /usr/share/locale

The texts are translations of programs: the catalogues (`LANGUAGE/LC_MESSAGES/*.mo`) in the folders,
all sentences of a language in the order of the programs' names, cut at 200, 600 and 3,000
characters, two texts of each length. Each is encoded as computers of its country did before
UTF-8; letters that the encoding lacks are left out with their sentence. A text is right if each
letter is. Prints the share by encoding and writes `benchmarks/results/encodings.json`.
"""

from __future__ import annotations

import gettext
import io
import json
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from charset_normalizer import from_bytes

from hopyard.indexes.documents.readers.encoding import encoding_of
from hopyard.state.errors import CorpusError

ROOT: Final = Path(__file__).resolve().parents[1]
RESULTS: Final = ROOT / "benchmarks" / "results" / "encodings.json"
LENGTHS: Final = (200, 600, 3000)
TEXTS: Final = 2
SENTENCE: Final = re.compile(r"[^\n%<>{}_|\\]{25,200}")
"""Translations that are words, not options or templates."""
LANGUAGES: Final = {
    "cp1252": "da de es fr is it nl nb pt sv fi",
    "cp1250": "cs hr hu pl ro sk sl",
    "cp1251": "bg ru uk sr",
    "koi8_r": "ru",
    "cp1253": "el",
    "cp1254": "tr",
    "cp1255": "he",
    "cp1256": "ar",
    "cp1257": "et lt lv",
    "cp874": "th",
    "cp932": "ja",
    "euc_jp": "ja",
    "iso2022_jp": "ja",
    "gb18030": "zh_CN",
    "big5": "zh_TW",
    "cp949": "ko",
    "cp1258": "vi",
}


def main() -> None:
    """Count, print and write."""
    folders = [Path(name) for name in sys.argv[1:]] or [Path("/usr/share/locale")]
    right: dict[str, Counter[str]] = {"hopyard": Counter(), "charset_normalizer": Counter()}
    total: Counter[str] = Counter()
    languages, wrong, began = set(), [], time.process_time()
    for encoding, names in LANGUAGES.items():
        for language in names.split():
            for length, text in texts(folders, language, encoding):
                data = text.encode(encoding)
                if data.isascii() and encoding != "iso2022_jp":
                    continue
                languages.add(language)
                total[encoding] += 1
                ours = read(data) == text
                best = from_bytes(data).best()
                right["hopyard"][encoding] += ours
                right["charset_normalizer"][encoding] += best is not None and str(best) == text
                if not ours:
                    wrong.append(f"{language} in {encoding}, {length} characters")
    found = {
        "command": " ".join(["python", "benchmarks/encodings.py", *sys.argv[1:]]),
        "texts": total.total(), "encodings": len(total), "languages": len(languages),
        **{name: round(some.total() / total.total(), 4) for name, some in right.items()},
        "each": {each: [total[each], *(some[each] for some in right.values())] for each in total},
        "wrong": dict(Counter(wrong)), "seconds": round(time.process_time() - began),
    }  # fmt: skip
    print(json.dumps(found, indent=1, ensure_ascii=False))
    RESULTS.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")


def read(data: bytes) -> str:
    """A text as Hopyard reads it; "" if it is refused."""
    try:
        return data.decode(encoding_of(io.BytesIO(data), "", "")[0])
    except (CorpusError, UnicodeError):
        return ""


def texts(folders: list[Path], language: str, encoding: str) -> Iterator[tuple[int, str]]:
    """Texts of each length that the encoding can write."""
    sentences = [line for line in translations(folders, language) if written(line, encoding)]
    for length in LENGTHS:
        rest = iter(sentences)
        for _ in range(TEXTS):
            lines: list[str] = []
            while sum(map(len, lines)) < length and (line := next(rest, "")):
                lines.append(line)
            if sum(map(len, lines)) >= length:
                yield length, "\n".join(lines)[:length].strip()


def translations(folders: list[Path], language: str) -> Iterator[str]:
    """The sentences of all programs in a language, each once."""
    seen: set[str] = set()
    for folder in folders:
        for file in sorted(folder.glob(f"{language}/LC_MESSAGES/*.mo")):
            try:
                with file.open("rb") as stream:
                    catalogue = vars(gettext.GNUTranslations(stream))["_catalog"]
            except (OSError, UnicodeError):  # a catalogue in an encoding that it does not name
                continue
            for source, line in sorted(catalogue.items(), key=str):
                if source and line != source and SENTENCE.fullmatch(line) and line not in seen:
                    seen.add(line)
                    yield line


def written(line: str, encoding: str) -> bool:
    """Whether a sentence has letters beyond ASCII, and all are in an encoding."""
    try:
        return not line.isascii() and line.encode(encoding).decode(encoding) == line
    except UnicodeError:
        return False


if __name__ == "__main__":
    main()
