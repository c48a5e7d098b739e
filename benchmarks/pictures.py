"""How long the picture of a page takes, and how large it is.

    python benchmarks/pictures.py ../shared/data/financebench/pdf

Ten pages of each of the first four PDF files are drawn. Times are those of the processor.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from statistics import median
from time import process_time
from typing import Final

from hopyard.state.storage.atomic import write_file
from hopyard.web.pictures import WIDTHS, count_pages, draw_page

RESULT: Final = Path(__file__).parent / "results" / "pictures.json"


def main() -> None:
    """Measure and write the result."""
    chance, milliseconds, sizes = random.Random(0), [], []
    for file in sorted(Path(sys.argv[1]).rglob("*.pdf"))[:4]:
        pages = count_pages(file)
        for number in chance.sample(range(1, pages + 1), min(10, pages)):
            begun = process_time()
            sizes.append(len(draw_page(file, number, WIDTHS[0])) / 1000)
            milliseconds.append((process_time() - begun) * 1000)
    found = {
        "pages": len(sizes),
        "milliseconds, median": round(median(milliseconds), 1),
        "milliseconds, most": round(max(milliseconds), 1),
        "kB, median": round(median(sizes)),
        "kB, most": round(max(sizes)),
        "under 100 kB": sum(size < 100 for size in sizes),
    }
    print(json.dumps(found))
    write_file(RESULT, f"{json.dumps(found, indent=2)}\n".encode())


if __name__ == "__main__":
    main()
