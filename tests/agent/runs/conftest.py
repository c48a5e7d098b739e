"""The runs of these tests are those of the tests of the graphs."""

from __future__ import annotations

from ...graphs.conftest import attempts, context, index, sample_index, script, session, tree

__all__ = ("attempts", "context", "index", "sample_index", "script", "session", "tree")
