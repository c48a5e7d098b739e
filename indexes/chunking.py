"""From documents to passages: whole sentences up to a number of the embedding model's tokens.

A passage must fit the embedding model's window together with its title, because a model cuts off
silently what does not fit. Passages do not overlap: a sentence found twice would take the place
of another among the few that the model is shown, and adjacent passages can be joined again.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from math import ceil
from typing import Final

from semantic_text_splitter import TextSplitter
from tokenizers import Tokenizer

from hopyard.indexes.records import Document, Passage, embedded_text, text_hash
from hopyard.models.embedder import Embedder
from hopyard.state.errors import CorpusError, UsageError

__all__ = ("Chunker", "passage_ids", "token_counter")

SNIPPET_TOKENS: Final = 300
"""Default length of a passage, as far as the model's window allows: ToR-RAG's snippets."""

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
        limit: Tokens of title and text together at most: the window less the special tokens.
    """

    def __init__(self, embedder: Embedder, chunk_tokens: int | None = None) -> None:
        """Settle the length of a passage.

        Args:
            embedder: The model whose window and tokenizer count.
            chunk_tokens: Tokens at most; 0 keeps each document whole; None takes 300, or what
                the window allows.

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
        # A document that stays whole is counted once to see that, and once as a passage.
        self._count = lru_cache(maxsize=8)(token_counter(tokenizer))

    def fingerprint(self, document: Document) -> str:
        """A hash of the document, and of all that decides where it is cut."""
        cut = f"{self._model} {self.limit} {self.chunk_tokens}"
        parts = [document.title, document.text, document.source, dict(document.metadata), cut]
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
        pieces = self._pieces(document)
        ids = passage_ids(document.id, pieces)
        return [
            self._passage(document, position, passage_id, text)
            for position, (passage_id, text) in enumerate(zip(ids, pieces, strict=True))
        ]

    def _pieces(self, document: Document) -> list[str]:
        text = document.text.strip()
        if not text:
            raise CorpusError(
                f"Document {document.id!r} has no text: give it some or leave it out."
            )
        total = self._count(embedded_text(document.title, text))
        if total <= self.limit and (
            not self.chunk_tokens or self._count(text) <= self.chunk_tokens
        ):
            return [text]
        if not self.chunk_tokens:
            raise CorpusError(
                f"Document {document.id!r} has {total} tokens with its title, and {self._model!r} "
                f"reads {self.limit}: give chunk_tokens, or an embedding model with a wider window."
            )
        heading = self._count(f"{document.title}\n") if document.title else 0
        if heading > self.limit // 2:
            raise CorpusError(
                f"The title of document {document.id!r} alone has {heading} tokens, more than half "
                f"of the {self.limit} that {self._model!r} reads: shorten it."
            )
        room = min(self.chunk_tokens, self.limit - heading)
        # The splitter asks of ever longer stretches whether they fit, and of most of them the
        # length alone tells that they do not. Counting all would take quadratic time.
        count = self._count
        return TextSplitter.from_callback(
            lambda part: count(part) if len(part) <= room * LONGEST_TOKEN else _fewest(part), room
        ).chunks(text)

    def _passage(self, document: Document, position: int, passage_id: str, text: str) -> Passage:
        content = embedded_text(document.title, text)
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
            text=text,
            content_hash=text_hash(content),
            tokens=self._count(text),
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


def _fewest(text: str) -> int:
    return ceil(len(text) / LONGEST_TOKEN)
