"""From documents to passages: whole sentences up to a number of the embedding model's tokens.

A passage must fit the embedding model's window together with its title, because a model cuts off
silently what does not fit. Passages do not overlap: a sentence found twice would take the place
of another among the few that the model is shown, and adjacent passages can be joined again.

A Markdown document is cut at its headings first. Its tables are cut between rows, and each part
repeats the table's header.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from math import ceil
from typing import Final

from semantic_text_splitter import TextSplitter
from tokenizers import Tokenizer

from hopyard.indexes.markdown import blocks_of
from hopyard.indexes.pieces import Piece, cut_section
from hopyard.indexes.records import PAGE_END, Document, Passage, embedded_text, text_hash
from hopyard.models.embedder import Embedder
from hopyard.state.errors import CorpusError, UsageError
from hopyard.state.metadata import describe
from hopyard.state.references import SECTION_MARK

__all__ = ("Chunker", "passage_ids", "token_counter")

SNIPPET_TOKENS: Final = 300
"""Default length of a passage, as far as the model's window allows: ToR-RAG's snippets."""

STRETCH: Final = 1 << 18
"""Characters that are cut at once."""

CHARACTERS_A_TOKEN: Final = 4
"""Rule of thumb for English, used where a remote model keeps its tokenizer to itself."""

LONGEST_TOKEN: Final = 16
"""Characters that one token stands for at most. Tokenizers turn any run of letters that they do
not know, a megabyte of base64 as well, into a single unknown token."""

REMOTE_SPECIAL_TOKENS: Final = 2
"""Tokens that a model adds at both ends, where it has no tokenizer here to ask."""


class Chunker:
    """Cuts documents into passages for one embedding model.

    Attributes:
        chunk_tokens: Tokens of a passage's text at most; 0 keeps each document whole.
        limit: Tokens of title, header and text together at most: the window less the special
            tokens.
    """

    def __init__(
        self, embedder: Embedder, chunk_tokens: int | None = None, fields: Sequence[str] = ()
    ) -> None:
        """Settle the length of a passage.

        Args:
            embedder: The model whose window and tokenizer count.
            chunk_tokens: Tokens at most; 0 keeps each document whole; None takes 300, or what
                the window allows.
            fields: The fields of the metadata that make a passage's header.

        Raises:
            UsageError: `chunk_tokens` is negative or above the window.
        """
        tokenizer = embedder.tokenizer
        special = tokenizer.num_special_tokens_to_add(False) if tokenizer else REMOTE_SPECIAL_TOKENS
        self.limit = embedder.window - special
        self.chunk_tokens = (
            min(SNIPPET_TOKENS, self.limit) if chunk_tokens is None else chunk_tokens
        )
        if not 0 <= self.chunk_tokens <= self.limit:
            raise UsageError(
                f"chunk_tokens is {self.chunk_tokens}, but {embedder.name!r} reads "
                f"{embedder.window} tokens, {special} of them its own: choose 1 to {self.limit}, "
                "or 0 to keep documents whole."
            )
        self._model = embedder.name
        self._fields = tuple(fields)
        # A document that stays whole is counted once to see that, and once as a passage.
        self._count = lru_cache(maxsize=8)(token_counter(tokenizer))

    def fingerprint(self, document: Document) -> str:
        """A hash of the document, and of all that decides where it is cut."""
        cut = f"{self._model} {self.limit} {self.chunk_tokens}"
        parts = [document.title, document.text, document.source, dict(document.metadata), cut]
        if header := describe(document.metadata, self._fields):
            parts.append(header)
        if PAGE_END in document.text:
            parts.append("pages")
        if document.markup != "text":
            parts.append(document.markup)
        return text_hash(json.dumps(parts, sort_keys=True))

    def split(self, document: Document) -> list[Passage]:
        """Cut one document.

        Returns:
            Its passages in order, at least one, with leading and trailing blanks taken off.

        Raises:
            CorpusError: The text is blank, the title alone nearly fills the model's window, or
                the document is to be kept whole and does not fit. The message names the document
                and its tokens.
        """
        text = document.text.strip().replace(PAGE_END, "")
        if not text:
            raise CorpusError(
                f"Document {document.id!r} has no text: give it some or leave it out."
            )
        header = self._header(document, text)
        pieces = self._pieces(document, text, header)
        ids = passage_ids(document.id, [piece.text for piece in pieces])
        ends = _page_ends(document.text)
        return [
            self._passage(document, header, position, passage_id, piece, ends)
            for position, (passage_id, piece) in enumerate(zip(ids, pieces, strict=True))
        ]

    def _header(self, document: Document, text: str) -> str:
        """The document's header, where it leaves room for the text."""
        header = describe(document.metadata, self._fields)
        if not header or self._count(embedded_text(document.title, "", header)) > self.limit // 2:
            return ""
        whole = embedded_text(document.title, text, header)
        return header if self.chunk_tokens or self._count(whole) <= self.limit else ""

    def _pieces(self, document: Document, text: str, header: str) -> list[Piece]:
        whole = Piece(text, "", 0, len(document.text))
        if self.chunk_tokens and document.markup == "markdown":
            return self._cut_markdown(document, header) or [whole]
        total = self._counter_up_to(self.limit)(embedded_text(document.title, text, header))
        fits = total <= self.limit and (
            not self.chunk_tokens or self._counter_up_to(self.limit)(text) <= self.chunk_tokens
        )
        if not self.chunk_tokens and not fits:
            raise CorpusError(
                f"Document {document.id!r} has {total} tokens with its title, and {self._model!r} "
                f"reads {self.limit}: give chunk_tokens, or an embedding model with a wider window."
            )
        return [whole] if fits else self._cut(document.text, self._room(document, header))

    def _cut_markdown(self, document: Document, header: str) -> list[Piece]:
        """Cut each section on its own."""
        pieces: list[Piece] = []
        for section, blocks in groupby(
            blocks_of(document.text, document.title), lambda block: block.section
        ):
            named, room = section, self._room(document, header, section)
            while named and room < self.chunk_tokens // 2:
                _, _, named = named.partition(SECTION_MARK)
                room = self._room(document, header, named)
            named_blocks = [block._replace(section=named) for block in blocks]
            count = self._counter_up_to(room)
            pieces += cut_section(document.text, named_blocks, room, count, self._cut)
        return pieces

    def _room(self, document: Document, header: str, section: str = "") -> int:
        """The most tokens that a passage's text may have."""
        above = embedded_text(document.title, "", header, section)
        heading = self._count(f"{above}\n") if above else 0
        if heading > self.limit // 2 and not section:
            raise CorpusError(
                f"The title of document {document.id!r} alone has {heading} tokens, more than half "
                f"of the {self.limit} that {self._model!r} reads: shorten it."
            )
        return min(self.chunk_tokens, self.limit - heading)

    def _counter_up_to(self, room: int) -> Callable[[str], int]:
        # The splitter asks of ever longer stretches whether they fit, and of most of them the
        # length alone tells that they do not. Counting all would take quadratic time.
        count = self._count
        return lambda part: count(part) if len(part) <= room * LONGEST_TOKEN else _fewest(part)

    def _cut(self, text: str, room: int) -> list[Piece]:
        """Cut a text a stretch at a time: the splitter takes many times the memory of its text."""
        pieces: list[Piece] = []
        for begin, end in _stretches(text):
            pieces += (
                piece._replace(start=begin + piece.start, end=begin + piece.end)
                for piece in self._cut_stretch(text[begin:end], room)
            )
        return pieces

    def _cut_stretch(self, text: str, room: int) -> list[Piece]:
        splitter = TextSplitter.from_callback(self._counter_up_to(room), room)
        if PAGE_END not in text:
            blank = len(text) - len(text.lstrip())
            return [
                Piece(part, "", blank + start, blank + start + len(part))
                for start, part in splitter.chunk_indices(text.strip())
            ]
        return [
            Piece(kept, "", start, start + len(part))
            for start, part in splitter.chunk_indices(text)
            if (kept := part.replace(PAGE_END, "").strip())
        ]

    def _passage(
        self,
        document: Document,
        header: str,
        position: int,
        passage_id: str,
        piece: Piece,
        page_ends: Sequence[int],
    ) -> Passage:
        content = embedded_text(document.title, piece.text, header, piece.section)
        if (total := self._count(content)) > self.limit:
            raise CorpusError(
                f"Passage {passage_id!r} has {total} tokens with its title, and {self._model!r} "
                f"reads {self.limit}: choose a smaller chunk_tokens."
            )
        return Passage(
            id=passage_id,
            document_id=document.id,
            position=position,
            title=document.title,
            text=piece.text,
            content_hash=text_hash(content),
            tokens=self._count(piece.text),
            header=header,
            pages=_pages_of(document, page_ends, piece),
            section=piece.section,
            source=document.source,
            metadata=document.metadata,
        )


