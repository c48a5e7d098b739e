"""The one function through which every model call goes: what it asks, and how often it pays."""

from __future__ import annotations

import asyncio
from time import monotonic, sleep
from typing import Any

import pytest
from langchain_core.language_models import FakeListChatModel
from model_server import ModelServer

from hopyard.models.chat import ChatProvider, register_chat_provider
from hopyard.state.errors import BudgetExceededError
from hopyard.state.settings.fields import Budget, Context
from hopyard.testing import ScriptedChat

from ..asking import CONTEXT, PARIS, ask, in_turn, model_caller, restart, usage_of

# What is asked


async def test_a_call_is_constrained_to_the_prompts_schema(server: ModelServer) -> None:
    assert await ask() == "Paris"
    (call,) = server.calls
    assert call.title == "Answer"
    assert call.turn == "Capital of France?"
    wanted = call.payload["response_format"]["json_schema"]["schema"]
    assert wanted["required"] == ["answer"]
    assert call.payload["temperature"] == 0.0
    assert call.payload["seed"] == CONTEXT.seed


@pytest.mark.parametrize("reply", [PARIS, '{"answer": "Paris",}'])
async def test_a_model_without_json_schema_is_asked_through_a_tool(
    server: ModelServer, reply: dict[str, str] | str
) -> None:
    server.answer = in_turn(reply)
    provider = model_caller("scripted").provider

    def connect(sampling: Any) -> Any:
        model = provider.connect(sampling)

        class WithoutSchema(type(model)):
            def with_structured_output(self, schema: Any, **options: Any) -> Any:
                if options.get("method") == "json_schema":
                    raise NotImplementedError
                options["method"] = "function_calling"
                return super().with_structured_output(schema, **options)

        return WithoutSchema(**model.model_dump(include={"seed", "temperature"}), **SERVER)

    SERVER = {"base_url": server.base_url, "api_key": "none", "model": "scripted"}  # noqa: N806
    register("tools", connect)
    assert await ask(context=Context(model="tools")) == "Paris"
    (call,) = server.calls
    assert call.payload["tools"][0]["function"]["name"] == "Answer"
    assert "response_format" not in call.payload


async def test_a_model_without_any_constraint_is_asked_plainly() -> None:
    replies = ["Let me think … Paris?", '```json\n{"answer": "Paris"}\n```']
    model = FakeListChatModel(responses=replies)
    register("plain", lambda sampling: model)
    context = Context(model="plain")
    assert await ask(context=context) == "Paris"
    assert usage_of("run", context)["model_calls"] == 2
    (rate,) = model_caller("plain").ledger.parse_rates()
    assert (rate.calls, rate.repaired, rate.failed) == (2, 1, 1)


def register(name: str, connect: Any) -> None:
    register_chat_provider(name, ChatProvider(name, connect, 4, "fix the test"))


# What is paid


async def test_a_finished_call_is_never_paid_twice(server: ModelServer) -> None:
    assert [await ask(), await ask(), await ask(run="other")] == ["Paris"] * 3
    assert len(server.calls) == 1
    mine, others = usage_of("run", CONTEXT), usage_of("other", CONTEXT)
    assert (mine["model_calls"], mine["cached_calls"]) == (1, 1)
    assert mine["input_tokens"] > 50
    assert mine["output_tokens"] == 2
    assert (others["model_calls"], others["cached_calls"], others["input_tokens"]) == (0, 1, 0)


async def test_a_call_is_kept_under_its_step(server: ModelServer) -> None:
    server.answer = in_turn("no", PARIS)
    await ask(step="read-1")
    await ask(step="read-2")
    uses = model_caller().ledger.uses("run")
    assert [(use.step, use.entry.outcome, use.cached) for use in uses] == [
        ("read-1", "failed", False),
        ("read-1", "parsed", False),
        ("read-2", "failed", True),
        ("read-2", "parsed", True),
    ]


async def test_a_finished_call_is_not_paid_again_after_a_restart(server: ModelServer) -> None:
    await ask()
    before = usage_of("run", CONTEXT)
    restart()
    after = usage_of("run", CONTEXT)
    assert after | {"seconds": 0} == before | {"seconds": 0}
    await ask()
    assert len(server.calls) == 1
    assert usage_of("run", CONTEXT)["cached_calls"] == 1


@pytest.mark.parametrize(
    "change",
    [
        {"question": "Capital of Italy?"},
        {"context": Context(model="scripted", seed=8)},
        {"context": Context(model="scripted", temperature=0.2)},
    ],
)
async def test_another_call_is_paid(server: ModelServer, change: dict[str, Any]) -> None:
    await ask()
    await ask(**change)
    assert len(server.calls) == 2


async def test_what_the_answer_does_not_depend_on_costs_nothing(server: ModelServer) -> None:
    await ask()
    await ask(context=Context(model="scripted", index="other", timeout=3))
    assert len(server.calls) == 1


async def test_twins_under_way_share_one_request(server: ModelServer) -> None:
    server.delay = 0.1
    answers = await asyncio.gather(*(ask(run=run) for run in ("a", "a", "b", "b", "b")))
    assert answers == ["Paris"] * 5
    assert len(server.calls) == 1
    for _ in range(2):
        used = [usage_of(run, CONTEXT) for run in ("a", "b")]
        assert [usage["model_calls"] for usage in used] == [1, 0]
        assert [usage["cached_calls"] for usage in used] == [1, 3]
        restart()  # the ledger says the same


