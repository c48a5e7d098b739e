"""The plug-in keeps Hopyard's contracts."""

from __future__ import annotations

from hopyard_titles.index import KIND
from hopyard_titles.search import SEARCH
from hopyard_titles.strategy import STRATEGY

from hopyard.testing import IndexKindContract, SearchContract, StrategyContract


class TestTitles(IndexKindContract):
    kind = KIND


class TestTitleSearch(SearchContract):
    search = SEARCH
    finds = {"When was the Iron Bridge opened?": "iron-bridge"}


class TestSecondLook(StrategyContract):
    strategy = STRATEGY
    question = "In which year did furnaces in that English valley stop burning charcoal?"
    answers = {
        ("Answer", "Coke was first used there in 1709."): {"answer": "1709"},
        "Answer": {"answer": "Unknown"},
        "OtherWords": {"search": "coke in Coalbrookdale"},
    }
    answer = "1709"
    calls = 3
    searches = ("mmr", "titles")
    settings = {"retrieval": {"method": "mmr", "k": 2}}


class TestSecondLookThatFindsTheAnswerAtOnce(StrategyContract):
    strategy = STRATEGY
    question = "When was the Iron Bridge opened?"
    answers = {"Answer": {"answer": "1781"}}
    answer = "1781"
    calls = 1
