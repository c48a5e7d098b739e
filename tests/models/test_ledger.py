"""The ledger: a finished call is kept, whoever wrote it, and counted once to the run that paid."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import HumanMessage, SystemMessage

from hopyard.models.ledger import Entry, Ledger, ledger_key, open_ledger
from hopyard.state.usage import no_usage

PARSED = Entry(
    prompt="answer",
    version=1,
    model="m",
    attempt=0,
    output='{"answer": "Paris"}',
    outcome="parsed",
    input_tokens=100,
    output_tokens=5,
    seconds=0.5,
)
FAILED = replace(PARSED, output="Par", outcome="failed")


@pytest.fixture
def ledger(place: Path | str) -> Iterator[Ledger]:
    opened = open_ledger(place)
    yield opened
    opened.close()


def test_an_unknown_call_is_not_found(ledger: Ledger) -> None:
    assert ledger.find("k", "run") is None
    assert ledger.usage("run") == no_usage()


def test_a_finished_call_is_found_by_every_run(ledger: Ledger) -> None:
    ledger.record("k", PARSED, run="a", run_seconds=1.5)
    assert ledger.find("k", "a") == PARSED
    assert ledger.find("k", "b") == PARSED


def test_a_finished_call_outlives_its_process(ledger: Ledger, place: Path | str) -> None:
    ledger.record("k", PARSED, run="a", run_seconds=1.5)
    again = open_ledger(place)
    assert again.find("k", "a") == PARSED
    again.close()


def test_a_failed_output_is_given_back_only_to_the_run_that_paid(ledger: Ledger) -> None:
    ledger.record("k", FAILED, run="a", run_seconds=1.0)
    assert ledger.find("k", "b") is None
    assert ledger.find("k", "a") == FAILED
    assert ledger.usage("b") == no_usage()


def test_a_better_output_takes_the_place_of_a_failed_one(ledger: Ledger) -> None:
    ledger.record("k", FAILED, run="a", run_seconds=1.0)
    ledger.record("k", PARSED, run="b", run_seconds=1.0)
    assert ledger.find("k", "a") == PARSED
    assert ledger.find("k", "c") == PARSED


def test_usage_counts_what_a_run_paid_and_what_it_was_given(ledger: Ledger) -> None:
    ledger.record("k1", PARSED, run="a", run_seconds=1.0)
    ledger.record("k2", replace(PARSED, input_tokens=7, output_tokens=3), run="a", run_seconds=2.5)
    ledger.find("k1", "a")
    ledger.find("k1", "b")
    assert ledger.usage("a") == {
        "model_calls": 2,
        "cached_calls": 1,
        "input_tokens": 107,
        "output_tokens": 8,
        "estimated_calls": 0,
        "seconds": 2.5,
    }
    assert ledger.usage("b") == no_usage() | {"cached_calls": 1}


def test_each_use_names_its_step(ledger: Ledger) -> None:
    ledger.record("k", PARSED, run="a", run_seconds=0, step="read-1")
    ledger.find("k", "a", step="read-2")
    ledger.find("k", "b", step="read-1")
    assert [(use.step, use.cached) for use in ledger.uses("a")] == [
        ("read-1", False),
        ("read-2", True),
    ]
    assert [(use.step, use.entry) for use in ledger.uses("b")] == [("read-1", PARSED)]


def test_parse_rates_are_told_by_prompt_version_and_model(ledger: Ledger) -> None:
    ledger.record("k1", PARSED, run="a", run_seconds=0)
    ledger.record("k2", replace(PARSED, outcome="repaired"), run="a", run_seconds=0)
    ledger.record("k3", FAILED, run="b", run_seconds=0)
    ledger.record("k4", replace(PARSED, version=2), run="b", run_seconds=0)
    first, second = ledger.parse_rates()
    assert (first.version, first.calls, first.parsed, first.repaired, first.failed) == (
        1,
        3,
        1,
        1,
        1,
    )
    assert first.rate == pytest.approx(2 / 3)
    assert (first.input_tokens, first.output_tokens, first.seconds) == (300, 15, 1.5)
    assert (second.version, second.rate) == (2, 1.0)


def test_parse_rates_of_one_run_leave_the_others_out(ledger: Ledger) -> None:
    ledger.record("k1", PARSED, run="a", run_seconds=0)
    ledger.record("k2", FAILED, run="b", run_seconds=0)
    assert [rate.failed for rate in ledger.parse_rates("b")] == [1]
    assert ledger.parse_rates("nobody") == []


def test_text_of_any_kind_is_kept_as_it_is(ledger: Ledger) -> None:
    odd = replace(PARSED, output="\x00 \U0001f600 \u2028 '; DROP TABLE calls; --")
    ledger.record("k", odd, run="a", run_seconds=0)
    assert ledger.find("k", "a") == odd


def test_threads_write_side_by_side(ledger: Ledger) -> None:
    def work(number: int) -> None:
        for call in range(25):
            ledger.record(f"{number}/{call}", PARSED, run="shared", run_seconds=float(call))
            ledger.find(f"{number}/{call}", "shared")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    usage = ledger.usage("shared")
    assert (usage["model_calls"], usage["cached_calls"]) == (200, 200)
    assert usage["input_tokens"] == 200 * PARSED.input_tokens


_WRITER = """
import sys
from pathlib import Path
from hopyard.models.ledger import Entry, open_ledger
place = sys.argv[1]
ledger = open_ledger(place if place.startswith("postgresql:") else Path(place))
print("ready", flush=True)
sys.stdin.readline()
for call in range(100):
    entry = Entry("answer", 1, "m", 0, "{}", "parsed", 1, 1, 0.0)
    ledger.record(f"{sys.argv[2]}/{call}", entry, run="shared", run_seconds=1.0)
