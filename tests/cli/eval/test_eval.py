"""`hopyard eval` from end to end."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from model_server import ModelServer

from ..conftest import Ended, Run

KEYS = {"n", "em", "f1", "accuracy", "retrieval", "usage", "failures"}
ROWS = [
    {"id": "m", "question": "How many moons has Mars?", "answers": ["two"],
     "supporting_ids": ["mars"], "split": "dev"},
    {"id": "v", "question": "Which planet has no moon?", "answers": ["Venus"],
     "supporting_ids": ["venus"], "split": "dev"},
    {"id": "e", "question": "Which planet is the third?", "answers": ["Earth"],
     "supporting_ids": ["earth"], "split": "train"},
]  # fmt: skip


@pytest.fixture
def questions(folder: Path) -> Path:
    path = folder / "planets" / "questions.jsonl"
    path.parent.mkdir()
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return path


def answer_venus(title: str, messages: list[dict[str, object]]) -> dict[str, object]:
    del messages
    if title == "Route":
        return {"strategy": "single"}
    if title == "ChainStep":
        return {"kind": "answer", "answer": "Venus"}
    return {"answer": "Venus"} if title == "Answer" else {"kind": "simple"}


@pytest.fixture(autouse=True)
def _says_venus(model: ModelServer) -> None:
    model.answer = answer_venus


def test_json_has_what_the_design_says(hopyard: Run, questions: Path, index: Path) -> None:
    ended = hopyard(
        "eval", questions, "--index", index, "--strategies", "single,direct,bm25,auto", "--json",
        "--out", "out",
    )  # fmt: skip
    assert ended.code == 0
    found = ended.json["strategies"]
    assert list(found) == ["single", "direct", "bm25", "auto"]
    for name, each in found.items():
        assert set(each) >= KEYS
        assert each["n"] == 3
        assert each["em"] == pytest.approx(1 / 3)
        assert each["retrieval"].keys() == {"precision", "recall", "f1", "recall_at_5"}
        assert each["usage"]["model_calls"] == (2 if name == "auto" else 1)
    assert found["single"]["retrieval"]["recall"] == 1
    assert found["direct"]["retrieval"]["recall"] == 0
    assert ended.json["comparisons"]["direct"]["em"]["mean"] == 0
    assert ended.json["complete"] is True
    assert {path.name for path in Path("out").iterdir()} >= {
        "records.jsonl", "report.json", "report.md", "run.json",
    }  # fmt: skip


def test_a_filter_holds_for_strategies_and_searches(
    hopyard: Run, questions: Path, index: Path, model: ModelServer
) -> None:
    command = ("eval", questions, "--index", index, "--where", "title=Venus", "--json")
    found = hopyard(*command, "--strategies", "single,auto", "--out", "out").json["strategies"]
    for measured in found.values():
        assert measured["retrieval"]["recall"] == pytest.approx(1 / 3)
    records = Path("out/records.jsonl").read_text().splitlines()
    read = [unit["document_id"] for line in records for unit in json.loads(line)["evidence"]]
    assert read == ["venus"] * 6

    searches = hopyard(*command, "--retrieval-only", "--out", "only").json["searches"]
    for name, measured in searches.items():
        assert {round(recall, 3) for recall in measured["recall"].values()} == {0.333}, name
    model.calls.clear()
    wrong = hopyard("eval", questions, "--index", index, "--where", "autor=Ann", "-s", "tree")
    assert (wrong.code, model.calls) == (2, [])
    assert "'autor'" in wrong.error


def test_split_limit_and_resumption(
    hopyard: Run, questions: Path, index: Path, model: ModelServer
) -> None:
    command = ("eval", questions, "--index", index, "-s", "single", "--out", "out", "--json")
    assert hopyard(*command, "--limit", "1").json["strategies"]["single"]["n"] == 1
    asked = len(model.calls)
    assert hopyard(*command, "--split", "dev").json["strategies"]["single"]["n"] == 2
    assert len(model.calls) == asked + 1
    assert hopyard(*command).json["strategies"]["single"]["n"] == 3
    assert len(model.calls) == asked + 2


def test_answers_are_judged_first(
    hopyard: Run, questions: Path, index: Path, model: ModelServer
) -> None:
    def answer(title: str, messages: list[dict[str, object]]) -> dict[str, object]:
        if title == "AnswerVerdict":
            two = "Mars" in str(messages[-1]["content"])
            return {"reason": "So.", "verdict": "equivalent" if two else "different"}
        return answer_venus(title, messages)

    model.answer = answer
    command = ("eval", questions, "--index", index, "-s", "single,direct", "--out", "out")
    ended = hopyard(*command, "--judge", "scripted", "--record", "calls")
    assert ended.code == 0
    lines = [line.split() for line in ended.out.splitlines()]
    assert lines[0][:5] == ["strategy", "n", "judged", "EM", "F1"]
    assert lines[1][:4] == ["single", "3", "66.7", "33.3"]  # the EM answer without a call
    assert len(Path("out/judgements.jsonl").read_text().splitlines()) == 6
    replayed = hopyard(
        *command[:-1], "again", "--model", "recorded:calls", "--judge", "recorded:calls", "--json"
    ).json
    assert replayed["strategies"]["single"]["judged"] == pytest.approx(2 / 3)
    assert replayed["strategies"]["single"]["supported"] is None
    assert replayed["paired"]["direct"]["judged"] == {"gained": 0, "lost": 0, "p": 1.0}
    assert replayed["judge"].startswith("recorded:calls@")
    again = hopyard(*command, "--judge", "nonsense")
    assert again.code == 2
    settings = json.loads(Path("out/run.json").read_text())["settings"]
    assert settings["answer"]["style"] == "short"


def test_the_style_follows_the_gold_answers_unless_it_is_given(
    hopyard: Run, questions: Path, index: Path
) -> None:
    row = ROWS[0] | {"answers": ["Mars has two moons, and both are quite small."]}
    questions.write_text(json.dumps(row) + "\n")

    def style(out: str, *more: str) -> str:
        command = ("eval", questions, "--index", index, "-s", "direct", "--out", out, *more)
        assert hopyard(*command).code == 0
        found = json.loads((Path(out) / "run.json").read_text())["settings"]["answer"]["style"]
        return str(found)

    assert style("one") == "full"
    assert style("two", "--style", "sentence") == "sentence"
    assert style("three", "--set", "answer.style=auto") == "auto"


def test_a_recorded_run_is_replayed_exactly(
    hopyard: Run, questions: Path, index: Path, model: ModelServer
) -> None:
    def command(out: str, *more: str | Path) -> Ended:
        return hopyard(
            "eval", questions, "--index", index, "-s", "single,tree,auto", "--out", out,
            *more,
        )  # fmt: skip

    assert command("asked", "--record", "calls").code == 0
    asked = len(model.calls)
    assert asked >= 6
    replayed = command("replayed", "--model", "recorded:calls", "--json")
    assert replayed.code == 0
    assert replayed.json["model"].startswith("recorded:calls@")
    assert len(model.calls) == asked
    assert records_of("replayed") == records_of("asked")
    missing = command("other", "--model", "recorded:calls", "--set", "retrieval.k=1")
    assert missing.code == 4
    assert "/calls' has no answer to this call of the prompt 'answer'" in missing.error


def records_of(out: str) -> dict[tuple[str, str], dict[str, object]]:
    """The records of a folder, without times and runs, and with one name for the model."""
    records = {}
    for line in (Path(out) / "records.jsonl").read_text().splitlines():
        # What a failure tells names the model.
        record = json.loads(re.sub(r"recorded:calls@\w+", "scripted", line))
        for cost in (record["cost"], *record["calls"].values()):
            cost["seconds"] = cost["wall_seconds"] = 0
        record["run"] = ""
        records[record["question_id"], record["strategy"]] = record
    return records


def test_a_half_is_fixed_and_limit_and_split_count_within_it(
    hopyard: Run, questions: Path, index: Path
) -> None:
    # sha256("m") begins with 62, of "v" with 4c, of "e" with 3f: an even byte is the first half.
    command = ("eval", questions, "--index", index, "-s", "single", "--out", "out", "--json")

    def asked(*more: str) -> list[str]:
        ended = hopyard(*command, *more)
        assert ended.code == 0
        report = json.loads(Path("out/report.json").read_text())
        return [str(report["questions"]), report["selection"]]

    assert asked("--half", "first") == ["2", "first half"]
    assert asked("--half", "first", "--split", "dev", "--limit", "1") == [
        "1", "split dev, first half, the first 1",
    ]  # fmt: skip
    assert asked("--half", "second") == ["1", "second half"]
    assert "(second half)" in Path("out/report.md").read_text()
    ended = hopyard(*command, "--half", "second", "--split", "dev")
    assert ended.code == 2
    assert "no question of the split 'dev' in its second half" in ended.error


def test_a_limit_stops_in_good_order(
    hopyard: Run, questions: Path, index: Path, model: ModelServer
) -> None:
    command = ("eval", questions, "--index", index, "-s", "single,direct", "--out", "out")
    ended = hopyard(*command, "--max-calls", "3", "--json")
    assert ended.code == 0
    assert ended.json["stopped"] == "3 calls"
    assert ended.json["complete"] is False
    assert "Stopped at the limit of 3 calls: 3 answers" in " ".join(ended.err.split())
    assert len(model.calls) == 3
    assert hopyard(*command, "--json").json["complete"] is True
    assert len(model.calls) == 6


def test_people_get_a_table(hopyard: Run, questions: Path, index: Path) -> None:
    ended = hopyard("eval", questions, "--index", index, "-s", "single,tree", "--out", "out")
    assert ended.code == 0
    lines = [line.split() for line in ended.out.splitlines()]
    assert lines[0] == ["strategy", "n", "EM", "F1", "contains", "R@5", "calls", "cached",
                        "tokens", "s"]  # fmt: skip
    assert [line[0] for line in lines[1:3]] == ["single", "tree"]
    assert lines[1][1:4] == ["3", "33.3", "33.3"]


def test_an_index_without_vectors_is_searched_by_words(
    hopyard: Run, questions: Path, folder: Path
) -> None:
    (folder / "venus.md").write_text("# Venus\n\nVenus has no moon.")
    built = hopyard("index", "build", folder / "venus.md", "--out", "words", "--with", "sparse")
    assert built.code == 0
    ended = hopyard("eval", questions, "-i", "words", "-s", "single", "--out", "out", "--json")
    assert ended.json["strategies"]["single"]["em"] == pytest.approx(1 / 3)


def test_retrieval_alone_asks_no_model(
    hopyard: Run, questions: Path, index: Path, model: ModelServer
) -> None:
    ended = hopyard(
        "eval", questions, "--index", index, "--retrieval-only", "--out", "out", "--json",
    )  # fmt: skip
    assert ended.code == 0
    assert list(ended.json["searches"]) == ["dense", "hybrid", "mmr", "segments", "sparse"]
    assert ended.json["name"] == "planets"
    assert model.calls == []
    assert {path.name for path in Path("out").iterdir()} == {"retrieval.json"}


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (("-s", "forest"), 2, "forest"),
        (("-s", "single,hop"), 3, "--with dense,sparse,passage-graph"),
        (("-s", "single+passage-graph"), 3, "no passage-graph part"),
        (("-s", "single+divining"), 2, "'divining'"),
        (("-s", "single", "--baseline", "tree"), 2, "--baseline"),
        (("-s", "single", "--split", "test"), 2, "--split"),
        (("-s", "single", "--sweep", "width"), 2, "depth, theta, hops"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(
    hopyard: Run, questions: Path, index: Path, arguments: tuple[str, ...], code: int, told: str
) -> None:
    ended = hopyard("eval", questions, "--index", index, *arguments)
    assert ended.code == code
    assert told in ended.error


def test_without_an_index_nothing_is_asked(hopyard: Run, questions: Path) -> None:
    assert hopyard("eval", questions, "-s", "single").code == 2
    assert hopyard("eval", questions, "--index", "nowhere", "-s", "single").code == 3
