"""`global`: chunks and windows, and which communities are read."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopyard.graphs.global_search import graph
from hopyard.indexes.kinds.communities.index import CommunityIndex
from hopyard.nodes.global_search.map import best_points, chunks, shuffled
from hopyard.nodes.global_search.reports import writing_budget
from hopyard.state.usage import Budget
from hopyard.testing import ScriptedChat

from .scripted import LEVELS, answer, asked_for, point, step_of, turns


def test_the_order_of_reports_has_no_meaning() -> None:
    names = [f"0-{number}" for number in range(20)]
    assert shuffled(names) == shuffled(reversed(names))
    assert sorted(shuffled(names)) == sorted(names)
    assert shuffled(names) != names


@given(st.sets(st.text(), min_size=1))
def test_a_new_report_does_not_change_the_order_of_the_others(names: set[str]) -> None:
    new = max(names)
    assert [name for name in shuffled(names) if name != new] == shuffled(names - {new})


def test_chunks_are_filled_one_after_the_other() -> None:
    assert chunks([4, 3, 5, 9, 1, 7], int, 8) == [[4, 3], [5], [9], [1, 7]]
    assert chunks([], int, 8) == []


@given(st.lists(st.integers(1, 20)), st.integers(1, 30))
def test_each_item_is_in_one_chunk_and_none_would_fit_into_the_chunk_before(
    lengths: list[int], window: int
) -> None:
    found = chunks(lengths, int, window)
    assert [length for chunk in found for length in chunk] == lengths
    assert all(sum(chunk) <= window or len(chunk) == 1 for chunk in found)
    assert all(sum(each) + following[0] > window for each, following in pairwise(found))


def test_points_are_reduced_by_score_until_the_window_is_full() -> None:
    first, second, best = point(50, "a" * 8), point(50, "b" * 8), point(90, "c" * 12)
    assert best_points([first, second, best], 100) == [best, first, second]
    # Four characters are a token: 3 and 2 tokens fit into 5, another 2 do not.
    assert best_points([first, second, best], 5) == [best, first]
    assert best_points([first, best], 1) == [best]
    assert best_points([], 5) == []


def test_reports_may_use_up_three_quarters_of_a_budget() -> None:
    assert writing_budget(Budget(calls=8, tokens=1000, seconds=4)) == Budget(
        calls=6, tokens=750, seconds=3
    )
    assert writing_budget(Budget(calls=1)) == Budget(calls=1)
    assert writing_budget(Budget()) == Budget()


def test_the_communities_of_the_tests(reader: CommunityIndex) -> None:
    assert [[each.id for each in reader.at(level)] for level in range(reader.levels)] == LEVELS


@pytest.mark.parametrize(("level", "at"), [(0, 0), (1, 1), (2, 2), (3, 2), (None, 2)])
async def test_a_level_that_the_index_lacks_means_the_deepest(
    ask: Callable[..., Any], chat: ScriptedChat, level: int | None, at: int
) -> None:
    output = await ask(level=level)
    written = [step["facts"]["community"] for step in output["steps"] if step["kind"] == "report"]
    assert sorted(written) == LEVELS[at]
    assert asked_for(chat) == {"CommunityReport": len(LEVELS[at]) - 1, "Points": 1, "Reduced": 1}


async def test_the_reports_beyond_the_limit_are_left_out(ask: Callable[..., Any]) -> None:
    output = await ask(most_reports=1)
    assert step_of(output, "select")["facts"] == {
        "communities": "4",
        "reports to write": "1",
        "left out": "3",
    }
    assert [step["id"] for step in output["steps"]] == [
        "select",
        "report-0-0",
        "map-1",
        "reduce",
    ]


async def test_small_communities_are_read_without_a_report(
    ask: Callable[..., Any], chat: ScriptedChat
) -> None:
    output = await ask(graph=graph)
    assert step_of(output, "select")["facts"] == {
        "communities": "4",
        "reports to write": "1",
        "excerpts": "3",
    }
    # The garden's many lines are its report. The script makes points of written reports alone.
    assert asked_for(chat) == {"Points": 2}
    [turn, _] = sorted(turns(chat, "Points"), key=lambda turn: "Reports:" not in turn)
    assert turn.count("(lines of the documents)") == 3
    assert "1781" in turn


async def test_excerpts_end_with_their_tokens(ask: Callable[..., Any], chat: ScriptedChat) -> None:
    output = await ask(graph=graph, window=38)
    facts = step_of(output, "select")["facts"]
    assert facts["reports to write"] == "1"
    assert int(facts["excerpts"]) + int(facts["left out"]) == 3
    assert int(facts["excerpts"]) in {1, 2}
    shown = "".join(turns(chat, "Points"))
    assert shown.count("(lines of the documents)") == int(facts["excerpts"])


async def test_an_excerpt_is_cited_like_a_report(
    ask: Callable[..., Any], chat: ScriptedChat
) -> None:
    def every_line(name: str, messages: list[dict[str, Any]]) -> Any:
        if name != "Points":
            return answer(name, messages)
        found = re.findall(r"^\[(\d+)\] (.*)$", str(messages[-1]["content"]), re.MULTILINE)
        return {"points": [{"point": text, "findings": [int(n)], "score": 50} for n, text in found]}

    chat.answers = every_line
    output = await ask(graph=graph)
    opened = [each for each in output["citations"] if "1781" in each["quote"]]
    assert opened[0]["passage_id"] == "iron-bridge"
