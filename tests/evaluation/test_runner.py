"""A plan is carried out once, whatever stops it, and what it cost is told honestly."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from model_server import ModelServer, Reply

from hopyard.evaluation.plan import Plan, check_plan, open_info
from hopyard.evaluation.records import RECORDS_FILE, RecordFile, read_records
from hopyard.evaluation.runner import Outcome, run_plan
from hopyard.state.errors import HopyardError, IndexMissingError, ModelUnreachableError, UsageError
from hopyard.state.settings.fields import Budget

from ..graphs.chain.script import BaselineScript
from ..graphs.script import GARBAGE, said, split
from .conftest import FIRST, OPENED, RIVER, MakePlan, record

IRON, STONE = "In which year was the Iron Bridge opened?", "When was the Stone Bridge completed?"


@pytest.fixture(autouse=True)
def _scripted(script: BaselineScript) -> None:
    script.lines = {
        ("read", OPENED): said("1781"),
        ("read", RIVER): said("the river Danube"),
        ("read", FIRST): said("Iron Bridge"),
        ("read", STONE): said("1146"),
        ("direct", OPENED): said("Unknown"),
        ("direct", RIVER): said("Danube"),
        ("direct", FIRST): said("Stone Bridge"),
        ("split", FIRST): split(IRON, STONE),
        ("aggregate", FIRST): said("Stone Bridge"),
    }


async def carry_out(plan: Plan, folder: Path, limits: Budget | None = None) -> Outcome:
    with RecordFile.open(folder) as records:
        info = open_info(folder, check_plan(plan))
        return await run_plan(plan, info, records, limits=limits or Budget())


async def test_every_question_gets_a_record_of_every_strategy(
    plan: MakePlan, tmp_path: Path
) -> None:
    outcome = await carry_out(plan(), tmp_path / "out")
    records = {(record.question_id, record.strategy): record for record in read(tmp_path)}
    assert outcome == Outcome(asked=9, stopped="")
    assert len(records) == 9
    assert records["q1", "single"].em == 1
    assert records["q2", "single"].em == 0
    assert records["q2", "single"].accuracy == 1
    assert records["q2", "single"].f1 == pytest.approx(2 / 3)
    assert records["q3", "single"].f1 == pytest.approx(0.5)
    assert records["q3", "tree"].em == 1
    assert records["q1", "direct"].unanswered
    assert not records["q1", "direct"].retrieved
    assert records["q1", "direct"].retrieval == {
        "precision": 0, "recall": 0, "f1": 0, "recall_at_5": 0,
    }  # fmt: skip
    found = records["q1", "single"]
    assert found.retrieval == pytest.approx(
        {"precision": 0.5, "recall": 1, "f1": 2 / 3, "recall_at_5": 1}
    )
    assert found.answer_in_evidence
    assert found.evidence[0].document_id == "iron-bridge"
    assert [step["kind"] for step in found.steps] == ["search", "read"]


async def test_a_strategys_cost_is_what_it_takes_by_itself(
    plan: MakePlan, tmp_path: Path, script: BaselineScript
) -> None:
    """`tree` reads the same passages for a simple question: free here, but not by itself."""
    await carry_out(plan(("single", "tree")), tmp_path / "both")
    await carry_out(plan(("tree",), seed=8), tmp_path / "alone")
    both = {(record.question_id, record.strategy): record for record in read(tmp_path, "both")}
    alone = {record.question_id: record for record in read(tmp_path, "alone")}
    for question_id, expected in alone.items():
        beside, cost = both[question_id, "tree"].cost, expected.cost
        assert (beside.model_calls, beside.input_tokens, beside.output_tokens) == (
            cost.model_calls, cost.input_tokens, cost.output_tokens,
        )  # fmt: skip
        assert cost.cached_calls == 0
    assert both["q1", "tree"].cost.cached_calls == 1
    assert both["q1", "tree"].calls["answer/1"].cached == 1
    asked = [kind for kind, question in script.asked if question == OPENED]
    # Once for each seed.
    assert asked.count("read") == 2


async def test_a_question_can_name_the_documents_to_search(plan: MakePlan, tmp_path: Path) -> None:
    asked = plan(("single",))
    about = asked.questions[0].model_copy(update={"where": ("title=Stone Bridge",)})
    await carry_out(
        replace(asked, questions=[asked.questions[0], about.model_copy(update={"id": "only"})]),
        tmp_path / "out",
    )
    found = {
        each.question_id: {unit.document_id for unit in each.evidence} for each in read(tmp_path)
    }
    assert "iron-bridge" in found["q1"]
    assert found["only"] == {"stone-bridge"}


async def test_a_second_run_asks_nothing(
    plan: MakePlan, tmp_path: Path, script: BaselineScript
) -> None:
    await carry_out(plan(), tmp_path / "out")
    written = (tmp_path / "out" / RECORDS_FILE).read_bytes()
    script.asked.clear()
    assert (await carry_out(plan(), tmp_path / "out")).asked == 0
    assert script.asked == []
    assert (tmp_path / "out" / RECORDS_FILE).read_bytes() == written


async def test_a_half_line_is_dropped_and_its_question_asked_again(
    plan: MakePlan, tmp_path: Path
) -> None:
    await carry_out(plan(), tmp_path / "out")
    path = tmp_path / "out" / RECORDS_FILE
    whole = path.read_bytes()
    path.write_bytes(whole[:-40])
    assert len(read(tmp_path)) == 8
    assert (await carry_out(plan(), tmp_path / "out")).asked == 1
    again = read(tmp_path)
    assert len({(record.question_id, record.strategy) for record in again}) == len(again) == 9


async def test_a_model_that_goes_away_leaves_what_is_answered(
    plan: MakePlan, tmp_path: Path, model_server: ModelServer, script: BaselineScript
) -> None:
    def answer(title: str, messages: list[dict[str, Any]]) -> Any:
        return Reply(401) if len(script.asked) >= 3 else script(title, messages)

    model_server.answer = answer
    with pytest.raises(ModelUnreachableError):
        await carry_out(plan(("direct", "single")), tmp_path / "out")
    assert len(read(tmp_path)) == 3
    model_server.answer = script
    assert (await carry_out(plan(("direct", "single")), tmp_path / "out")).asked == 3


@pytest.mark.parametrize("calls", [1, 4, 9])
async def test_a_limit_is_kept_and_nothing_is_paid_twice(
    plan: MakePlan, tmp_path: Path, script: BaselineScript, calls: int
) -> None:
    """However small the steps, the whole is what one run would have given."""
    await carry_out(plan(seed=8), tmp_path / "whole")
    wanted = {
        (record.question_id, record.strategy): record.answer for record in read(tmp_path, "whole")
    }
    paid = len(script.asked)
    script.asked.clear()
    for _ in range(60):
        before = len(script.asked)
        outcome = await carry_out(plan(), tmp_path / "out", Budget(calls=calls))
        assert len(script.asked) - before <= calls
        if not outcome.stopped:
            break
        assert outcome.stopped == ("1 call" if calls == 1 else f"{calls} calls")
    got = {(record.question_id, record.strategy): record.answer for record in read(tmp_path)}
    if calls > 1:  # the last call of a limit is kept for a closing answer
        assert got == wanted
        assert len(script.asked) <= paid + 60
        assert not any(record.truncated for record in read(tmp_path))


async def test_no_answer_is_begun_or_kept_after_the_time_is_up(
    plan: MakePlan, tmp_path: Path
) -> None:
    wide = replace(plan(), parallel=3)
    outcome = await carry_out(wide, tmp_path / "out", Budget(seconds=1e-6))
    assert outcome == Outcome(asked=0, stopped="1e-06 seconds")
    assert read(tmp_path) == []
    assert (await carry_out(wide, tmp_path / "out", Budget(seconds=600))).asked == 9


async def test_questions_side_by_side_give_the_same(plan: MakePlan, tmp_path: Path) -> None:
    await carry_out(plan(), tmp_path / "one")
    await carry_out(replace(plan(seed=8), parallel=3), tmp_path / "three")

    def told(folder: str) -> set[tuple[Any, ...]]:
        return {
            (
                record.question_id,
                record.strategy,
                record.answer,
                record.cost.model_calls,
                record.cost.input_tokens,
            )
            for record in read(tmp_path, folder)
        }

    assert told("one") == told("three")


async def test_a_questions_own_budget_truncates_it_and_the_run_goes_on(
    plan: MakePlan, tmp_path: Path
) -> None:
    own = {"calls": 2}
    outcome = await carry_out(plan(("tree",), budget=own), tmp_path / "out", Budget(calls=500))
    assert outcome.stopped == ""
    assert [record.truncated for record in read(tmp_path)] == [False, False, True]


async def test_unusable_outputs_are_told(
    plan: MakePlan, tmp_path: Path, script: BaselineScript, one_attempt: None
) -> None:
    script.lines[("read", OPENED)] = GARBAGE
    await carry_out(plan(("single",)), tmp_path / "out")
    failed = next(record for record in read(tmp_path) if record.question_id == "q1")
    assert failed.unanswered
    assert failed.calls["answer/1"].failed == 1
    assert "no usable output" in failed.failures[0]
    assert failed.failures[1] == "1 outputs of answer/1 fitted no schema"


async def test_a_failure_is_no_right_unknown(
    plan: MakePlan, tmp_path: Path, questions_file: Path, script: BaselineScript
) -> None:
    """Nor is an empty text right, where the gold answer says that there is none."""
    row = json.loads(questions_file.read_text().splitlines()[0]) | {"answers": [""]}
    long = row | {"id": "long", "question": "long? " * 1000}
    said_so = row | {"id": "said", "question": RIVER}
    questions_file.write_text("".join(json.dumps(each) + "\n" for each in (row, long, said_so)))
    script.lines[("read", OPENED)] = GARBAGE
    script.lines[("read", RIVER)] = said("Unknown")
    await carry_out(plan(("single",)), tmp_path / "out")
    found = {record.question_id: (record.failed, record.em, record.f1) for record in read(tmp_path)}
    assert found == {"q1": (True, 0, 0), "long": (True, 0, 0), "said": (False, 1, 1)}


async def test_a_question_that_cannot_be_asked_is_a_failure_and_no_end(
    plan: MakePlan, tmp_path: Path, questions_file: Path
) -> None:
    with_a_long_question(questions_file)
    await carry_out(plan(("single",)), tmp_path / "out")
    first, *others = read(tmp_path)
    assert "5000 characters" in first.failures[0]
    assert first.unanswered
    assert len(others) == 2


async def test_auto_tells_its_route(plan: MakePlan, tmp_path: Path) -> None:
    await carry_out(plan(("auto",)), tmp_path / "out")
    first = read(tmp_path)[0]
    assert first.route is not None
    assert first.route["strategy"] == "single"
    assert first.gate is not None
    assert set(first.calls) == {"route/2", "answer/1"}


async def test_other_settings_do_not_mix_with_a_folders_records(
    plan: MakePlan, tmp_path: Path
) -> None:
    await carry_out(plan(("direct",)), tmp_path / "out")
    with pytest.raises(UsageError, match=r"another setting \(seed\)"):
        await carry_out(plan(("direct",), seed=8), tmp_path / "out")
    await carry_out(plan(("direct", "single"), budget=Budget(calls=9)), tmp_path / "out")


async def test_two_processes_do_not_write_one_file(plan: MakePlan, tmp_path: Path) -> None:
    with (
        RecordFile.open(tmp_path / "out"),
        pytest.raises(HopyardError, match="another process"),
        RecordFile.open(tmp_path / "out"),
    ):
        pass


def test_what_cannot_run_is_said_before_anything_is_spent(
    plan: MakePlan, script: BaselineScript
) -> None:
    with pytest.raises(IndexMissingError, match="no passage-graph part, which 'hop' needs"):
        check_plan(plan(("single", "hop")))
    with pytest.raises(IndexMissingError, match=r"which 'tree\+passage-graph' needs"):
        check_plan(plan(("direct", "tree+passage-graph")))
    with pytest.raises(UsageError, match="No index"):
        check_plan(plan(("single",), index=""))
    assert script.asked == []


def test_a_line_that_is_no_record_is_named(tmp_path: Path) -> None:
    path = tmp_path / RECORDS_FILE
    path.write_text(record().model_dump_json() + "\n{}\n")
    with pytest.raises(HopyardError, match=r"records\.jsonl:2"):
        read_records(path)


def with_a_long_question(file: Path) -> None:
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    rows[0]["question"] = "?" * 5000
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))


def read(tmp_path: Path, folder: str = "out") -> list[Any]:
    path = tmp_path / folder / RECORDS_FILE
    return read_records(path) if path.exists() else []
