"""The index kind `tables` and the strategy `table` keep the contracts that plug-ins inherit."""

from __future__ import annotations

from typing import ClassVar

import pytest
from langchain_core.runnables import RunnableConfig

from hopyard.indexes.corpus.records import Document
from hopyard.indexes.kind import KINDS
from hopyard.prompts.answer import UNKNOWN
from hopyard.prompts.strategies.table import TABLE_QUERY
from hopyard.state.schemas import notes_of
from hopyard.state.settings.fields import Context
from hopyard.state.settings.sources import change_context
from hopyard.state.strategy import STRATEGIES
from hopyard.testing import IndexKindContract, StrategyContract
from hopyard.testing.models import ScriptedChat

GATES = Document(
    "gates.csv",
    "Trucks at the gates",
    """| Gate | Day | Trucks | Fee |
|---|---|---|---|
| North | 2024-03-01 | 12 | € 1.10 |
| South | 2024-03-01 | 38 | € 2.20 |
| North | 2024-03-02 | 40 | € 3.30 |
""",
    markup="markdown",
)
RATES = Document(
    "rates",
    "Rates",
    "Each gate has a rate.\n\n| Gate | Rate |\n|---|---|\n| North | 5 % |\n| South | 7.5 % |\n",
    markup="markdown",
)

JOBS = Document(
    "jobs.csv",
    "Jobs",
    "| Job | Price | Warranty |\n|---|---|---|\n| Roof | 4200 | 5 years |\n| Gutter | 1000 | |\n"
    "| Porch | 1800 | |\n",
    markup="markdown",
)


class TestTables(IndexKindContract):
    kind = KINDS["tables"]
    documents: ClassVar = (*IndexKindContract.documents, GATES)
    new_document: ClassVar = RATES


