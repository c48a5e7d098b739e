"""Pages that load nothing: their files, and the policy that allows these alone."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable
from functools import lru_cache
from importlib.resources import files

__all__ = ("asset", "content_policy")


@lru_cache(maxsize=8)
def asset(name: str) -> str:
    """The text of a file in `assets`."""
    return (files("hopyard.tracing") / "assets" / name).read_text(encoding="utf-8")


def content_policy(styles: Iterable[str], scripts: Iterable[str] = ()) -> str:
    """The content security policy that allows a page these styles and scripts alone."""
    allowed = {"style-src": styles, "script-src": scripts}
    rules = [f"{rule} {' '.join(map(_hash, texts))}" for rule, texts in allowed.items() if texts]
    return "; ".join(["default-src 'none'", *rules, "base-uri 'none'", "form-action 'none'"])


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
