"""Recorded calls: written at once, merged at the end, replayed exactly, and missed by name."""

from __future__ import annotations

import json
import lzma
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from recordings import record_all

from hopyard.models.calls.call import ModelCaller
from hopyard.models.chat import chat_provider
from hopyard.models.ledger import open_ledger
from hopyard.models.recorded import (
    CALLS_FILE,
    LOG_FILE,
    RecordedCall,
    Recorder,
    RecordingMissingError,
    open_recording,
    recorded_key,
)
from hopyard.prompts.strategies.direct import DIRECT
from hopyard.state.errors import HopyardError, UsageError
from hopyard.state.settings.fields import Context, profile_of
from hopyard.testing import GARBAGE, ScriptedChat

TURN = [("system", "Be short."), ("human", "Capital of France?")]
SCHEMA = {"title": "Answer", "description": "One.", "type": "object", "properties": {}}
PARIS = RecordedCall(output='{"answer": "Paris"}', input_tokens=7, output_tokens=3)
ROME = RecordedCall(output='{"answer": "Rome"}')
A, B, C = (digit * 32 for digit in "abc")


def lines(folder: Path) -> list[dict[str, object]]:
    text = lzma.decompress((folder / CALLS_FILE).read_bytes()).decode()
    return [json.loads(line) for line in text.splitlines()]


def test_the_key_is_a_hash_of_what_the_model_is_shown() -> None:
    key = recorded_key(TURN, SCHEMA)
    assert key == recorded_key([("system", "Be short."), ("user", "Capital of France?")], SCHEMA)
    assert key == recorded_key(TURN, SCHEMA, temperature=0.0, seed=8)
    assert key == recorded_key(TURN, SCHEMA | {"title": "Other", "description": "Two."})
    others = {
        recorded_key(TURN[:1], SCHEMA),
        recorded_key(TURN, SCHEMA | {"required": ["answer"]}),
        recorded_key(TURN, SCHEMA, temperature=0.5, seed=7),
        recorded_key(TURN, SCHEMA, temperature=0.5, seed=8),
    }
    assert len(others | {key}) == 5


def test_the_file_holds_keys_outputs_and_tokens_in_order(tmp_path: Path) -> None:
    record_all(tmp_path, [(B, ROME), (A, PARIS)])
    assert lines(tmp_path) == [
        {"key": A, "output": '{"answer": "Paris"}', "input_tokens": 7, "output_tokens": 3},
        {"key": B, "output": '{"answer": "Rome"}', "input_tokens": 0, "output_tokens": 0},
    ]
    other = tmp_path / "other"
    record_all(other, [(A, PARIS)])
    record_all(other, [(B, PARIS), (B, ROME)])
    assert (other / CALLS_FILE).read_bytes() == (tmp_path / CALLS_FILE).read_bytes()
    assert {path.name for path in other.iterdir()} == {CALLS_FILE, "calls.lock"}


def test_many_writers_lose_nothing(tmp_path: Path) -> None:
    recorders = [Recorder(tmp_path) for _ in range(3)]
    keys = [f"{number:032x}" for number in range(300)]
    with ThreadPoolExecutor(16) as pool:
        for place, key in enumerate(keys):
            call = RecordedCall(output=f"é{key}")
            pool.submit(recorders[place % 3].record, key, call)
    for recorder in recorders:
        recorder.close()
        recorder.close()
    assert [line["key"] for line in lines(tmp_path)] == keys
    with pytest.raises(HopyardError, match="closed"):
        recorders[0].record(A, PARIS)


def test_a_killed_recording_keeps_what_it_had(tmp_path: Path) -> None:
    log = tmp_path / LOG_FILE
    half = json.dumps({"key": A, **PARIS.model_dump()}) + '\n{"key": "bbbb'
    log.write_text(half)
    assert open_recording(tmp_path).find(A, prompt="answer") == PARIS
    before = open_recording(tmp_path)
    running = Recorder(tmp_path)
    running.record(C, ROME)
    record_all(tmp_path, [(B, ROME)])
    assert not log.exists()
    assert [line["key"] for line in lines(tmp_path)] == [A, B, C]  # that of the running one too
    running.record(A, ROME)
    assert open_recording(tmp_path).find(A, prompt="answer") == ROME
    running.close()
    assert len(lines(tmp_path)) == 3
    assert open_recording(tmp_path).name != before.name


def test_a_missing_call_is_named(tmp_path: Path) -> None:
    record_all(tmp_path, [(A, PARIS)])
    with pytest.raises(RecordingMissingError) as raised:
        open_recording(tmp_path).find(B, prompt="answer", step="q1/2")
    told = str(raised.value)
    assert "'answer' in the step 'q1/2'" in told
    assert f"--record {tmp_path}" in told
    assert raised.value.exit_code == 4


def test_a_folder_without_calls_and_a_damaged_file_are_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no recorded calls"):
        chat_provider(f"recorded:{tmp_path}")
    Recorder(tmp_path).close()
    with pytest.raises(UsageError, match="no recorded calls"):
        open_recording(tmp_path)
    for data in (b"no", lzma.compress(b'{"key": "../../x", "output": ""}\n')):
        (tmp_path / CALLS_FILE).write_bytes(data)
        with pytest.raises(HopyardError, match="cannot be read"):
            open_recording(tmp_path)


def test_a_recording_stands_for_a_capable_model(tmp_path: Path) -> None:
    record_all(tmp_path, [(A, PARIS)])
    spec = f"recorded:{tmp_path}"
    assert profile_of(Context(model=spec)) == "capable"
    one = chat_provider(spec)
    assert one.identity.startswith(f"recorded:{tmp_path.name}@")
    record_all(tmp_path, [(B, ROME)])
    assert chat_provider(spec).identity != one.identity  # the ledger must not answer for it


async def test_a_replay_repeats_answers_retries_and_tokens(tmp_path: Path) -> None:
    replies = [GARBAGE, {"answer": "Paris"}, GARBAGE]  # a failed output is no other run's
    chat = ScriptedChat(lambda *_: replies.pop(0))
    chat.register("scripted")
    question = {"question": "Capital of France?"}
    folder = tmp_path / "recording"
    recorder = Recorder(folder)
    first = open_ledger(tmp_path / "first.sqlite")
    caller = ModelCaller(chat_provider("scripted"), first, recorder)
    wanted = await caller.call(DIRECT, question, Context(model="scripted"), "run", step="s")
    usage = caller.meter("run").usage
    # Another run asks the same: its calls are recorded again, and stay one line each.
    await caller.call(DIRECT, question, Context(model="scripted"), "other")
    recorder.close()
    assert len(lines(folder)) == 2
    asked = len(chat.requests)

    spec = f"recorded:{folder}"
    second = open_ledger(tmp_path / "second.sqlite")
    replay = ModelCaller(chat_provider(spec), second)
    assert await replay.call(DIRECT, question, Context(model=spec), "run", step="s") == wanted
    again = replay.meter("run").usage
    assert {**again, "seconds": 0} == {**usage, "seconds": 0}
    outputs = [[(e.output, e.outcome, e.input_tokens) for e, _ in ledger.calls_of("run")]
               for ledger in (first, second)]  # fmt: skip
    assert outputs[0] == outputs[1]
    assert len(chat.requests) == asked
    with pytest.raises(RecordingMissingError, match="'direct'"):
        await replay.call(DIRECT, {"question": "Of Italy?"}, Context(model=spec), "run")
    first.close()
    second.close()