class TestTable(StrategyContract):
    strategy = STRATEGIES["table"]
    documents: ClassVar = (*StrategyContract.documents, GATES, RATES, JOBS)
    question = "How many trucks queued at the North gate, all days together?"
    answers: ClassVar = {
        "TableQuery": {
            "thought": "The trucks of the rows of the North gate.",
            "sql": """SELECT sum("trucks") AS total FROM "trucks_at_the_gates" """
            """WHERE "gate" ILIKE 'north'""",
            "sentence": "{total} trucks queued at the North gate.",
        }
    }
    answer = (
        '52 trucks queued at the North gate. [1]\n\n```sql\nSELECT sum("trucks") AS total '
        'FROM "trucks_at_the_gates" WHERE "gate" ILIKE \'north\'\n```'
    )
    calls = 1
    searches: ClassVar = ("sparse",)  # each query is a process of its own, and none searches

    async def test_a_query_that_fails_is_corrected_once(
        self, context: Context, config: RunnableConfig, chat: ScriptedChat
    ) -> None:
        right = type(self).answers["TableQuery"]
        wrong = {**right, "sql": 'SELECT "lorries" FROM "trucks_at_the_gates"'}
        chat.answers = {("TableQuery", "This query was run"): right, "TableQuery": wrong}
        output = await self.ask(context, config)
        assert output["answer"] == self.answer
        assert {unit["kind"] for unit in output["evidence"]} == {"passage"}
        assert output["usage"]["model_calls"] == 2
        assert 'column "lorries" not found' in output["steps"][1]["reason"]
        chat.answers = {"TableQuery": {**wrong, "thought": "Again."}}
        output = await self.ask(change_context(context, {"seed": 8}), config)
        assert (output["answer"], output["usage"]["model_calls"]) == (UNKNOWN, 2)
        assert "failed, and so did its correction" in notes_of(output)[0]

    @pytest.mark.parametrize("found", ["count(*)", "trucks"])
    async def test_an_empty_result_is_looked_at_again_and_then_said(
        self, context: Context, config: RunnableConfig, chat: ScriptedChat, found: str
    ) -> None:
        """The model cannot make up a number for it: db-ally 53, llama_index 9523."""
        sql = f"SELECT {found} AS n FROM trucks_at_the_gates WHERE gate = 'West'"
        first = {"thought": "", "sql": sql, "sentence": "{n} trucks queued at the West gate."}
        second = {**first, "sentence": "No truck queued there, but 17 did elsewhere."}
        chat.answers = {("TableQuery", "This query was run"): second, "TableQuery": first}
        output = await self.ask(change_context(context, {"answer": {"style": "sentence"}}), config)
        assert output["usage"]["model_calls"] == 2
        assert "17" not in output["answer"]
        assert output["answer"] != UNKNOWN
        second["sentence"] = "No truck queued there."
        style = {"seed": 8, "answer": {"style": "sentence"}}
        assert (await self.ask(change_context(context, style), config))["answer"] == (
            second["sentence"]
        )

    @pytest.mark.parametrize("sentence", ["{n} trucks queued there.", "The trucks that queued:"])
    async def test_an_empty_result_that_the_model_did_not_expect_leaves_the_question_to_others(
        self, context: Context, config: RunnableConfig, chat: ScriptedChat, sentence: str
    ) -> None:
        sql = "SELECT trucks AS n FROM trucks_at_the_gates WHERE gate = 'Nort'"
        chat.answers = {"TableQuery": {"thought": "", "sql": sql, "sentence": sentence}}
        output = await self.ask(context, config)
        assert (output["answer"], output["usage"]["model_calls"]) == (UNKNOWN, 2)
        assert notes_of(output) == [
            "The query over the tables found nothing, and so did its correction."
        ]

    async def test_a_cell_cannot_bring_links_images_or_markers_into_the_answer(
        self, context: Context, config: RunnableConfig, chat: ScriptedChat
    ) -> None:
        sql = "SELECT unnest(['a`![x](https://example.org)`', '<b>', '[2]', '5 * 3']) AS note"
        chat.answers = {"TableQuery": {"thought": "", "sql": sql, "sentence": "The notes:"}}
        output = await self.ask(change_context(context, {"answer": {"style": "short"}}), config)
        assert output["answer"] == "`a'![x](https://example.org)'`, `<b>`, `[2]`, 5 * 3"

    async def test_no_query_leaves_the_question_to_others(
        self, context: Context, config: RunnableConfig, chat: ScriptedChat
    ) -> None:
        chat.answers = {"TableQuery": {"thought": "No table has it.", "sql": "", "sentence": ""}}
        output = await self.ask(context, config)
        assert (output["answer"], output["usage"]["model_calls"]) == (UNKNOWN, 1)

    @pytest.mark.parametrize(
        ("style", "answer"),
        [
            ("short", "2024-03-01, 2024-03-02"),
            ("sentence", "The days of the North gate [1]: 2024-03-01, 2024-03-02"),
        ],
    )
    async def test_several_rows_in_each_style(
        self, context: Context, config: RunnableConfig, chat: ScriptedChat, style: str, answer: str
    ) -> None:
        sql = "SELECT day FROM trucks_at_the_gates WHERE gate = 'North' ORDER BY day"
        chat.answers = {
            "TableQuery": {"thought": "", "sql": sql, "sentence": "The days of the North gate:"}
        }
        output = await self.ask(change_context(context, {"answer": {"style": style}}), config)
        assert output["answer"] == answer
        assert output["citations"][0]["quotes"] == [
            "Gate: North · Day: 2024-03-01 · Trucks: 12 · Fee: € 1.10",
            "Gate: North · Day: 2024-03-02 · Trucks: 40 · Fee: € 3.30",
        ]

    async def test_numbers_are_written_as_in_the_language_of_the_question(
        self, context: Context, config: RunnableConfig, chat: ScriptedChat
    ) -> None:
        sql = 'SELECT sum("fee") AS summe FROM "trucks_at_the_gates"'
        sentence = "Die Summe der Gebühren ist {summe} Euro."
        chat.answers = {"TableQuery": {"thought": "", "sql": sql, "sentence": sentence}}
        german = change_context(context, {"seed": 9})
        output = await self.ask(german, config, "Wie hoch ist die Summe der Gebühren?")
        assert output["answer"].startswith("Die Summe der Gebühren ist 6,60 Euro.")
        assert output["citations"]

    async def test_a_question_of_yes_or_no_counts_the_empty_cells_above_a_threshold(
        self, context: Context, config: RunnableConfig, chat: ScriptedChat
    ) -> None:
        """The rows that decide it are cited, also the one whose cell is empty."""
        for said in ("a question of yes or no", "Over 1,000 is > 1000", "IS NULL finds them"):
            assert said in TABLE_QUERY.system
        sql = (
            "SELECT CASE WHEN count(*) = count(warranty) THEN 'Yes' ELSE 'No' END AS answer, "
            "count(*) - count(warranty) AS empty FROM jobs WHERE price > 1000"
        )
        sentence = "{answer}: the warranty of {empty} job over 1,000 pounds is not given."
        chat.answers = {"TableQuery": {"thought": "", "sql": sql, "sentence": sentence}}
        question = "Does every job over 1,000 pounds have a warranty?"
        output = await self.ask(context, config, question)
        assert output["answer"].startswith(
            "No: the warranty of 1 job over 1,000 pounds is not given. [1]"
        )
        assert output["usage"]["model_calls"] == 1
        quotes = output["citations"][0]["quotes"]
        assert [quote.split(" · ")[0] for quote in quotes] == ["Job: Roof", "Job: Porch"]
