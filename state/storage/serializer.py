"""How checkpoints are written: LangGraph's own serializers, compressed, and encrypted with a key.

LangGraph writes the whole state after every step. Questions and passage ids are written again and
again, and compress to about a third. The key comes from the environment. The metadata of a
checkpoint (thread names, step numbers, the run's settings) stays readable. It contains no question
and no answer.
"""

from __future__ import annotations

import os
import zlib
from typing import Any, Final

from langgraph.checkpoint.serde.base import CipherProtocol, SerializerProtocol
from langgraph.checkpoint.serde.encrypted import EncryptedSerializer
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from hopyard.state.errors import HopyardError, UsageError
from hopyard.state.extras import require

KEY_VARIABLE: Final = "HOPYARD_CHECKPOINT_KEY"
_KEY_BYTES: Final = 32
_CIPHER: Final = "aes"
"""The name of LangGraph's cipher, AES in EAX mode with a nonce and a tag of 16 bytes each."""
_MARK: Final = "/zlib"
"""Ends the type of compressed data. LangGraph separates the name of a cipher by `+`."""
_WORTH_IT: Final = 64
"""Bytes below which compression gains nothing."""


def checkpoint_key() -> bytes:
    """The key that threads are encrypted with, from the environment, or b"".

    Raises:
        UsageError: The key is invalid, or the extra `encryption` is not installed.
    """
    if not (text := os.environ.get(KEY_VARIABLE)):
        return b""
    require(f"The variable {KEY_VARIABLE}", "encryption")
    try:
        key = bytes.fromhex(text)
    except ValueError:
        key = b""
    if len(key) != _KEY_BYTES:
        raise UsageError(
            f"{KEY_VARIABLE} is not a key of 64 hexadecimal digits; make one with "
            "`openssl rand -hex 32`."
        )
    return key


def serializer(key: bytes = b"") -> SerializerProtocol:
    """The serializer of threads; with a key, it encrypts, and still reads what is not encrypted."""
    # State holds plain values and LangChain messages; nothing else is loaded from disk.
    plain = CompressedSerializer(allowed_msgpack_modules=None)
    return EncryptedSerializer(_Cipher(key), plain) if key else plain


class CompressedSerializer(JsonPlusSerializer):
    """Compress what LangGraph's serializer writes; read what either has written.

    A subclass, not a wrapper: LangGraph keeps `LANGGRAPH_STRICT_MSGPACK` only with serializers
    that are its own.
    """

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        """Write a value, compressed where it pays."""
        kind, data = super().dumps_typed(obj)
        if len(data) < _WORTH_IT:
            return kind, data
        return kind + _MARK, zlib.compress(data)

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        """Load what `dumps_typed` has written.

        Raises:
            HopyardError: It is encrypted.
        """
        kind, payload = data
        if kind.endswith(_CIPHER):
            raise HopyardError(
                "The thread is encrypted and there is no key; set HOPYARD_CHECKPOINT_KEY to the "
                "key that it was written with."
            )
        if kind.endswith(_MARK):
            return super().loads_typed((kind.removesuffix(_MARK), zlib.decompress(payload)))
        return super().loads_typed(data)


class _Cipher(CipherProtocol):
    """LangGraph's cipher, with errors of one sentence."""

    def __init__(self, key: bytes) -> None:
        self._aes = EncryptedSerializer.from_pycryptodome_aes(key=key).cipher

    def encrypt(self, plaintext: bytes) -> tuple[str, bytes]:
        """Encrypt with a new nonce."""
        return self._aes.encrypt(plaintext)

    def decrypt(self, ciphername: str, ciphertext: bytes) -> bytes:
        """Decrypt.

        Raises:
            HopyardError: Another key has encrypted it, or it was changed.
        """
        try:
            if ciphername == _CIPHER:
                return self._aes.decrypt(ciphername, ciphertext)
        except ValueError:
            pass
        raise HopyardError(
            "The thread cannot be decrypted: it was written with another key, or is damaged; set "
            f"{KEY_VARIABLE} to the key that it was written with, or move the thread store away."
        )
