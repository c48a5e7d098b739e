"""Write forty list and count questions with countable answers, and the corpora that they are about.

    python benchmarks/every/questions.py DATA FOLDER

DATA holds the question sets `multihoprag`, `2wikimultihopqa` and `financebench`. FOLDER gets a
folder each for `news`, `films` and `filings`, with `corpus.jsonl` and `questions.jsonl`. The right
items come from the metadata, from the form of first sentences, and from the names of files, by
rule: no model is asked. The texts belong to others and stay in FOLDER.

- `news`: articles about technology, business, health and science. The items are their titles.
- `films`: first paragraphs of an encyclopedia, about half of them on films.
- `filings`: the first pages of reports of companies under the names `Filing 1`, `Filing 2`, …
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Any, Final

SEED: Final = 38
FILMS: Final = 100
"""Films of the corpus `films`, and as many others."""
PAGES: Final = 2
"""Pages of a filing."""
CATEGORIES: Final = frozenset({"technology", "business", "health", "science"})
MONTHS: Final = {"2023-09": "September", "2023-10": "October", "2023-11": "November"}
FILM: Final = re.compile(r"\bis an? (\d{4}) ([^.]*?)\bfilm\b")
ANY_FILM: Final = re.compile(r"\b(?:film|movie)s?\b", re.IGNORECASE)
FORMS: Final = {"10K": "10-K", "10Q": "10-Q", "8K": "8-K"}

Record = dict[str, Any]
Gold = Callable[[Record], bool]


@dataclass(frozen=True)
class Question:
    """A question, its kind, and the titles of the right items."""

    id: str
    question: str
    kind: str
    items: list[str]


def main() -> None:
    """Write the corpora and the questions."""
    data, folder = map(Path, sys.argv[1:3])
    sets = {"news": news(data), "films": films(data), "filings": filings(data)}
    for name, (corpus, questions) in sets.items():
        (folder / name).mkdir(parents=True, exist_ok=True)
        _write(folder / name / "corpus.jsonl", corpus)
        _write(folder / name / "questions.jsonl", map(asdict, questions))
        print(f"{name}: {len(corpus)} documents, {len(questions)} questions")


def news(data: Path) -> tuple[list[Record], list[Question]]:
    """Articles by source and month, by author, and by a name in title or text."""
    corpus = [
        record
        for record in _read(data / "multihoprag" / "corpus.jsonl")
        if record["metadata"]["category"] in CATEGORIES
    ]

    def published(source: str, month: str) -> Gold:
        return lambda record: (
            record["metadata"]["source"] == source
            and record["metadata"]["published_at"].startswith(month)
        )

    def written(author: str) -> Gold:
        return lambda record: record["metadata"]["author"] == author

    def mentions(name: str) -> Gold:
        whole = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
        return lambda record: bool(whole.search(f"{record['title']} {record['text']}"))

    asked: list[tuple[str, str, Gold]] = []
    for source, month in (
        ("Engadget", "2023-11"),
        ("The Verge", "2023-09"),
        ("The Verge", "2023-10"),
        ("Fortune", "2023-10"),
        ("TechCrunch", "2023-09"),
    ):
        gold, when = published(source, month), f"{MONTHS[month]} 2023"
        asked += [
            (f"Which articles did {source} publish in {when}, and who wrote each?", "list", gold),
            (f"How many of the articles were published by {source} in {when}?", "count", gold),
        ]
    asked += [
        (f"List all articles by {author} with their dates.", "list", written(author))
        for author in ("Elizabeth Lopatto", "Kyle Wiggers")
    ]
    asked += [
        (f"Which articles mention {name}, and which source published each?", "list", mentions(name))
        for name in ("Sam Altman", "Epic")
    ]
    return corpus, _questions("news", corpus, asked)


def films(data: Path) -> tuple[list[Record], list[Question]]:
    """Films by the year and the words of their first sentence."""
    records = _read(data / "2wikimultihopqa" / "corpus.jsonl")
    held = [(record, FILM.search(record["text"][:300])) for record in records]
    matched = [record for record, match in held if match]
    others = [record for record, match in held if not match and not ANY_FILM.search(record["text"])]
    random = Random(SEED)
    corpus = [*random.sample(matched, FILMS), *random.sample(others, FILMS)]
    random.shuffle(corpus)

    def released(first: int, last: int, word: str = "") -> Gold:
        def gold(record: Record) -> bool:
            match = FILM.search(record["text"][:300])
            words = match[2].replace("-", " ").split() if match else []
            return bool(match) and first <= int(match[1]) <= last and (not word or word in words)

        return gold

    asked: list[tuple[str, str, Gold]] = []
    for first, last in ((1910, 1929), (1930, 1935), (1936, 1939), (1950, 1954), (1980, 1985)):
        when = f"from {first} to {last}"
        gold = released(first, last)
        text = (
            f"Which films {when} are described in a document of their own, and who directed each?"
        )
        asked.append((text, "list", gold))
        text = f"How many films {when} are described in a document of their own?"
        asked.append((text, "count", gold))
    for word in ("British", "French", "Italian", "comedy", "crime", "silent"):
        text = f"List all {word} films that have a document of their own, with their years."
        asked.append((text, "list", released(0, 9999, word)))
    return corpus, _questions("films", corpus, asked)


def filings(data: Path) -> tuple[list[Record], list[Question]]:
    """Filings by their form, company and year, which their file names say."""
    corpus: list[Record] = []
    paths = sorted((data / "financebench" / "pdf").glob("*.pdf"))
    Random(SEED).shuffle(paths)
    for number, path in enumerate(paths, 1):
        company, _, rest = path.stem.replace("JOHNSON_JOHNSON", "JOHNSON").partition("_")
        year, form = re.match(r"(\d{4}).*?_([0-9A-Z]+)", rest).groups()  # type: ignore[union-attr]
        about = {"company": company, "year": year, "form": FORMS.get(form, form)}
        title = f"Filing {number}"
        corpus.append({"id": f"filing-{number}", "title": title, "text": _pages(path), **about})

    def having(**wanted: str) -> Gold:
        return lambda record: all(record[field] == value for field, value in wanted.items())

    asked: list[tuple[str, str, Gold]] = [
        (
            "Which filings are annual reports on Form 10-K, of which company and fiscal year?",
            "list",
            having(form="10-K"),
        ),
        ("How many filings are annual reports on Form 10-K?", "count", having(form="10-K")),
        (
            "Which filings are of Best Buy, and which form is each?",
            "list",
            having(company="BESTBUY"),
        ),
        ("How many filings are of MGM Resorts?", "count", having(company="MGMRESORTS")),
        ("How many filings are of Johnson & Johnson?", "count", having(company="JOHNSON")),
        (
            "List all filings of Corning with their fiscal years.",
            "list",
            having(company="CORNING"),
        ),
        (
            "Which filings are quarterly reports on Form 10-Q, and of which company?",
            "list",
            having(form="10-Q"),
        ),
        (
            "Which filings are about earnings of a quarter (press releases, not Forms 10-Q), and "
            "of which company?",
            "list",
            having(form="EARNINGS"),
        ),
        ("How many different filings are of 3M?", "count", having(company="3M")),
        ("How many filings are of Ulta Beauty?", "count", having(company="ULTABEAUTY")),
    ]
    questions = _questions("filings", corpus, asked)
    return [{key: each[key] for key in ("id", "title", "text")} for each in corpus], questions


def _pages(path: Path) -> str:
    """The text of the first pages."""
    import pypdfium2

    with pypdfium2.PdfDocument(path) as pdf:
        pages = [pdf[number].get_textpage().get_text_bounded() for number in range(PAGES)]
    return "\n".join(pages)


def _questions(
    name: str, corpus: Sequence[Record], asked: Iterable[tuple[str, str, Gold]]
) -> list[Question]:
    return [
        Question(
            f"{name}-{number:02}", text, kind, [each["title"] for each in corpus if gold(each)]
        )
        for number, (text, kind, gold) in enumerate(asked, 1)
    ]


def _read(path: Path) -> list[Record]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _write(path: Path, records: Iterable[Record]) -> None:
    lines: Iterator[str] = (json.dumps(record, ensure_ascii=False) for record in records)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
