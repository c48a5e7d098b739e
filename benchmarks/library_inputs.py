"""The files that the tests of the readers read, with the texts that the tests found right."""

from __future__ import annotations

import hashlib
import io
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from hopyard.indexes.documents.readers import table
from hopyard.indexes.documents.readers.base import Content, Found, Options, Reader, Source

ROOT: Final = Path(__file__).resolve().parents[1]
TESTS: Final = "tests/indexes/documents/readers"
LARGEST: Final = 200_000
"""Bytes of a file, at most."""


class Input(NamedTuple):
    """A file of a test, and the text that Hopyard reads in it."""

    suffix: str
    data: bytes
    text: str


def inputs_of_the_tests() -> list[Input]:
    """Run the tests, and keep each file that a reader gives one text of."""
    found: dict[str, Input] = {}

    def kept(read: Reader, suffix: str) -> Reader:
        def reading(source: Source) -> Iterator[Found]:
            texts = []
            for each in read(source):
                if isinstance(each, Content):
                    parts: list[str] = []
                    texts.append(parts)
                    yield each._replace(text=collected(each.text, parts))
                else:
                    yield each
            if (
                source.options == Options()
                and len(texts) == 1
                and (text := "".join(texts[0])).strip()
            ):
                data = source.read()
                if len(data) <= LARGEST:
                    found[hashlib.sha256(data).hexdigest()] = Input(suffix, data, text)

        return reading

    for suffix, kind in table._BY_SUFFIX.items():
        table._BY_SUFFIX[suffix] = kind._replace(read=kept(kind.read, suffix))
    with redirect_stdout(io.StringIO()):
        code = pytest.main(["-q", "-n0", "-p", "no:cacheprovider", str(ROOT / TESTS)])
    if code:
        sys.exit(f"The tests fail ({code}); their texts are not right.")
    return list(found.values())


def collected(text: Any, parts: list[str]) -> Iterator[str]:
    """The parts of a text, kept as they are read."""
    for part in text:
        parts.append(part)
        yield part