"""


def test_processes_write_side_by_side(ledger: Ledger, place: Path | str) -> None:
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", _WRITER, str(place), name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in ("one", "two")
    ]
    for writer in writers:
        assert writer.stdout.readline() == "ready\n"
    for writer in writers:
        writer.stdin.write("go\n")
        writer.stdin.flush()
    for writer in writers:
        writer.communicate(timeout=60)
        assert writer.returncode == 0
    assert ledger.usage("shared")["model_calls"] == 200


PARTS = {"model": "m", "prompt": "answer", "messages": [["human", "Who?"]], "attempt": 0}


def test_the_key_does_not_depend_on_the_order_of_its_parts() -> None:
    assert ledger_key(PARTS) == ledger_key(dict(reversed(PARTS.items())))


def test_the_key_stays_the_same_between_versions() -> None:
    """A change here makes every user pay for every finished call again: is it worth that?"""
    expected = "9314d308491dff83f4c8d1ed07af1b0e20b04859f237cdf1096b6924433dd3d9"
    assert ledger_key(PARTS) == expected


@pytest.mark.parametrize("part", PARTS)
def test_the_key_depends_on_every_part(part: str) -> None:
    assert ledger_key(PARTS) != ledger_key(PARTS | {part: "other"})


@given(st.text(st.characters(exclude_categories=())), st.text())
def test_two_inputs_have_two_keys(first: str, second: str) -> None:
    assert (ledger_key({"input": first}) == ledger_key({"input": second})) == (first == second)


def test_what_was_asked_is_kept_until_the_run_is_forgotten(ledger: Ledger) -> None:
    ledger.record("k1", PARSED, run="a", run_seconds=0, asked=[HumanMessage("Who? \ud800")])
    ledger.record("k2", PARSED, run="b", run_seconds=0, asked=[SystemMessage("Which?")])
    ledger.record("k3", PARSED, run="b", run_seconds=0)
    which = {"k2": [("system", "Which?")]}
    assert ledger.asked(["k1", "k2", "k3", "k4"]) == {"k1": [("human", "Who? \ud800")]} | which
    ledger.find("k2", "a")
    ledger.forget(["a"])
    assert ledger.asked(["k1", "k2"]) == which


def test_questions_are_those_of_the_asker_until_their_runs_are_forgotten(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    for asker, run, question in (
        ("me", "a", "Which?"),
        ("me", "b", "Who?"),
        ("me", "b", "Which?"),
        ("you", "c", "When?"),
    ):
        ledger.keep_question(asker, run, question)
    assert ledger.questions("me", "d") == ["Which?", "Who?"]
    assert ledger.questions("me", "b") == ["Which?"]
    ledger.forget(["b"])
    assert ledger.questions("me", "d") == ["Which?"]
    monkeypatch.setenv("HOPYARD_CHECKPOINT_KEY", "0" * 16)
    ledger.keep_question("me", "e", "Why?")
    assert ledger.questions("me", "d") == ["Which?"]
    monkeypatch.delenv("HOPYARD_CHECKPOINT_KEY")
    monkeypatch.setattr("hopyard.models.ledger._MOST_QUESTIONS", 2)
    for question in ("Who?", "Why?"):
        ledger.keep_question("me", "e", question)
    assert ledger.questions("me", "d") == ["Who?", "Why?"]


def test_a_use_has_the_key_and_the_end_of_its_call(ledger: Ledger) -> None:
    ledger.record("k", PARSED, run="a", run_seconds=0)
    [use] = ledger.uses("a")
    assert use.key == "k"
    passed = datetime.now(UTC) - datetime.fromisoformat(use.at)
    assert abs(passed.total_seconds()) < 60


def test_all_runs_of_a_day_are_added_up(ledger: Ledger) -> None:
    assert ledger.spent_today() == 0
    ledger.record("k1", PARSED, run="a", run_seconds=0)
    ledger.record("k2", PARSED, run="b", run_seconds=0)
    ledger.find("k1", "b")
    assert ledger.spent_today() == 210
    ledger.forget(["a", "b"])
    assert ledger.spent_today() == 210, "a deleted thread was paid for"


def test_a_person_has_a_day_too(ledger: Ledger) -> None:
    ledger.record("k1", PARSED, run="a", run_seconds=0, person="ann")
    ledger.record("k2", PARSED, run="b", run_seconds=0, person="ben")
    ledger.record("k3", PARSED, run="c", run_seconds=0)
    spent = [ledger.spent_today(person) for person in ("", "ann", "ben", "cleo")]
    assert spent == [315, 105, 105, 0]
