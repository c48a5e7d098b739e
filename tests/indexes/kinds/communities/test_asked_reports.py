"""Reports that questions had written: found in the ledger again, and shown."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from building import wait
from typer.testing import CliRunner

from hopyard.cli.graph.commands import app
from hopyard.indexes.corpus.records import Document
from hopyard.indexes.index import Index
from hopyard.indexes.kinds.communities.on_demand import asked_reports, report_of
from hopyard.indexes.kinds.communities.records import Report
from hopyard.nodes.resources import Resources
from hopyard.nodes.run import Run
from hopyard.testing.models import GARBAGE

from .families import Families, answer, families


@pytest.fixture
def library(tmp_path: Path) -> Families:
    """An index without reports, of two families and a name without neighbours."""
    made = Families(tmp_path / "index", reports="on-demand", max_size=3)
    made.build([*families(2), Document("alone", "", "Nobody knows Zanzibar.")])
    return made


@pytest.fixture
def opened(library: Families) -> Iterator[Index]:
    with library.open() as index:
        yield index


def ask(library: Families, *names: str, **settings: Any) -> list[Report]:
    """The reports that a question has written."""
    context = library.context(**settings)
    with Resources() as resources, library.open() as index:
        call = Run("run", context, resources).call
        return [wait(report_of(index, name, context, call)) for name in names]


def found(library: Families, index: Index, **settings: Any) -> dict[str, Report]:
    """The reports that are looked up, and no call is made or counted for it."""
    asked = len(library.chat.requests)
    with Resources() as resources:
        before = resources.ledger.uses("run")
        reports = asked_reports(
            index, index.reader("communities").ids, resources.ledger, library.context(**settings)
        )
        assert resources.ledger.uses("run") == before
    assert len(library.chat.requests) == asked
    return reports


def test_what_a_question_had_written_is_found(library: Families, opened: Index) -> None:
    assert found(library, opened) == {}
    communities = opened.reader("communities")
    alone = communities.of_entity(opened.reader("entity-graph").entities_of("zanzibar")[0])
    first, part, _ = ask(library, "0-0", "1-1", *alone)
    assert found(library, opened) == {"0-0": first, "1-1": part}
    assert found(library, opened, model="any other") == {"0-0": first, "1-1": part}


@pytest.mark.parametrize("other", [{"seed": 8}, {"temperature": 0.5}])
def test_settings_of_another_question_find_nothing(
    library: Families, opened: Index, other: dict[str, Any]
) -> None:
    [report] = ask(library, "0-0", **other)
    assert found(library, opened) == {}
    assert found(library, opened, **other) == {"0-0": report}


def test_the_output_of_a_retry_is_found(
    library: Families, opened: Index, retries: Callable[[int], None]
) -> None:
    retries(1)
    replies = [GARBAGE]
    library.chat.answers = lambda name, messages: (
        replies.pop() if replies else answer(name, messages[:2])
    )
    [report] = ask(library, "0-0")
    assert len(library.chat.requests) == 2
    assert found(library, opened) == {"0-0": report}


def test_of_several_authors_the_last_is_shown(library: Families, opened: Index) -> None:
    """The wording for the built-in model is another author, and so is another model."""
    ask(library, "0-0", "0-1")
    library.chat.register("other")
    library.chat.answers = lambda *given: answer(*given) | {"summary": "By another model."}
    [report] = ask(library, "0-0", model="other")
    assert found(library, opened)["0-0"] == report
    assert [one.summary for one in found(library, opened).values()] == [
        "By another model.", "A family."
    ]  # fmt: skip
    library.chat.answers = lambda *given: answer(*given) | {"summary": "In short.", "rating": 3}
    ask(library, "0-1", profile="builtin")
    assert [one.summary for one in found(library, opened).values()] == [
        "By another model.", "In short."
    ]  # fmt: skip


def test_a_report_of_the_build_comes_first(library: Families) -> None:
    ask(library, "0-0")
    library.build(families(2), communities={"reports": "all", "max_size": 3})
    with library.open() as index:
        assert found(library, index) == {}


def show(library: Families, *arguments: str | Path) -> str:
    shown = CliRunner().invoke(
        app, ["communities", str(library.directory), *map(str, arguments)], catch_exceptions=False
    )
    return shown.stdout


def test_the_terminal_names_them(library: Families, home: Path) -> None:
    plain = show(library)
    assert "written" not in plain
    assert not (home / "ledger.sqlite").exists()
    [report] = ask(library, "0-0")
    first, second = show(library).splitlines()[1:3]
    assert first.split("  ")[-2:] == [
        report.title, "4 entities, 2 passages, 2 communities inside, report written for a question"
    ]  # fmt: skip
    assert "report" not in second
    told = json.loads(show(library, "--json"))["communities"]
    assert [(one["title"], one["report"], one["asked"]) for one in told][:2] == [
        (report.title, True, True),
        (told[1]["title"], False, False),
    ]
    assert show(library, "--set", "seed=9") == plain


def test_the_map_shows_them(library: Families, tmp_path: Path) -> None:
    ask(library, "0-0", "1-1")
    file = tmp_path / "map.html"
    show(library, "--html", file)
    text = file.read_text(encoding="utf-8")
    assert "<dt>Reports</dt><dd>2</dd>" in text
    assert text.count("written for a question</span></summary>") == 2
    assert text.count("<b>They met</b> So it is.") == 2
    assert "There are no reports yet." not in text
    assert "No report yet: it is written when a question needs it." in text
