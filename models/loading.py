"""One model at a time is loaded into PyTorch."""

from __future__ import annotations

import threading
from typing import Final

__all__ = ("LOADING",)

LOADING: Final = threading.RLock()
"""Held while transformers builds a model.

It changes state of the whole process while it does. Of models that were loaded at the same time in
several threads, some failed ("Cannot copy out of meta tensor"), and others came without an error
and with random weights.
"""
