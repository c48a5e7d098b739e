"""The messages of a model call, as the ledger stores them for traces."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence

from langchain_core.messages import BaseMessage

from hopyard.state.storage.serializer import KEY_VARIABLE

__all__ = ("asked_text", "read_asked")


def asked_text(messages: Sequence[BaseMessage]) -> str:
    """The messages as JSON; "" where checkpoints are encrypted.

    The ledger is not encrypted, and a prompt holds the question and the passages.
    """
    if os.environ.get(KEY_VARIABLE):
        return ""
    return json.dumps([[message.type, message.text] for message in messages], ensure_ascii=False)


def read_asked(text: str) -> list[tuple[str, str]]:
    """The messages again, each as who says it and its text."""
    return [(who, said) for who, said in json.loads(text)] if text else []
