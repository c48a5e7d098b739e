"""Convert a public question set to the plain format: questions.jsonl and corpus.jsonl.

python -m lab.evaluation.convert hotpotqa hotpot_dev_distractor_v1.json --out data/hotpotqa
python -m lab.evaluation.convert multihoprag MultiHopRAG.json --corpus corpus.json --out DIR
python -m lab.evaluation.convert squad --hub validation --out data/squad
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from hopyard.models.servers.advice import first_line
from hopyard.state.errors import CorpusError, HopyardError, UsageError
from hopyard.state.storage.atomic import write_file
from hopyard.state.text.counting import counted
from lab.evaluation.formats.multi_hop import hotpotqa, multihoprag, musique
from lab.evaluation.formats.plain import Converted, Row
from lab.evaluation.formats.single_hop import nq_open, squad, triviaqa

__all__ = ("FORMATS", "convert", "main", "rows_of", "rows_of_hub", "write")

FORMATS: Final[dict[str, Callable[..., Converted]]] = {
    "hotpotqa": hotpotqa,
    "2wikimultihopqa": hotpotqa,
    "musique": musique,
    "multihoprag": multihoprag,
    "nq_open": nq_open,
    "triviaqa": triviaqa,
    "squad": squad,
}
HUB: Final[dict[str, tuple[str, str | None]]] = {
    "hotpotqa": ("hotpotqa/hotpot_qa", "distractor"),
    "2wikimultihopqa": ("framolfese/2WikiMultihopQA", None),
    "musique": ("dgslibisey/MuSiQue", None),
    "multihoprag": ("yixuantt/MultiHopRAG", "MultiHopRAG"),
    "nq_open": ("google-research-datasets/nq_open", None),
    "triviaqa": ("mandarjoshi/trivia_qa", "rc.wikipedia"),
    "squad": ("rajpurkar/squad_v2", None),
}
"""The data sets on Hugging Face: name and configuration."""
DEV_SHARE: Final = 0.3
_SEED: Final = 7


def main(arguments: Sequence[str] | None = None) -> int:
    """Convert, and print the counts."""
    parser = argparse.ArgumentParser(
        prog="python -m lab.evaluation.convert",
        description="Convert a public question set to questions.jsonl and corpus.jsonl.",
    )
    parser.add_argument("format", choices=list(FORMATS))
    parser.add_argument("file", nargs="?", type=Path, help=".json or .jsonl, as published")
    parser.add_argument("--corpus", type=Path, help="the articles of MultiHop-RAG")
    parser.add_argument("--hub", metavar="SPLIT", help="load this split with `datasets` instead")
    parser.add_argument("--limit", type=int, default=0, help="at most this many entries; 0 is all")
    parser.add_argument("--out", type=Path, required=True, help="the folder to write")
    options = parser.parse_args(arguments)
    try:
        if (options.file is None) == (options.hub is None):
            raise UsageError("Give either a file or --hub SPLIT.")
        rows = rows_of_hub(options.format, options.hub) if options.hub else rows_of(options.file)
        corpus = rows_of(options.corpus) if options.corpus else ()
        converted = convert(options.format, islice(rows, options.limit or None), corpus)
        write(converted, options.out)
    except HopyardError as error:
        print(f"Error: {error}", file=sys.stderr)
        return error.exit_code
    documents = counted(len(converted.documents), "document")
    print(f"{counted(len(converted.questions), 'question')}, {documents}")
    return 0


def convert(name: str, rows: Iterable[Row], corpus: Iterable[Row] = ()) -> Converted:
    """Convert rows of a named format.

    Args:
        name: A key of `FORMATS`.
        rows: Its entries, as published.
        corpus: MultiHop-RAG's articles.

    Raises:
        CorpusError: An entry lacks a key of the format.
    """
    try:
        return FORMATS[name](rows, corpus) if name == "multihoprag" else FORMATS[name](rows)
    except (KeyError, TypeError, AttributeError, IndexError, ValueError, StopIteration) as error:
        what = "ValidationError" if isinstance(error, ValidationError) else repr(error)
        raise CorpusError(
            f"The entries are not in the format {name} ({what}); check the file and the name "
            "of the format."
        ) from error


def rows_of(path: Path) -> Iterator[Row]:
    """Read the entries of a `.json` file (a list or an object) or a `.jsonl` file.

    Raises:
        CorpusError: The file cannot be read.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
        if path.suffix == ".jsonl":
            return iter([json.loads(line) for line in text.splitlines() if line.strip()])
        value = json.loads(text)
    except (OSError, ValueError) as error:
        raise CorpusError(f"The file {str(path)!r} cannot be read: {error}.") from error
    return iter(value if isinstance(value, list) else [value])


def rows_of_hub(name: str, split: str) -> Iterator[Row]:
    """Load the entries of a split on Hugging Face.

    Raises:
        UsageError: `datasets` is not installed.
        CorpusError: The hub cannot be reached, or lacks the split.
    """
    try:
        from datasets import load_dataset
    except ImportError as error:
        raise UsageError(
            "Loading from the hub needs `datasets`: `pip install datasets`, or give a file."
        ) from error
    repository, configuration = HUB[name]
    try:
        loaded: Any = load_dataset(repository, configuration, split=split)
    except Exception as error:  # the library has no common error class
        raise CorpusError(
            f"The split {split!r} of {repository!r} cannot be loaded ({first_line(error)}); "
            "download the set and give the file."
        ) from error
    return iter(loaded)


def write(converted: Converted, folder: Path) -> None:
    """Write questions.jsonl and corpus.jsonl; 30 % of the questions become the split dev."""
    folder.mkdir(parents=True, exist_ok=True)
    order = list(range(len(converted.questions)))
    random.Random(_SEED).shuffle(order)
    dev = set(order[: round(DEV_SHARE * len(order))])
    questions = [
        question.model_dump(mode="json", exclude={"decomposition"})
        | {"split": "dev" if place in dev else "train"}
        for place, question in enumerate(converted.questions)
    ]
    _write_lines(folder / "questions.jsonl", questions)
    if converted.documents:
        _write_lines(folder / "corpus.jsonl", converted.documents.values())


def _write_lines(path: Path, rows: Iterable[Any]) -> None:
    lines = (json.dumps(row, ensure_ascii=False) for row in rows)
    write_file(path, "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass"))


if __name__ == "__main__":
    sys.exit(main())
