"""The headroom, and the records that it is read from."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from hopyard.evaluation.plan import INFO_FILE, RunInfo
from hopyard.evaluation.records import RECORDS_FILE, RecordCost
from hopyard.state.errors import UsageError
from lab.route.headroom import EQUAL_ANY, EQUAL_READING, measure_headroom, verdict
from lab.route.records import RouteRecords, read_route_records
from tests.evaluation.conftest import record

Rows = Mapping[str, Mapping[str, tuple[float, int]]]
"""By question and strategy: F1, and tokens."""

BRIDGES: Rows = {
    "q1": {"direct": (1, 100), "single": (1, 900), "chain": (1, 1000), "auto": (1, 1000)},
    "q2": {"direct": (0, 100), "single": (1, 900), "chain": (1, 1100), "auto": (1, 1100)},
    "q3": {"direct": (0, 100), "single": (0, 900), "chain": (1, 2500), "auto": (1, 2500)},
    "q4": {"direct": (1, 100), "single": (0, 900), "chain": (0, 2400), "auto": (0, 2400)},
}


def write_records(folder: Path, rows: Rows, *, name: str = "bridges", model: str = "m") -> Path:
    """Write a folder as `hopyard eval --out` does."""
    folder.mkdir(parents=True, exist_ok=True)
    info = RunInfo(
        run="r", name=name, model=model, embedding="e", index="i", index_created="1", settings={}
    )
    (folder / INFO_FILE).write_text(info.model_dump_json())
    lines = [
        record(
            question,
            strategy,
            f1=float(f1),
            accuracy=float(f1 > 0),
            route={"strategy": "chain"} if strategy == "auto" else None,
            cost=RecordCost(
                model_calls=1 + (tokens > 2000), input_tokens=tokens - 10, output_tokens=10
            ),
        )
        .model_copy(update={"question": f"What of {question}?"})
        .model_dump_json()
        for question, strategies in rows.items()
        for strategy, (f1, tokens) in strategies.items()
    ]
    (folder / RECORDS_FILE).write_text("".join(line + "\n" for line in lines))
    return folder


@pytest.fixture
def records(tmp_path: Path) -> RouteRecords:
    return read_route_records([write_records(tmp_path / "bridges", BRIDGES)])


class TestRecords:
    def test_what_all_strategies_answered(self, records: RouteRecords) -> None:
        assert records.strategies == ("direct", "single", "chain")
        assert [each.id for each in records.answered] == ["q1", "q2", "q3", "q4"]
        third = records.answered[2]
        assert third.question == "What of q3?"
        assert third.outcomes["chain"].tokens == 2500
        assert (third.outcomes["single"].right, third.outcomes["chain"].right) == (False, True)
        assert third.routed is not None
        assert third.routed[0] == "chain"

    def test_folders_of_one_set_are_read_together(self, tmp_path: Path) -> None:
        first = write_records(tmp_path / "a", {"q1": {"single": (0, 900), "tree": (0, 4000)}})
        later = write_records(
            tmp_path / "b", {"q1": {"chain": (1, 1000), "tree": (1, 5000)}, "q2": {"chain": (1, 1)}}
        )
        found = read_route_records([first, later / RECORDS_FILE])
        assert found.strategies == ("single", "chain", "tree")
        [only] = found.answered
        assert (only.id, only.outcomes["tree"].tokens) == ("q1", 5000)

    def test_a_strategy_that_a_set_lacks_is_left_out(self, tmp_path: Path) -> None:
        one = write_records(tmp_path / "a", BRIDGES)
        rows: Rows = {"q1": {"single": (1, 900), "chain": (1, 1000), "chain+mmr": (1, 1000)}}
        other = write_records(tmp_path / "b", rows, name="rivers")
        found = read_route_records([one, other])
        assert (found.strategies, found.left_out) == (("single", "chain"), ("direct",))
        assert {each.set for each in found.answered} == {"bridges", "rivers"}
        with pytest.raises(UsageError, match="Not every question set has records of 'direct'"):
            read_route_records([one, other], ["direct", "single"])

    def test_records_that_cannot_be_compared(self, tmp_path: Path) -> None:
        one = write_records(tmp_path / "a", BRIDGES)
        with pytest.raises(UsageError, match=r"several models \(m, other\)"):
            read_route_records(
                [one, write_records(tmp_path / "b", BRIDGES, name="r", model="other")]
            )
        apart: Rows = {"q1": {"single": (1, 900)}, "q2": {"chain": (1, 900)}}
        with pytest.raises(UsageError, match="No question was answered by the same strategies"):
            read_route_records([write_records(tmp_path / "c", apart)])
        with pytest.raises(UsageError, match="no records"):
            read_route_records([write_records(tmp_path / "d", {})])
        with pytest.raises(UsageError, match=r"run\.json is missing"):
            read_route_records([tmp_path])


class TestHeadroom:
    def test_each_policy_by_hand(self, records: RouteRecords) -> None:
        found = measure_headroom(records).sets["bridges"]
        assert (found.questions, found.best, found.best_reading) == (4, "chain", "chain")
        numbers = {
            name: (policy.f1.mean, policy.tokens.mean, policy.calls)
            for name, policy in found.policies.items()
        }
        assert numbers == {
            "always direct": (0.5, 100, 1),
            "always single": (0.5, 900, 1),
            "always chain": (0.75, 1750, 1.5),
            "auto, as recorded": (0.75, 1750, 1.5),
            "oracle, reads documents": (0.75, 1300, 1.25),  # single, single, chain, single
            EQUAL_READING: (0.75, 1300, 1.25),
            "oracle": (1.0, 900, 1.25),  # direct, single, chain, direct
            EQUAL_ANY: (1.0, 900, 1.25),
        }
        oracle = found.policies["oracle"]
        assert oracle.chosen == {"chain": 1, "direct": 2, "single": 1}
        assert (oracle.f1_difference.mean, oracle.tokens_difference.mean) == (0.25, -850)

    def test_the_sentence_says_what_could_be_saved(self, records: RouteRecords) -> None:
        text = verdict(measure_headroom(records).sets["bridges"])
        assert text.startswith(
            "Always chain has the best F1 of the strategies that read documents, 75.0 at 1,750 "
            "tokens. A perfect route among them would have F1 75.0 at 1,300 tokens: 26% fewer ["
        )
        assert "With strategies that read none, it would have F1 100.0 at 900 tokens: 49%" in text

    def test_several_sets_are_shown_together_too(self, tmp_path: Path) -> None:
        one = write_records(tmp_path / "a", BRIDGES)
        other = write_records(tmp_path / "b", BRIDGES, name="rivers")
        found = measure_headroom(read_route_records([one, other], ["single", "chain"]))
        assert list(found.sets) == ["bridges", "rivers", "all"]
        assert found.sets["all"].questions == 8
        assert found.sets["all"].policies["always chain"].tokens.mean == 1750
        assert "that read none" not in verdict(found.sets["all"])
