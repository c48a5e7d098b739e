"""Hopyard's own strategies keep the contract that plug-ins inherit."""

from __future__ import annotations

from typing import Any, ClassVar

from hopyard.state.strategy import STRATEGIES
from hopyard.testing import StrategyContract

from .outputs import (
    judge_edges,
    last_turn,
    list_bridges,
    map_passages,
    search_globally,
    write_questions,
)

COMPARISON = "Which was built first, the Iron Bridge or the Stone Bridge?"
IRON = "When was the Iron Bridge opened?"
STONE = "When was the Stone Bridge completed?"
CROSSED = "How long is the river that the Iron Bridge crosses?"
COKE = "When was coke first used where the ribs of the Iron Bridge were cast?"


class TestDirect(StrategyContract):
    strategy = STRATEGIES["direct"]
    question = "What is 12 plus 30?"
    answers: ClassVar = {"Answer": {"answer": "42"}}
    answer = "42"
    calls = 1


class TestSingle(StrategyContract):
    strategy = STRATEGIES["single"]
    question = IRON
    answers: ClassVar = {"Answer": {"answer": "1781"}}
    answer = "1781"
    calls = 1


class TestPlan(StrategyContract):
    strategy = STRATEGIES["plan"]
    question = CROSSED
    answers: ClassVar = {
        "Split": {
            "thought": "The river first.",
            "kind": "compound",
            "parts": [
                {"question": "Which river does the Iron Bridge cross?", "simple": True},
                {"question": "How long is the #1?", "simple": True},
            ],
            **dict.fromkeys(("relevant", "complete", "specific", "non_overlapping"), True),
        },
        ("PartAnswer", "Question: How long is the Severn?"): {
            "thought": "It says so.",
            "answer": "354 kilometres",
            "passages": [1],
        },
        "PartAnswer": {"thought": "It says so.", "answer": "Severn", "passages": [1]},
        "Closing": {"thought": "So it is.", "answer": "354 kilometres", "passages": [1]},
    }
    answer = "354 kilometres"
    calls = 4  # split, the river, its length, the closing call


class TestTree(StrategyContract):
    strategy = STRATEGIES["tree"]
    settings: ClassVar = {"retrieval": {"k": 2}, "answer": {"style": "short"}}
    question = COMPARISON
    answers: ClassVar = {
        ("Decomposition", COMPARISON): {"kind": "compound", "first": IRON, "second": STONE},
        "Decomposition": {"kind": "simple", "first": "", "second": ""},
        "Rubric": dict.fromkeys(
            ("wh_form", "specific", "relevant", "non_overlapping", "complete"), 1
        ),
        ("Answer", COMPARISON): {"answer": "Stone Bridge"},
        ("Answer", IRON): {"answer": "1781"},
        ("Answer", STONE): {"answer": "1146"},
        "BranchScores": {
            "sufficiency": 5,
            "non_redundancy": 5,
            "consistency": 5,
            "decomposition": 5,
            "weaker": "first",
        },
    }
    answer = "Stone Bridge"
    calls = 8  # split, rubric, two readings, branch judge, two splits that find leaves, aggregate


class TestCor(StrategyContract):
    strategy = STRATEGIES["cor"]
    question = CROSSED
    answers: ClassVar = {
        ("NextQuestion", "354"): {"kind": "enough", "question": ""},
        ("NextQuestion", "crosses? Severn"): {"kind": "ask", "question": "How long is the Severn?"},
        "NextQuestion": {"kind": "ask", "question": "What is the river that the bridge crosses?"},
        ("Answer", CROSSED): {"answer": "354 kilometres"},
        ("Answer", "How long is the Severn?"): {"answer": "354 kilometres"},
        "Answer": {"answer": "Severn"},
    }
    answer = "354 kilometres"
    calls = 6
    settings: ClassVar = {"retrieval": {"k": 2}}


def follow_the_river(name: str, messages: list[dict[str, Any]]) -> dict[str, Any]:
    """Find the river first, then its length."""
    turn = last_turn(messages)
    if "354 kilometres" in turn:
        found = {"fact": "The Severn is 354 kilometres long.", "passage": number_of("Severn", turn)}
        return {"findings": [found], "kind": "answer", "answer": "354 kilometres"}
    if "Searches made:\n- How" not in turn or "No search is left" in turn:
        return {"kind": "not_found"}
    found = {"fact": "The Iron Bridge crosses the Severn.", "passage": 1}
    return {"findings": [found], "kind": "search", "searches": ["How long is the Severn?"]}


def number_of(title: str, turn: str) -> int:
    """The number that a passage has in a turn."""
    line = next(line for line in turn.splitlines() if f"] {title}: " in line)
    return int(line[1 : line.index("]")])


class TestChain(StrategyContract):
    strategy = STRATEGIES["chain"]
    question = CROSSED
    answers: ClassVar = follow_the_river
    answer = "354 kilometres"
    calls = 2
    settings: ClassVar = {"retrieval": {"k": 1}}


def hop_answers(name: str, messages: list[dict[str, Any]]) -> dict[str, Any]:
    """The graph's questions, their judgements, the choice of a round, and the answer."""
    turn = last_turn(messages)
    if name == "PassageQuestions":
        return dict(write_questions(turn))
    if name == "Judgements":
        return dict(judge_edges(turn))
    if name == "HopChoice":
        return {"useful": [1], "enough": False, "necessary": [1]}
    if name == "SelectedAnswer":
        return {"useful": [{"passage": 1, "fact": "It was in 1709."}], "answer": "1709"}
    return {"answer": "1709"}


class TestHopRounds(StrategyContract):
    strategy = STRATEGIES["hop-rounds"]
    question = COKE
    answers: ClassVar = hop_answers
    answer = "1709"
    calls = 3  # two rounds; the answer
    settings: ClassVar = {"retrieval": {"k": 2}}


class TestHop(StrategyContract):
    strategy = STRATEGIES["hop"]
    question = COKE
    answers: ClassVar = hop_answers
    answer = "1709"
    calls = 3  # each entry's passage chooses; the answer
    settings: ClassVar = {"profile": "builtin", "hop": {"top_k": 3}, "retrieval": {"k": 2}}


class TestGlobal(StrategyContract):
    strategy = STRATEGIES["global"]
    question = "What do the documents tell about bridges?"
    answers: ClassVar = map_passages
    answer = "The Iron Bridge was opened in 1781 [1]."
    calls = 3  # map of excerpts, map of passages, reduce


class TestGraphRAG(TestGlobal):
    strategy = STRATEGIES["graphrag"]
    answers: ClassVar = search_globally
    calls = 5  # three reports (the garden's takes no call), map, reduce
    searches = ("dense",)  # it searches only if the budget leaves no call to map


class TestEvery(StrategyContract):
    strategy = STRATEGIES["every"]
    question = "Which bridges are there, and when was each finished?"
    answers: ClassVar = list_bridges
    answer = (
        "There are 2 bridges:\n\n| Bridge | Year |\n| --- | --- |\n| Iron Bridge | 1781 [1] |\n"
        "| Stone Bridge | 1146 [2] |\n\nRead 8 of 8 documents."
    )
    calls = 5
    settings: ClassVar = {"global": {"window": 60}}


class TestLocal(StrategyContract):
    strategy = STRATEGIES["local"]
    question = IRON
    answers: ClassVar = {"Answer": {"answer": "1781"}}
    answer = "1781"
    calls = 1
    searches: ClassVar = ("dense", "sparse", "pagerank")
