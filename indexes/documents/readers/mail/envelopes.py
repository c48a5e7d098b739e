"""Envelopes of S/MIME around mails, as asn1crypto reads them.

Sources: RFC 5652 (signed and encrypted content), RFC 3274 (compressed content).
"""

from __future__ import annotations

import zlib
from typing import Any, Final

from hopyard.state.errors import CorpusError

ENVELOPES: Final = ("application/pkcs7-mime", "application/x-pkcs7-mime")
_ENCRYPTED: Final = frozenset(
    (
        "encrypted_data",
        "enveloped_data",
        "authenticated_enveloped_data",
        "signed_and_enveloped_data",
    )
)
_LARGEST: Final = 100 << 20
"""Bytes of a compressed mail, at most."""


def mail_within(data: bytes) -> bytes | None:
    """The mail within an envelope that is signed or compressed; None if it is encrypted.

    It is empty if the envelope has certificates alone.

    Raises:
        CorpusError: The envelope is broken, or its mail too large.
    """
    from asn1crypto.cms import ContentInfo

    try:
        envelope = ContentInfo.load(data)
        kind, content = envelope["content_type"].native, envelope["content"]
        if kind == "data":
            return bytes(content.native)
        if kind in _ENCRYPTED:
            return None
        within: Any = content["encap_content_info"]["content"].native or b""
        return _inflated(within) if kind == "compressed_data" else bytes(within)
    except (TypeError, ValueError, KeyError, AttributeError, zlib.error) as error:
        raise CorpusError("its envelope (S/MIME) is broken: save the mail again") from error


def _inflated(data: bytes) -> bytes:
    inflater = zlib.decompressobj()
    found = inflater.decompress(data, _LARGEST)
    if inflater.unconsumed_tail:
        raise CorpusError(f"it has more than {_LARGEST >> 20} MB: save it without its envelope")
    return found
