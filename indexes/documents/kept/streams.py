"""The comparison of a file that is too large to be held in memory.

Words are counted in a table of fixed size, by a hash: two words may share a place, so that a few
lost words can hide behind gained words. The words that are shown are looked for in a second pass.
"""

from __future__ import annotations

import codecs
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from html import unescape
from itertools import islice
from typing import IO, Final

import numpy as np
from numpy.typing import NDArray

from hopyard.indexes.documents.kept.kept import EXAMPLES, Kept, merged
from hopyard.indexes.documents.kept.markup import encoding_of
from hopyard.indexes.documents.kept.words import words_of
from hopyard.indexes.documents.readers.base import LeftOut, Source

_PLACES: Final = 1 << 20
_BLOCK: Final = 1 << 20
_LONGEST: Final = 16 << 20
"""Characters without an end that are held, at most."""
_WRONG: Final = re.compile("\\w*\ufffd[\\w\ufffd]*")
_SILENT: Final = re.compile(r"<!--.*?-->|<\?.*?\?>|<!DOCTYPE[^>]*>", re.DOTALL)
_TAG: Final = re.compile(r"</?[A-Za-z_:][^<>]*>")
_WITHIN: Final = re.compile(r"(?<=\w)</?[A-Za-z_:][^<>\s]*>(?=\w)")
"""A tag within a word."""
_VALUE: Final = re.compile(r"""=\s*(?:"([^"]*)"|'([^']*)')""")
_NAME: Final = re.compile(r"[<\s/]([A-Za-z_][\w.:-]*)(?=[\s/>=])")
_STRINGS: Final = re.compile(
    r"<(?:\w+:)?rPh\b.*?</(?:\w+:)?rPh>|<(?:\w+:)?t(?:\s[^>]*)?>([^<]*)<|(</(?:\w+:)?(?:si|is)>)",
    re.DOTALL,
)

Texts = Callable[[Source], Iterator[str]]
"""The texts of a file in parts that end between words."""


def compare_large(
    source: Source,
    suffix: str,
    text: Callable[[], Iterator[str]],
    about: str,
    left_out: Sequence[LeftOut],
) -> Kept:
    """Compare a document with its file, both part by part.

    Args:
        suffix: That of the file's format.
        text: Gives the document's text in parts.
        about: Its title and metadata; their words count as kept.
        left_out: Parts that the reader left out on purpose.
    """
    texts = _TEXTS.get(suffix, _plain)
    (own, _), (said, is_whole) = _counts(text()), _counts(texts(source))
    omitted, _ = _counts(each.text for each in left_out)
    lost = np.maximum(said - own, 0)
    omitted = np.minimum(omitted, lost)
    lost = np.maximum(lost - omitted - _counts([about])[0], 0)
    gained = np.maximum(own - said, 0)
    if suffix == ".xml":
        gained[[_place(word) for word in _names(source)]] = 0
    if suffix == ".xlsx" or not is_whole:  # texts that cells share, and numbers, are not counted
        gained[:] = 0
    return Kept(
        words=int((said - omitted).sum()),
        lost=int(lost.sum()),
        gained=int(gained.sum()),
        examples=_examples(texts(source), lost),
        new=_examples(text(), gained),
        left_out=merged(left_out),
    )


def _place(word: str) -> int:
    return hash(word) % _PLACES


def _counts(texts: Iterable[str]) -> tuple[NDArray[np.int64], bool]:
    """How many words there are at each place, and whether all letters are known."""
    counts, is_whole = np.zeros(_PLACES, np.int64), True
    for text in texts:
        plain = _WRONG.sub(" ", text)
        is_whole &= plain == text
        for word, count in words_of(plain).items():
            counts[_place(word)] += count
    return counts, is_whole


def _examples(texts: Iterable[str], wanted: NDArray[np.int64]) -> tuple[str, ...]:
    if not wanted.any():
        return ()
    words = (word for text in texts for word in words_of(text) if wanted[_place(word)])
    return tuple(islice(dict.fromkeys(words), EXAMPLES))


def _plain(source: Source) -> Iterator[str]:
    """The lines of a text."""
    return _until("\n", _letters(source))


def _letters(source: Source) -> Iterator[str]:
    with source.open() as stream:
        name = encoding_of(stream.read(_BLOCK), source.options.encoding)
        stream.seek(0)
        yield from _decoded(stream, name)


def _decoded(stream: IO[bytes], encoding: str) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    while block := stream.read(_BLOCK):
        yield decoder.decode(block)
    yield decoder.decode(b"", final=True)


def _until(end: str, blocks: Iterable[str]) -> Iterator[str]:
    """The blocks, cut after the last of an end in each."""
    rest = ""
    for block in blocks:
        whole, mark, rest = f"{rest}{block}".rpartition(end)
        yield f"{whole}{mark}"
        if len(rest) > _LONGEST:
            yield rest
            rest = ""
    yield rest


def _xml(source: Source) -> Iterator[str]:
    """Texts between tags, and the values of attributes. Pages in texts are without their tags."""
    for block in _until(">", _letters(source)):
        plain = _SILENT.sub(" ", block).replace("<![CDATA[", "").replace("]]>", "")
        yield " ".join(unescape("".join(values)) for values in _VALUE.findall(plain))
        yield _TAG.sub(" ", unescape(_TAG.sub(" ", _WITHIN.sub("", plain))))


def _names(source: Source) -> set[str]:
    """The names of elements and attributes, which a document may have."""
    blocks = _until(">", _letters(source))
    names = {name for block in blocks for tag in _TAG.findall(block) for name in _NAME.findall(tag)}
    return {word for name in names for word in words_of(name.rpartition(":")[2])}


def _xlsx(source: Source) -> Iterator[str]:
    """The texts of the cells of a workbook; a text that cells share is there once."""
    with source.open() as stream, zipfile.ZipFile(stream) as archive:
        for name in archive.namelist():
            if name.endswith(".xml") and ("sharedStrings" in name or "worksheets/" in name):
                with archive.open(name) as part:
                    for block in _until("</", _decoded(part, "utf-8")):
                        found = _STRINGS.findall(f"{block}<")
                        yield "".join("\n" if end else unescape(text) for text, end in found)


_TEXTS: Final[dict[str, Texts]] = {".xml": _xml, ".xlsx": _xlsx}
