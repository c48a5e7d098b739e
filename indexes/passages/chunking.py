"""From documents to passages: whole sentences, up to a limit in tokens of the embedding model.

A passage must fit the embedding model's window together with its title, because a model cuts off
silently what does not fit. Passages do not overlap: a sentence found twice would take the place
of another among the few that the model is shown, and adjacent passages can be joined again.

A Markdown document is cut at its headings first. Its tables are cut between rows, and each part
repeats the table's header.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from hashlib import sha256
from itertools import chain, groupby, islice, tee
from typing import Final

from semantic_text_splitter import TextSplitter

from hopyard.indexes.corpus.long_text import LongText, stretches_of
from hopyard.indexes.corpus.records import PAGE_END, Document, Passage, embedded_text, text_hash
from hopyard.indexes.passages.joined import join_small
from hopyard.indexes.passages.markdown import blocks_of
from hopyard.indexes.passages.pieces import Pages, Piece, cut_section, piece_of
from hopyard.indexes.passages.tokens import LONGEST_TOKEN, fewest_tokens, token_counter
from hopyard.models.embedder import Embedder
from hopyard.state.errors import CorpusError, UsageError
from hopyard.state.metadata import describe
from hopyard.state.references import SECTION_MARK

SNIPPET_TOKENS: Final = 300
"""Default length of a passage, as far as the model's window allows: ToR-RAG's snippets."""

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
        rest = [document.source, dict(document.metadata), cut]
        if header := describe(document.metadata, self._fields):
            rest.append(header)
        # The JSON of `[title, text, *rest]`, written a stretch at a time.
        digest = sha256(json.dumps([document.title])[:-1].encode())
        digest.update(b', "')
        has_pages = False
        for stretch in stretches_of(document.text):
            digest.update(json.dumps(stretch)[1:-1].encode())
            has_pages = has_pages or PAGE_END in stretch
        if has_pages:
            rest.append("pages")
        rest += [part for part in (document.markup, document.reading) if part not in ("text", "")]
        if document.markup == "markdown" and (has_pages or "page" in document.metadata):
            rest.append("small pieces of a page joined")
        if document.boxes:
            rest.append(sha256(b"".join(document.boxes)).hexdigest())
        digest.update(f'", {json.dumps(rest, sort_keys=True)[1:]}'.encode())
        return digest.hexdigest()

    def split(self, document: Document) -> Iterator[Passage]:
        """Cut one document, a stretch of its text in memory at a time.

        Returns:
            Its passages in order, at least one, with leading and trailing blanks taken off.

        Raises:
            CorpusError: The text is blank, the title alone nearly fills the model's window, or
                the document is to be kept whole and does not fit. The message names the document
                and its tokens.
        """
        header = self._header(document)
        pages = Pages(document.text, str(document.metadata.get("page", "")))
        cut = self._pieces(document, header, pages.stretches())
        if self.chunk_tokens and document.markup == "markdown":
            cut = join_small(
                cut,
                lambda each: self._count(each.text) <= self._room(document, header, each.section),
                self._count,
                lambda each: pages.of(each.start, each.end),
            )
        pieces, texts = tee(cut)
        ids = passage_ids(document.id, (piece.text for piece in texts))
        position = -1
        for position, (passage_id, piece) in enumerate(zip(ids, pieces, strict=True)):
            yield self._passage(
                document, header, position, passage_id, piece, pages.of(piece.start, piece.end)
            )
        if position < 0:
            raise CorpusError(
                f"Document {document.id!r} has no text: give it some or leave it out."
            )

    def _header(self, document: Document) -> str:
        """The document's header, where it leaves room for the text."""
        header = describe(document.metadata, self._fields)
        if not header or self._count(embedded_text(document.title, "", header)) > self.limit // 2:
            return ""
        return header if self.chunk_tokens or self._total(document, header) <= self.limit else ""

    def _pieces(self, document: Document, header: str, stretches: Iterator[str]) -> Iterator[Piece]:
        if self.chunk_tokens and document.markup == "markdown":
            yield from self._cut_markdown(document, header, stretches)
        elif self._fits(document, header):
            if (whole := piece_of("".join(stretches))).text:
                yield whole
        else:
            room, start = self._room(document, header), 0
            for stretch in stretches:
                for piece in self._cut(stretch, room):
                    yield piece._replace(start=start + piece.start, end=start + piece.end)
                start += len(stretch)

    def _fits(self, document: Document, header: str) -> bool:
        """Whether the document is one passage.

        Raises:
            CorpusError: It should be, and is too long.
        """
        total = self._total(document, header)
        if not self.chunk_tokens and total > self.limit:
            raise CorpusError(
                f"Document {document.id!r} has {total} tokens with its title, and {self._model!r} "
                f"reads {self.limit}: give chunk_tokens, or an embedding model with a wider window."
            )
        return total <= self.limit and (
            not self.chunk_tokens
            or self._count(piece_of(str(document.text)).text) <= self.chunk_tokens
        )

    def _total(self, document: Document, header: str) -> int:
        """The tokens of the whole document; of a long one, some number above the window."""
        if isinstance(document.text, LongText):
            return fewest_tokens(len(document.text))
        text = piece_of(document.text).text
        return self._counter_up_to(self.limit)(embedded_text(document.title, text, header))

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

    def _cut_markdown(
        self, document: Document, header: str, stretches: Iterator[str]
    ) -> Iterator[Piece]:
        """Cut each section on its own."""
        for section, blocks in groupby(
            blocks_of(stretches, document.title), lambda block: block.section
        ):
            named, room = section, self._room(document, header, section)
            while named and room < self.chunk_tokens // 2:
                _, _, named = named.partition(SECTION_MARK)
                room = self._room(document, header, named)
            named_blocks = (block._replace(section=named) for block in blocks)
            yield from cut_section(named_blocks, room, self._counter_up_to(room), self._cut)

    def _counter_up_to(self, room: int) -> Callable[[str], int]:
        # The splitter asks of ever longer stretches whether they fit, and of most of them the
        # length alone tells that they do not. Counting all would take quadratic time.
        count = self._count
        return lambda part: (
            count(part) if len(part) <= room * LONGEST_TOKEN else fewest_tokens(len(part))
        )

    def _cut(self, text: str, room: int) -> list[Piece]:
        """Cut a stretch of text."""
        splitter = TextSplitter.from_callback(self._counter_up_to(room), room)
        blank = len(text) - len(text.lstrip())
        pieces = (
            piece_of(part, blank + start) for start, part in splitter.chunk_indices(text.strip())
        )
        return [piece for piece in pieces if piece.text]

    def _passage(
        self,
        document: Document,
        header: str,
        position: int,
        passage_id: str,
        piece: Piece,
        pages: str,
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
            pages=pages,
            section=piece.section,
            source=document.source,
            metadata=document.metadata,
        )


def passage_ids(document_id: str, texts: Iterable[str]) -> Iterator[str]:
    """Name the passages of a document after what they say.

    A passage keeps its id when another part of its document changes.

    Returns:
        The document's id for an only passage; else `DOCUMENT#HASH` with 8 hex digits of the
        text's SHA-256, and `DOCUMENT#HASH-2`, … where a text comes again.
    """
    waiting = iter(texts)
    first = list(islice(waiting, 2))
    if len(first) == 1:
        yield document_id
        return
    seen: Counter[str] = Counter()
    for text in chain(first, waiting):
        digits = text_hash(text)[:8]
        seen[digits] += 1
        again = "" if seen[digits] == 1 else f"-{seen[digits]}"
        yield f"{document_id}#{digits}{again}"
