"""How checkpoints are written: LangGraph's own serialiser, compressed.

LangGraph writes the whole state after every step. A tree's questions and passage ids are written
again and again, and compress to about a quarter.
"""

from __future__ import annotations

import zlib
from typing import Any, Final

from langgraph.checkpoint.serde.base import SerializerProtocol

__all__ = ("CompressedSerializer",)

_MARK: Final = "+zlib"
_WORTH_IT: Final = 256
"""Bytes below which compression gains nothing."""


class CompressedSerializer:
    """Compress what another serialiser writes; read what either has written."""

    def __init__(self, inner: SerializerProtocol) -> None:
        self._inner = inner

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        """Serialise, and compress where it pays."""
        kind, data = self._inner.dumps_typed(obj)
        if len(data) < _WORTH_IT:
            return kind, data
        return kind + _MARK, zlib.compress(data)

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        """Load what `dumps_typed` has written."""
        kind, payload = data
        if kind.endswith(_MARK):
            return self._inner.loads_typed((kind.removesuffix(_MARK), zlib.decompress(payload)))
        return self._inner.loads_typed(data)
