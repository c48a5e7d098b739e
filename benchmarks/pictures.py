"""How long the picture of a page takes, how large it is, and how long a quote's rectangles take.

    python benchmarks/pictures.py ../shared/data/financebench/pdf

Ten pages of each of the first four PDF files are drawn. Ten sentences of each file that stand in it
once are marked: with the page's lines from the index, the rectangles alone, and the check that the
file has these words there. Times are those of the processor.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any, Final

import hopyard
from hopyard.indexes.listing import open_corpus
from hopyard.indexes.passages.marks import find_marks, marks_of, quoted_part
from hopyard.indexes.text.sentences import sentence_spans
from hopyard.state.storage.atomic import write_file
from hopyard.web.pictures import WIDTHS, count_pages, draw_page, is_there

RESULT: Final = Path(__file__).parent / "results" / "pictures.json"
LONG: Final = 60
"""Characters of a sentence at least."""


def main() -> None:
    """Measure and write the result."""
    chance, drawn, sizes = random.Random(0), list[float](), list[float]()
    files = sorted(Path(sys.argv[1]).rglob("*.pdf"))[:4]
    for file in files:
        for number in chance.sample(range(1, (pages := count_pages(file)) + 1), min(10, pages)):
            picture, spent = timed(
                lambda file=file, number=number: draw_page(file, number, WIDTHS[0])
            )
            drawn.append(spent)
            sizes.append(len(picture) / 1000)
    found = {
        "pages": len(sizes),
        "milliseconds, median": round(median(drawn), 1),
        "milliseconds, most": round(max(drawn), 1),
        "kB, median": round(median(sizes)),
        "kB, most": round(max(sizes)),
        "under 100 kB": sum(size < 100 for size in sizes),
        "quotes": quotes(files, chance),
    }
    print(json.dumps(found))
    write_file(RESULT, f"{json.dumps(found, indent=2)}\n".encode())


def quotes(files: list[Path], chance: random.Random) -> dict[str, Any]:
    """Mark sentences of the files, as the page does."""
    read, marked, checked, right = list[float](), list[float](), list[float](), 0
    with tempfile.TemporaryDirectory() as folder:
        index = Path(folder) / "index"
        hopyard.build_index(index, files, kinds=["sparse"])
        with open_corpus(index) as corpus:
            for document in corpus.documents():
                file = next(each for each in files if each.name == Path(document.source).name)
                said = [
                    (passage, passage.text[begin:end])
                    for passage in corpus.passages_of(document.id)
                    for begin, end in sentence_spans(passage.text)
                    if end - begin >= LONG and "|" not in passage.text[begin:end]
                ]
                for passage, text in chance.sample(said, 10):
                    marks, spent = timed(lambda p=passage, t=text: find_marks(corpus, p, t))
                    read.append(spent)
                    first, _, last = passage.pages.partition("-")
                    pages = corpus.pages(document.id, int(first), int(last or first))
                    _, spent = timed(lambda p=passage, t=text, g=pages: marks_of(t, p.text, g))
                    marked.append(spent)
                    words = quoted_part(text, passage.text)
                    there, spent = timed(
                        lambda f=file, w=words, m=marks: bool(m) and is_there(f, w, m)
                    )
                    checked.append(spent)
                    right += there
    return {
        "sentences": len(marked),
        "marked": right,
        "milliseconds of the rectangles, median": round(median(marked), 2),
        "milliseconds of the rectangles, most": round(max(marked), 2),
        "milliseconds with the lines from the index, median": round(median(read), 2),
        "milliseconds of the check, median": round(median(checked), 1),
    }


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """What it returns, and the milliseconds it took."""
    begun = process_time()
    done = work()
    return done, (process_time() - begun) * 1000


if __name__ == "__main__":
    main()
