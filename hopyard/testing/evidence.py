"""Rules for valid evidence."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from hopyard.state.schemas import Evidence

__all__ = ("check_evidence",)


def check_evidence(evidence: Sequence[Evidence], passages: Collection[str]) -> None:
    """See that units of evidence are plain, each once, and lead to passages of the index."""
    for unit in evidence:
        assert set(unit) - {"texts", "why"} == {"kind", "id", "score", "passages"}
        assert not unit.get("texts") or len(unit["texts"]) == len(unit["passages"])
        assert type(unit["kind"]) is type(unit["id"]) is str
        assert type(unit["score"]) is float
        if "why" in unit:
            assert type(unit["why"]) is str
            assert unit["why"].strip()
        assert unit["passages"]
        assert set(unit["passages"]) <= set(passages)
        if unit["kind"] == "passage":
            assert unit["passages"] == [unit["id"]]
    units = [(unit["kind"], unit["id"]) for unit in evidence]
    assert len(units) == len(set(units))
