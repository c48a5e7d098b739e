"""Hopyard's own search methods keep the contract that plug-ins inherit."""

from __future__ import annotations

from typing import Any, ClassVar

from hopyard.indexes.search import SEARCHES
from hopyard.testing import SearchContract

from .outputs import judge_passages, last_turn, write_questions

FINDS = {
    "When was the Iron Bridge opened?": "iron-bridge",
    "How long is the Danube?": "danube",
    "Coke was first used in Coalbrookdale": "coalbrookdale",
}


class TestDense(SearchContract):
    search = SEARCHES["dense"]
    finds = FINDS


class TestSparse(SearchContract):
    search = SEARCHES["sparse"]
    finds = FINDS


class TestHybrid(SearchContract):
    search = SEARCHES["hybrid"]
    finds = FINDS


class TestMmr(SearchContract):
    search = SEARCHES["mmr"]
    finds = FINDS


def say(name: str, messages: list[dict[str, Any]]) -> dict[str, Any]:
    """The graph's questions, the judgements of reranked passages, and the words of a place."""
    if name == "Place":
        return {"place": "history", "labels": ["opening"], "about": "bridge"}
    write = write_questions if name == "PassageQuestions" else judge_passages
    return dict(write(last_turn(messages)))


class TestPassageGraph(SearchContract):
    search = SEARCHES["passage-graph"]
    finds = FINDS
    answers: ClassVar = say


class TestRerankByChatModel(SearchContract):
    search = SEARCHES["rerank"]
    finds: ClassVar = {"When was the Iron Bridge opened?": "iron-bridge"}
    kinds = ("dense",)
    answers: ClassVar = say
    settings: ClassVar = {"rerank": {"model": "chat"}}


class TestExpand(SearchContract):
    search = SEARCHES["expand"]
    finds = FINDS
    kinds = ("dense", "sparse")
    answers: ClassVar = say
