"""How checkpoints are written: LangGraph's own serialiser, compressed.

LangGraph writes the whole state after every step. A tree's questions and passage ids are written
again and again, and compress to about a quarter.
"""

from __future__ import annotations

import hashlib
import zlib
from typing import Any, Final

from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from hopyard.state.errors import HopyardError

__all__ = ("ENCRYPTED_MARK", "CompressedSerializer")

ENCRYPTED_MARK: Final = "+aes"
"""The suffix that `encryption` adds to the type of its data."""

_MARK: Final = "+zlib"
_DIGEST_BYTES: Final = 16
_WORTH_IT: Final = 64
"""Bytes below which compression gains nothing."""
_WORDS: Final = (
    b"branch:to:collect choose_hop prune hops hop queue vertex passage_id known judged irrelevant "
    b"indirect necessary none of its questions is relevant visits kept round tail edge head "
    b"channel_values channel_versions versions_seen updated_channels messages usage truncated "
    b"citations evidence gate route strategy retrieve probability steps step tree-node aggregate "
    b"node children phase decompose search answered judge done replaced rubric wh_form specific "
    b"relevant non_overlapping complete scores sufficiency non_redundancy consistency "
    b"decomposition reason the question is simple at full depth verdict pruned split leaf "
    b"path question answer passages passage_id score"
)
"""Text of nearly every checkpoint, the most frequent last, as a dictionary for deflate.

Checkpoints can be read with these very bytes only: to change them, write under another mark.
"""


class CompressedSerializer(JsonPlusSerializer):
    """Compress what LangGraph's serialiser writes; read what either has written.

    A subclass, not a wrapper: LangGraph keeps `LANGGRAPH_STRICT_MSGPACK` only with serialisers
    that are its own.
    """

    _digest_key = b""

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        """Serialise, and compress where it pays."""
        kind, data = super().dumps_typed(obj)
        if len(data) < _WORTH_IT:
            return kind, data
        deflate = zlib.compressobj(zdict=_WORDS)
        return kind + _MARK, deflate.compress(data) + deflate.flush()

    def digest(self, text: str) -> str:
        """A hash of a text, the same in every process that has the same key, if any."""
        data = text.encode("utf-8", "surrogatepass")
        return hashlib.blake2b(data, digest_size=_DIGEST_BYTES, key=self._digest_key).hexdigest()

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        """Load what `dumps_typed` has written.

        Raises:
            HopyardError: It is encrypted.
        """
        kind, payload = data
        if kind.endswith(ENCRYPTED_MARK):
            raise HopyardError(
                "The thread is encrypted and there is no key; set HOPYARD_CHECKPOINT_KEY to the "
                "key that it was written with."
            )
        if kind.endswith(_MARK):
            inflate = zlib.decompressobj(zdict=_WORDS)
            plain = inflate.decompress(payload) + inflate.flush()
            return super().loads_typed((kind.removesuffix(_MARK), plain))
        return super().loads_typed(data)
