"""Checkpoints that only the holder of a key can read.

The key comes from the environment, as 64 hexadecimal digits. The metadata of a checkpoint (thread
names, step numbers, the run's settings) stays readable. It contains no question and no answer.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any, Final

from hopyard.state.errors import HopyardError, UsageError
from hopyard.state.extras import require
from hopyard.state.storage.serializer import ENCRYPTED_MARK, CompressedSerializer

__all__ = ("KEY_VARIABLE", "EncryptingSerializer", "serializer")

KEY_VARIABLE: Final = "HOPYARD_CHECKPOINT_KEY"
_KEY_BYTES: Final = 32
_NONCE_BYTES: Final = 12
_TAG_BYTES: Final = 16


def serializer() -> CompressedSerializer:
    """The serialiser of the user's threads: encrypting, where the environment holds a key.

    Raises:
        UsageError: The key is none, or the extra `encryption` is not installed.
    """
    # State holds plain values and LangChain messages; nothing else is loaded from disk.
    if text := os.environ.get(KEY_VARIABLE):
        return EncryptingSerializer(_key(text), allowed_msgpack_modules=None)
    return CompressedSerializer(allowed_msgpack_modules=None)


class EncryptingSerializer(CompressedSerializer):
    """AES-256-GCM encryption of compressed checkpoints.

    Checkpoints that were written without a key stay readable.

    Not LangGraph's `EncryptedSerializer`: that one tells its own marks from ours by the first `+`.

    Args:
        key: 32 bytes.
        settings: As `JsonPlusSerializer` takes them.
    """

    def __init__(self, key: bytes, **settings: Any) -> None:
        super().__init__(**settings)
        self._key = key
        # Without the key, a hash of a text would tell whether it is that text.
        self._digest_key = key

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        """Serialise, compress, encrypt."""
        kind, data = super().dumps_typed(obj)
        kind += ENCRYPTED_MARK
        nonce = os.urandom(_NONCE_BYTES)
        text, tag = self._cipher(kind, nonce).encrypt_and_digest(data)
        return kind, nonce + tag + text

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        """Load what `dumps_typed` has written, or what was written without a key.

        Raises:
            HopyardError: Another key has encrypted it, or it was changed.
        """
        kind, payload = data
        if not kind.endswith(ENCRYPTED_MARK):
            return super().loads_typed(data)
        nonce, rest = payload[:_NONCE_BYTES], payload[_NONCE_BYTES:]
        try:
            plain = self._cipher(kind, nonce).decrypt_and_verify(
                rest[_TAG_BYTES:], rest[:_TAG_BYTES]
            )
        except ValueError as error:
            raise HopyardError(
                f"The thread cannot be decrypted: it was written with another key, or is "
                f"damaged; set "
                f"{KEY_VARIABLE} to the key that it was written with."
            ) from error
        return super().loads_typed((kind.removesuffix(ENCRYPTED_MARK), plain))

    def _cipher(self, kind: str, nonce: bytes) -> Any:
        aes = import_module("Crypto.Cipher.AES")
        return aes.new(self._key, aes.MODE_GCM, nonce=nonce, mac_len=_TAG_BYTES).update(
            kind.encode()
        )


def _key(text: str) -> bytes:
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
