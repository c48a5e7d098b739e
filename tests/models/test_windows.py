"""What servers say about lengths, and prompts that are made to fit."""

from __future__ import annotations

import pytest
from langchain_core.messages import HumanMessage

from hopyard.models.servers.tokenizers import estimate_tokens
from hopyard.models.servers.windows import LengthSaid, estimate, fit, length_said
from hopyard.prompts.answer import ANSWER
from hopyard.prompts.strategies.direct import DIRECT


class RefusalError(Exception):
    status_code = 400


@pytest.mark.parametrize(
    ("message", "window", "prompt"),
    [
        (
            "This model's maximum context length is 8192 tokens. However, you requested 9100 "
            "tokens (8588 in the messages, 512 in the completion).",
            8192,
            8588,
        ),
        (
            "This model's maximum context length is 4097 tokens. However, your messages resulted "
            "in 4294 tokens.",
            4097,
            4294,
        ),
        ("request (2622 tokens) exceeds the available context size (512 tokens)", 512, 2622),
        ("the input length exceeds the context length", 0, 0),
        ("prompt is too long: 208,310 tokens > 200,000 maximum", 200_000, 208_310),
        (
            "The input token count (140000) exceeds the maximum number of tokens allowed (131072).",
            131_072,
            140_000,
        ),
        (
            "Prompt contains 40000 tokens, too large for model with 32768 maximum context length",
            32_768,
            40_000,
        ),
        (
            "Trying to keep the first 10136 tokens when context the overflows. However, the model "
            "is loaded with context length of only 7866 tokens",
            7866,
            10_136,
        ),
        ("Cannot truncate prompt with n_keep (15028) >= n_ctx (7424)", 7424, 15_028),
        (
            "`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and "
            "64 `max_new_tokens`",
            4096,
            5000,
        ),
        ("Range of input length should be [1, 30720]", 30_720, 0),
        ("Please reduce the length of the messages or completion.", 0, 0),
        ("max_tokens is too large: 6000. This model supports at most 4096 completion tokens", 0, 0),
        ("n_ctx_per_seq is not a parameter of this server, which has 64 slots", 0, 0),
    ],
)
def test_what_servers_say_about_a_prompt_that_is_too_long(
    message: str, window: int, prompt: int
) -> None:
    assert length_said(RefusalError(message)) == LengthSaid(window, prompt)


def test_an_estimate_counts_each_message() -> None:
    assert estimate([HumanMessage("x" * 40), HumanMessage("y")]) == 10 + 1 + 2 * 8


CAPABLE = ANSWER.of("capable")


def values(passages: int) -> dict[str, str]:
    """Passages of a hundred tokens each."""
    lines = [f"[{number}] T: ".ljust(400, "x") for number in range(1, passages + 1)]
    return {"passages": "\n".join(lines), "question": "Why?", "style": "short"}


def test_the_last_passages_are_left_out_until_the_prompt_fits() -> None:
    empty = estimate(CAPABLE.messages(values(0)))
    fitted = fit(CAPABLE, values(8), window=empty + 4 * 101 + 256)
    assert fitted is not None
    assert (fitted.shown, fitted.given, fitted.items) == (4, 8, "passages")
    assert "[4] T:" in fitted.messages[-1].text
    assert "[5] T:" not in fitted.messages[-1].text
    assert 256 <= fitted.max_tokens <= 256 + 8


def test_a_prompt_that_fits_or_whose_window_is_unknown_stays_whole() -> None:
    for window in (0, 100_000):
        fitted = fit(CAPABLE, values(8), window)
        assert fitted is not None
        assert (fitted.shown, fitted.max_tokens) == (8, CAPABLE.max_tokens)
        assert fitted.messages == CAPABLE.messages(values(8))


def test_an_answer_gets_what_the_window_leaves() -> None:
    used = estimate(CAPABLE.messages(values(2)))
    fitted = fit(CAPABLE, values(2), window=used + 1000)
    assert fitted is not None
    assert (fitted.shown, fitted.max_tokens) == (2, 1000)


def test_a_model_that_needs_more_tokens_is_shown_less() -> None:
    window = estimate(CAPABLE.messages(values(8))) + 256
    shown = []
    for scale in (1.0, 1.5, 2.0):
        fitted = fit(CAPABLE, values(8), window, scale)
        assert fitted is not None
        assert scale * estimate(fitted.messages) + 256 <= window
        shown.append(fitted.shown)
    assert shown == sorted(shown, reverse=True)
    assert shown[0] == 8 > shown[1] > shown[2]


def test_few_counts_find_how_many_passages_fit() -> None:
    counted: list[str] = []

    def count(text: str) -> int:
        counted.append(text)
        return estimate_tokens(text)

    for window in range(1000, 8000, 500):
        counted.clear()
        fitted, best = fit(CAPABLE, values(64), window, count=count), fit(CAPABLE, values(64), 0)
        assert best and len(counted) <= 8 * len(best.messages)
        held = 0 if fitted is None else fitted.shown
        used = [estimate(CAPABLE.messages(values(held + more))) + 256 for more in (0, 1)]
        assert held == 64 or used[1] > window
        assert fitted is None or used[0] <= window


def test_nothing_fits_a_window_smaller_than_one_passage() -> None:
    assert fit(CAPABLE, values(8), window=300) is None
    assert fit(DIRECT, {"question": "x" * 4000, "style": ""}, window=600) is None