async def test_a_twin_that_begins_as_a_call_ends_does_not_block_the_loop() -> None:
    chat = ScriptedChat({"Answer": PARIS})
    chat.register()

    async def ask_after(turns: int) -> str:
        for _ in range(turns):  # of the event loop, so that each begins at another moment
            await asyncio.sleep(0)
        return await ask(run=f"run {turns}")

    answers = await asyncio.gather(*(ask_after(turns) for turns in range(80)))
    assert answers == ["Paris"] * 80
    assert len(chat.requests) == 1


async def test_a_twin_is_not_bound_by_the_other_runs_budget(server: ModelServer) -> None:
    spent = Context(model="scripted", budget=Budget(calls=1))
    poor, rich = await asyncio.gather(
        ask(run="poor", context=spent), ask(run="rich"), return_exceptions=True
    )
    assert isinstance(poor, BudgetExceededError)
    assert rich == "Paris"


async def test_a_cancelled_waiter_does_not_lose_the_paid_call(server: ModelServer) -> None:
    server.hold()
    waiter = asyncio.create_task(ask())
    await asyncio.to_thread(server.wait_for_call)
    waiter.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiter
    server.let_go()
    assert await ask(run="other") == "Paris"
    assert len(server.calls) == 1


async def test_a_cancelled_waiter_leaves_its_twin_alone(server: ModelServer) -> None:
    server.hold()
    waiters = [asyncio.create_task(ask()) for _ in range(2)]
    await asyncio.to_thread(server.wait_for_call)
    waiters[0].cancel()
    server.let_go()
    assert await waiters[1] == "Paris"
    assert len(server.calls) == 1


async def test_a_stopped_run_leaves_its_twin_alone(server: ModelServer) -> None:
    server.hold()
    stopped, twin = asyncio.create_task(ask(run="stopped")), asyncio.create_task(ask(run="twin"))
    await asyncio.to_thread(server.wait_for_call)
    stopped.cancel()
    model_caller().stop("stopped")
    with pytest.raises(asyncio.CancelledError):
        await stopped
    server.let_go()
    assert await twin == "Paris"
    assert len(server.calls) == 2


async def test_calls_run_at_once_up_to_the_limit(server: ModelServer) -> None:
    server.hold(until=3)
    server.delay = 0.02
    context = Context(model="scripted", concurrency=3)
    await asyncio.gather(*(ask(f"Question {number}?", context=context) for number in range(9)))
    assert server.most_at_once() == 3


async def test_a_place_is_held_until_the_ledger_has_the_answer(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kill loses the answers that are not recorded: no more than calls that run at once."""
    ledger, lost = model_caller().ledger, []
    record = ledger.record

    def slowly(*arguments: Any, **options: Any) -> None:
        end = monotonic() + 0.2
        while monotonic() < end and len(server.calls) < len(lost) + 2:
            sleep(0.01)
        lost.append(len(server.calls) - len(lost))
        record(*arguments, **options)

    monkeypatch.setattr(ledger, "record", slowly)
    context = Context(model="scripted", concurrency=1)
    await asyncio.gather(*(ask(f"Question {number}?", context=context) for number in range(3)))
    assert lost == [1, 1, 1]


async def test_a_budget_stops_the_calls_and_keeps_one_for_the_end(server: ModelServer) -> None:
    context = Context(model="scripted", budget=Budget(calls=2))
    await ask("1?", context=context)
    with pytest.raises(BudgetExceededError, match="--max-calls"):
        await ask("2?", context=context)
    assert await ask("3?", context=context, final=True) == "Paris"
    assert await ask("1?", context=context) == "Paris"  # the ledger's answers cost nothing
    assert len(server.calls) == 2


async def test_the_tokens_of_a_day_are_those_of_all_runs(server: ModelServer) -> None:
    context = CONTEXT.model_copy(update={"budget": Budget(day_tokens=5)})
    assert await ask("Capital of France?", run="one", context=context) == "Paris"
    with pytest.raises(BudgetExceededError, match="for today, of all runs"):
        await ask("Capital of Spain?", run="two", context=context)
    assert await ask("Capital of France?", run="three", context=context) == "Paris", "it is known"
    assert len(server.calls) == 1


async def test_the_tokens_of_a_person_end_the_persons_calls_alone(server: ModelServer) -> None:
    def of(person: str) -> Context:
        return CONTEXT.model_copy(update={"budget": Budget(person_tokens=5, person=person)})

    assert await ask("Capital of France?", context=of("ann")) == "Paris"
    with pytest.raises(BudgetExceededError, match="for today, of 'ann'"):
        await ask("Capital of Spain?", context=of("ann"))
    assert await ask("Capital of Italy?", context=of("ben")) == "Paris"
    assert await ask("Capital of Malta?", context=of("")) == "Paris"


async def test_limits_of_a_minute_space_the_calls(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`test_turns` tests the waits: here it is told how long they are, and when they begin."""
    told: list[tuple[str, float, int]] = []

    async def wait(model: str, seconds: float) -> None:
        told.append((model, seconds, len(server.calls)))

    turns = model_caller().ledger.turns
    monkeypatch.setattr(turns, "wait", wait)
    monkeypatch.setattr(turns, "took", lambda *given: told.append((*given, len(server.calls))))
    await ask("1?", context=CONTEXT.model_copy(update={"budget": Budget(minute_requests=600)}))
    assert told == [("scripted", 0.1, 0), ("scripted", 0.0, 1)], "one call in .1 s"
    del told[:]
    limit = Budget(minute_tokens=24_000)
    await ask("2?", run="two", context=CONTEXT.model_copy(update={"budget": limit}))
    [(_, expected, before), (_, more, after)] = told
    used = usage_of("two", CONTEXT)
    assert (before, after) == (1, 2) and expected > 0
    assert expected + more == pytest.approx((used["input_tokens"] + used["output_tokens"]) / 400)
