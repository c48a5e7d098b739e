"""Which library reads the files of the tests as well as Hopyard's own readers?

    python benchmarks/libraries.py FOLDER     # a folder of `pip install --target`, or of a venv

The folder needs the programs of `versions` in the results: markitdown and unstructured with the
extras of these formats, trafilatura with lxml_html_clean.

The inputs are all files of at most 200 kB that the tests of `tests/indexes/documents/readers` read:
small files that were mostly made from public reports of errors. Hopyard passes these tests, so the
order of its words is taken as right. `kept` is the share of a file's words that a program gives,
by `indexes/documents/kept`, which uses no reader; a file that a program refuses counts as 0.
`order` is the share of the words that both texts have and that are in the same order (`difflib`).
`whole` counts the files of which the program gives all of Hopyard's words in the same order.
`seconds` are those of the processor for all files that it reads, in one process.
The tests leave out of office files what Hopyard does not need; it is added for the libraries.
Writes `benchmarks/results/libraries.json`.
"""

from __future__ import annotations

import argparse
import io
import json
import logging
import signal
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from difflib import SequenceMatcher
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final, NoReturn

from library_inputs import ROOT, Input, inputs_of_the_tests
from library_programs import PROGRAMS, Program

from hopyard.indexes.documents.kept.compare import FileWords, compare
from hopyard.indexes.documents.kept.table import EXTRACTORS
from hopyard.indexes.documents.kept.words import words_in_order
from hopyard.indexes.documents.readers import table
from hopyard.indexes.documents.readers.base import Content, Source

RESULTS: Final = ROOT / "benchmarks" / "results" / "libraries.json"
PATIENCE: Final = 10
"""Seconds of the processor for one file."""


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where the other libraries are installed")
    parser.add_argument("--only", nargs="+", help="suffixes; the other rows stay as they are")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    logging.disable()
    inputs = inputs_of_the_tests()
    sys.path.append(str(options.folder))
    rows = json.loads(RESULTS.read_text())["rows"] if options.only else []
    for suffix, programs in PROGRAMS.items():
        if options.only and suffix not in options.only:
            continue
        rows = [row for row in rows if row["suffix"] != suffix]
        some = [each for each in inputs if each.suffix == suffix]
        for name, make in (("hopyard", None), *programs.items()):
            rows.append(row_of(suffix, name, some, make))
            print(json.dumps(rows[-1], ensure_ascii=False), flush=True)
    names = sorted({row["program"] for row in rows} - {"hopyard"})
    found = {
        "command": "python benchmarks/libraries.py FOLDER",
        "versions": {name: version_of(name) for name in names},
        "rows": rows,
    }
    RESULTS.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")


def row_of(
    suffix: str, name: str, inputs: list[Input], make: Callable[[], Program] | None
) -> dict[str, Any]:
    """The share that one program keeps of the files of one format."""
    row: dict[str, Any] = {"suffix": suffix, "program": name, "inputs": len(inputs)}
    kept: list[float] = []
    order: list[float] = []
    whole, refused, seconds = 0, 0, 0.0
    if make is not None:
        try:
            program = make()
        except Exception as error:  # it is missing, or lacks a part
            return {**row, "error": " ".join(str(error).split())[:100]}
    with tempfile.TemporaryDirectory() as folder:
        for each in inputs:
            path = Path(folder) / f"file{each.suffix}"
            path.write_bytes(each.data)
            read = program if make is not None else ours
            began = time.process_time()
            try:
                with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()), patient():
                    text = read(path)
            except Exception:  # each program fails in its own way
                text, refused = "", refused + 1
            else:
                seconds += time.process_time() - began
            if (share := kept_share(each, text)) is not None:
                kept.append(share)
            right, words = words_in_order(each.text), words_in_order(text)
            same = SequenceMatcher(None, right, words, autojunk=False).get_matching_blocks()
            both = sum((Counter(right) & Counter(words)).values())
            order.append(sum(block.size for block in same) / both if both else 0.0)
            rest = iter(words)
            whole += all(word in rest for word in right)
    return {
        **row, "refused": refused, "kept": mean(kept), "order": mean(order), "whole": whole,
        "seconds": round(seconds, 2),
    }  # fmt: skip


def ours(path: Path) -> str:
    """A file by Hopyard's reader."""
    source = Source(path.name, partial(path.open, "rb"))
    kind = table.format_of(path.name)
    texts = [
        "".join(each.text)
        for each in (kind.read(source) if kind else ())
        if isinstance(each, Content)
    ]
    return "".join(texts)


def kept_share(given: Input, text: str) -> float | None:
    """The share of the file's words that a text has; None where nothing can be compared."""
    kind = table.format_of(f"file{given.suffix}")
    extract = EXTRACTORS.get(kind.suffixes[0]) if kind else None
    if extract is None or given.suffix == ".pdf":
        return shares_of_words(given.text, text)
    found = FileWords()
    try:
        extract(Source(f"file{given.suffix}", partial(io.BytesIO, given.data)), found)
    except Exception:  # a file that only its reader understands
        return None
    return compare(found, [text]).share


def shares_of_words(right: str, text: str) -> float:
    """The share of the words of one text that another has."""
    words = Counter(words_in_order(right))
    return sum((words & Counter(words_in_order(text))).values()) / max(1, words.total())


def mean(shares: list[float]) -> float:
    """Their mean; 0 of none."""
    return round(sum(shares) / max(1, len(shares)), 3)


def version_of(name: str) -> str:
    """Which version of a library was measured; "" where it is not installed."""
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


class patient:  # noqa: N801  (used as a function)
    """Stops a program that needs too long for one file."""

    def __enter__(self) -> None:
        signal.signal(signal.SIGPROF, self.stop)
        signal.setitimer(signal.ITIMER_PROF, PATIENCE)

    def __exit__(self, *_: object) -> None:
        signal.setitimer(signal.ITIMER_PROF, 0)

    def stop(self, *_: object) -> NoReturn:
        """End it."""
        raise TimeoutError


if __name__ == "__main__":
    main()
