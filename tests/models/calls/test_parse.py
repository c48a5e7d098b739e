"""Parsing, on the kinds of output that small models really write."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_server import ModelServer, scripted_provider

from hopyard.models import chat
from hopyard.models.builtin.chat import end_at_next_turn
from hopyard.models.calls.parse import UnfitOutputError, json_schema, parse
from hopyard.models.prompt import Output
from hopyard.prompts.answer import Answer
from hopyard.prompts.indexes.passage_graph import PassageQuestions
from hopyard.prompts.strategies.decompose import Decomposition
from hopyard.prompts.strategies.tree import Rubric
from hopyard.state.settings.fields import Context

from ..asking import ask, model_caller

WHOLE, WRONG = '{"answer": "Paris"}', '{"answer": "Rome"}'
WORDS = "word " * 59 + "ended"
"""300 characters, as many as an answer may have."""
RUBRIC = '{"wh_form": 1, "specific": 1, "relevant": 0, "non_overlapping": 1, "complete": 0}'


@pytest.mark.parametrize(
    ("text", "output"),
    [
        ('{"answer": "Paris"}', Answer(answer="Paris")),
        ('  {"answer":"Paris"}\n', Answer(answer="Paris")),
        ('{"answer": " Paris\\n"}', Answer(answer="Paris")),
        ('{"answer": "5 \\u2192 6"}', Answer(answer="5 → 6")),
        ('{"answer": "Pa\\u0000ris"}', Answer(answer="Paris")),
        ('{"answer": "Rome", "answer": "Paris"}', Answer(answer="Paris")),
        (json.dumps(WHOLE), Answer(answer="Paris")),
        (f'{{"answer": "{WORDS}"}}', Answer(answer=WORDS)),
        (RUBRIC, Rubric(wh_form=1, specific=1, relevant=0, non_overlapping=1, complete=0)),
        ('{"kind": "simple"}', Decomposition(kind="simple")),
    ],
)
def test_output_that_fits_needs_no_repair(text: str, output: Output) -> None:
    assert parse(text, type(output)) == (output, False)


@pytest.mark.parametrize(
    "text",
    [
        '```json\n{"answer": "Paris"}\n```',
        '```\n{"answer": "Paris"}',
        'Sure! Here is the answer:\n{"answer": "Paris"}',
        '{"answer": "Paris"}\nHope that helps {smile}!',
        'Given {x}, the answer is {"answer": "Paris"}.',
        '{"answer": "Rome"}\n{"answer": "Paris"}',
        'Maybe {"answer": "Rome"}? No.\nFinal answer:\n{"answer": "Paris"}',
        '{"answer": "Paris"}\n{"note": "a brace"}',
        '<thinking>Is it {"answer": "Rome"}?</thinking>{"answer": "Paris"}',
        '<mm:think>Is it {"answer": "Rome"}?</mm:think>{"answer": "Paris"}',
        'Is it {"answer": "Rome"}?<//think>{"answer": "Paris"}',
        '\xa0<think>Is it {"answer": "Rome"}?</think>{"answer": "Paris"}',
        '[THINK]Is it {"answer": "Rome"}?[/THINK]{"answer": "Paris"}',
        '◁think▷Is it {"answer": "Rome"}?◁/think▷{"answer": "Paris"}',
        '<think>Is it {"answer": "Rome"}? No.\n{"answer": "Paris"}',
        '<|channel|>analysis<|message|>Is it {"answer": "Rome"}?<|end|><|start|>assistant'
        '<|channel|>final<|message|>{"answer": "Paris"}<|return|>',
        'analysisIs it {"answer": "Rome"}?assistantfinal{"answer": "Paris"}',
        '{"answer": "Paris",}',
        '{"answer": "Paris"',
        "{'answer': 'Paris'}",
        '{answer: "Paris"}',
        '{"answer": "Paris"}}',
        '[{"answer": "Paris"}]',
        '\ufeff{"answer": "Paris"}',
        '<think>Is it {"answer": "Rome"}? No.</think>\n{"answer": "Paris"}',
        'Is it {"answer": "Rome"}? No.</think>{"answer": "Paris"}',
        '<|assistant|>{"answer": "Paris"}<|end|>',
        "<think>" + "hm " * 20_000 + f"</think>```{WHOLE}```",  # thoughts do not count
        f"Is it Rome? No. But wait:\n{WHOLE}",
        f"{WRONG}\nWait. Correction:\n{WHOLE}",
        f"{WHOLE}}}}}",
        '{"answer": "Paris", // passage 1\n}',
        "{“answer”: “Paris”}",
        f'{{"Answer": {WHOLE}}}',
        f'{{"name": "Answer", "arguments": {WHOLE}}}',
        f'<tool_call>\n{{"name": "Answer", "parameters": {WHOLE}}}\n</tool_call>',
        *(
            f"Two rows: 12.\n{WHOLE}\n{words}"
            for words in (
                "This answer is based on passage 1.",
                "```\nIs there anything else?",
                "I hope this should help! Please don't hesitate to ask.",
                "The answer follows from passage 12.",
                "Zögern Sie nicht, weitere Fragen zu stellen. Ich hoffe, das hilft.",
                "N'hésitez pas à me poser d'autres questions.",
                "No dudes en preguntar.",
                "如有问题，请不要犹豫提问。希望对您有帮助。",
                "以上です。",
                "도움이 되었기를 바랍니다.",
            )
        ),
    ],
)
def test_output_is_repaired_by_rule(text: str) -> None:
    assert parse(text, Answer) == (Answer(answer="Paris"), True)


@pytest.mark.parametrize("tag", ["<think>", "</think>", "[THINK]", "</thinking>", "<|channel|>"])
@pytest.mark.parametrize("before", ["", "<think>Hm.</think>", "Hm.</think>", "Here it is: "])
def test_a_tag_in_the_answer_is_text(tag: str, before: str) -> None:
    said = f'{before}{{"answer": "Thoughts stand after {tag} in it"}}'
    assert parse(said, Answer)[0].answer == f"Thoughts stand after {tag} in it"


def test_a_draft_does_not_replace_an_answer_that_is_cut_off() -> None:
    said = 'Maybe {"answer": "Tomas Reed"}? No: {"answer": "Marta Quill buil'
    output = parse(said, Answer)[0]
    assert (output.answer, output.cut) == ("Marta Quill", True)
    with pytest.raises(UnfitOutputError, match="cut off"):
        parse('Maybe {"answer": "Tomas Reed"}? No: {"answer": "Mar', Answer)


@pytest.mark.parametrize("rest", ["user", "user__[", "user. 1. It is Paris.\\n2. It", "assistant"])
@pytest.mark.parametrize("end", ['"}', ""])
def test_a_text_closed_by_a_typographic_mark_ends_there(rest: str, end: str) -> None:
    """As the built-in model writes after a title in such marks: the schema lets it run on."""
    wanted = Decomposition(kind="compound", first="Who sang “She is”?", second="Who is he?")
    text = '{"kind":"compound","first":"Who sang “She is”?","second":"Who is he?”}'
    for before in ("", "Here it is: "):
        said = before + text + rest + end
        assert parse(said, Decomposition, end_at_next_turn) == (wanted, True)
    quoted = '{"answer":"the set {“user”} of “names”"}'
    same = Answer(answer="the set {“user”} of “names”")
    assert parse(quoted, Answer, end_at_next_turn) == (same, False)


async def test_only_the_provider_with_the_habit_corrects_it(
    model_server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    model_server.answer = lambda title, messages: '{"answer": "“She is”}user. 1. Who is she?"}'
    assert await ask() == "“She is”}user. 1. Who is she?"
    small = scripted_provider(model_server, identity="small")
    chat.register_chat_provider("small", replace(small, correct=end_at_next_turn))
    assert await ask(context=Context(model="small")) == "“She is"
    rates = {rate.model: rate for rate in model_caller().ledger.parse_rates()}
    assert (rates["scripted"].parsed, rates["small"].repaired) == (1, 1)


@pytest.mark.parametrize(
    ("text", "output", "problem"),
    [
        ("", Answer, "the output"),
        ("   ", Answer, "the output"),
        ("Paris", Answer, "the output"),
        ('"Paris"', Answer, "the output"),
        ("null", Answer, "the output"),
        ("\ud800", Answer, "the output"),
        ("{\ud800", Answer, "the output"),
        ('{"answer": "\\ud8', Answer, "the output is cut off"),
        ('{"\udfff": 1}', Answer, "answer: Field required"),
        (f'{{"draft": {WRONG}}}', Answer, "answer: Field required"),
        ('{"answer": "Par', Answer, "the output is cut off"),
        ('{"answer": "', Answer, "the output is cut off"),
        ('{"ans', Answer, "the output is cut off"),
        ('{answer: "Paris in the', Answer, "the output"),
        ('```json\n{"answer": "Par\\', Answer, "the output is cut off"),
        ('{"kind": "compound", "first": "Who is', Decomposition, "the output is cut off"),
        ('{"kind": "compound", "first": "Who?", "sec', Decomposition, "the output is cut off"),
        ('{"kind": "compound", "first": "' + "Who " * 100 + '"}', Decomposition, "first: String"),
        ("{}", Answer, "answer: Field required"),
        ('{"answer": "  "}', Answer, "answer: String should have at least 1 character"),
        ('{"answer": null}', Answer, "answer: Input should be a valid string"),
        ('{"answer": 1893}', Answer, "answer: Input should be a valid string"),
        ('{"answer": "Paris", "why": "x"}', Answer, "why: Extra inputs are not permitted"),
        ('{"answer": "' + "x " * 200 + '", "why": "x"}', Answer, "why: Extra inputs"),
        ('{"kind": "both"}', Decomposition, "kind: Input should be 'simple' or 'compound'"),
        (RUBRIC.replace("1", "2", 1), Rubric, "wh_form: Input should be 0 or 1"),
    ],
)
def test_unfit_output_names_the_field(text: str, output: type[Output], problem: str) -> None:
    with pytest.raises(UnfitOutputError) as raised:
        parse(text, output)
    assert str(raised.value).startswith(problem)


@pytest.mark.parametrize(
    ("text", "outcoming"),
    [
        ('{"incoming": ["Who?"], "outcoming": ["Where?", "Whe', ["Where?"]),
        ('{"incoming": ["Who?"], "outcoming": ["Whe', []),
        ('{"incoming": ["Who?"], "outcoming": ["Where?", "When?"', ["Where?", "When?"]),
    ],
)
def test_half_of_a_lists_last_text_is_left_out(text: str, outcoming: list[str]) -> None:
    output, repaired = parse(text, PassageQuestions)
    assert (output.incoming, output.outcoming, repaired) == (["Who?"], outcoming, True)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ('{"answer": "Phobos and Dei', "Phobos and"),
        ('```json\n{"answer": "Phobos, Deimos', "Phobos"),
        ('{"answer": "Phobos and ', "Phobos and"),
        ('{"answer": "Phobos and\\n\\u00e9\\u00', "Phobos and"),
        ('{"answer": "' + "火星有两颗卫星" * 7, "火星有两颗卫星" * 7),
        (f'{{"answer": "{WORDS}, and more"}}', WORDS[:-6]),
        (f'{{"answer": "{WORDS} and more"}} That was long.', WORDS),
        (f'{{"answer": "{WORDS[:-1]}ing more"}}', WORDS[:-6]),
        (f'{{"answer": "{WORDS} and mo', WORDS),
        (f"{{'answer': '{WORDS} and more'}}", WORDS),
        ('{"answer": "' + "x" * 301 + '"}', "x" * 300),
        ('{"answer": "' + "word " * 10_000 + '"}', ("word " * 60).strip()),
    ],
)
def test_an_answer_that_is_too_long_is_kept_up_to_a_word(text: str, answer: str) -> None:
    output, repaired = parse(text, Answer)
    assert (output.answer, output.cut, repaired) == (answer, True, True)


@pytest.mark.parametrize(
    "unit", ["{", "[", '{"', '["', "{'", '"', "\\", "```", "<think>", '{"a":', "{}"]
)
@pytest.mark.parametrize("length", [7_900, 1_000_000])
def test_hostile_output_is_refused_quickly(unit: str, length: int) -> None:
    text = '{"answer":' + unit * (length // len(unit))
    started = process_time()
    with pytest.raises(UnfitOutputError):
        parse(text, Answer)
    with suppress(UnfitOutputError):
        parse(text + "}", Answer)
    assert process_time() - started < 10


_ANY_TEXT = st.text(st.characters(exclude_categories=()))
_JSON_LIKE = st.lists(
    st.sampled_from(['{"answer":', '"', "}", "{", "[", "]", ",", ":", "\\", "\n", "a", "\x00"])
).map("".join)


@given(_ANY_TEXT | _JSON_LIKE)
def test_any_text_parses_or_is_unfit(text: str) -> None:
    try:
        output, _ = parse(text, Answer)
    except UnfitOutputError as error:
        assert str(error)
    else:
        assert 1 <= len(output.answer) <= 300


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ('{"answer": "a\ud800b"}', "a\ufffdb"),  # a lone surrogate itself
        ('{"answer": "a\\ud800b"}', "a\ufffdb"),  # its escape
        ('{"answer": "half \\ud83d"} and prose', "half \ufffd"),
        ('{"answer": "\\ud83d\\ude00"}', "\U0001f600"),
        ('{"answer": "\ud83d\ude00"}', "\U0001f600"),
        ('{"answer": "Pa\x00ris\x1b[2J"}', "Paris[2J"),
        ('{"answer": "5" pipe"}', '5" pipe"'),
        ('{"answer": "Paris"}\nHe said "so', "Paris"),
        ('{"answer": "No? But wait"} Done.', "No? But wait"),  # words that take back an answer
    ],
)
def test_odd_characters_and_words(text: str, answer: str) -> None:
    assert parse(text, Answer)[0].answer == answer


@given(st.text(min_size=1, max_size=300).filter(lambda text: text.strip().isprintable()))
def test_what_is_written_as_json_is_read_back(text: str) -> None:
    answer = Answer.model_construct(answer=text)
    if not text.strip():
        return
    assert parse(answer.model_dump_json(), Answer) == (Answer(answer=text.strip()), False)


def test_the_schema_forbids_other_keys() -> None:
    schema = json_schema(Answer)
    assert schema["additionalProperties"] is False
    assert schema["required"] == ["answer"]


@pytest.mark.parametrize(
    "words",
    [
        "On second thought, the passage says 1942.",
        "Let me reconsider: it is Paris.",
        "Oops, I mixed up the rows.",
        "It doesn't match passage 2.",
        "Passage 3 contradicts this.",
        "The real answer is Paris.",
        "Ah, the second row says 1943.",
        "Entschuldigung, es ist Paris.",
        "Vielmehr Paris.",
        "En realidad es París.",
        "訂正します。",
        "정정합니다.",
    ],
)
def test_an_object_is_no_answer_if_words_after_it_take_it_back(words: str) -> None:
    with pytest.raises(UnfitOutputError, match="take it back"):
        parse(f"{WRONG}\n{words}", Answer)
