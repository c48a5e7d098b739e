"""bm25s, imported without the warning that its progress bar prints in notebooks."""

from __future__ import annotations

import warnings

with warnings.catch_warnings():
    warnings.filterwarnings("ignore", message="IProgress not found")
    import bm25s
    from bm25s import stopwords

__all__ = ("bm25s", "stopwords")