def passage_ids(document_id: str, texts: Sequence[str]) -> list[str]:
    """Name the passages of a document after what they say.

    A passage keeps its id when another part of its document changes.

    Returns:
        The document's id for an only passage; else `DOCUMENT#HASH` with 8 hex digits of the
        text's SHA-256, and `DOCUMENT#HASH-2`, … where a text comes again.
    """
    if len(texts) == 1:
        return [document_id]
    seen: Counter[str] = Counter()
    ids = []
    for text in texts:
        name = f"{document_id}#{text_hash(text)[:8]}"
        seen[name] += 1
        ids.append(name if seen[name] == 1 else f"{name}-{seen[name]}")
    return ids


def token_counter(tokenizer: Tokenizer | None) -> Callable[[str], int]:
    """A function that counts a text's tokens, special tokens left out.

    Args:
        tokenizer: The model's tokenizer, sixteen characters a token being the most it may save;
            None counts four characters a token.
    """
    if tokenizer is None:
        return lambda text: ceil(len(text) / CHARACTERS_A_TOKEN)
    # A copy, because the embedding model's own may be set to cut off and to pad.
    counting = Tokenizer.from_str(tokenizer.to_str())
    counting.no_truncation()
    counting.no_padding()
    return lambda text: max(len(counting.encode(text, add_special_tokens=False).ids), _fewest(text))


def _stretches(text: str) -> Iterator[tuple[int, int]]:
    """Where a long text is cut before all else: at the end of a paragraph, a line or a word."""
    begin = 0
    while len(text) - begin > STRETCH:
        ends = (
            place + len(mark)
            for mark in ("\n\n", "\n", " ")
            if (place := text.rfind(mark, begin + STRETCH // 2, begin + STRETCH)) >= 0
        )
        end = next(ends, begin + STRETCH)
        yield begin, end
        begin = end
    yield begin, len(text)


def _page_ends(text: str) -> list[int]:
    return [place for place, letter in enumerate(text) if letter == PAGE_END]


def _pages_of(document: Document, ends: Sequence[int], piece: Piece) -> str:
    """The pages of a part of a document's text."""
    if not ends:  # a loader may give each page as a document of its own
        return str(document.metadata.get("page", ""))
    part = document.text[piece.start : piece.end]
    first = bisect_left(ends, piece.start + len(part) - len(part.lstrip()))
    last = bisect_left(ends, piece.start + len(part.rstrip()) - 1)
    return str(first + 1) if first == last else f"{first + 1}-{last + 1}"


def _fewest(text: str) -> int:
    return ceil(len(text) / LONGEST_TOKEN)
