"""Parsing, on the kinds of output that small models really write."""

from __future__ import annotations

from time import monotonic

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopyard.models.parse import UnfitOutputError, json_schema, parse
from hopyard.models.prompt import Output
from hopyard.prompts.answer import Answer
from hopyard.prompts.decompose import Decomposition
from hopyard.prompts.judge import Rubric
from hopyard.prompts.passage_graph import PassageQuestions
from hopyard.prompts.route import Route

RUBRIC = '{"wh_form": 1, "specific": 1, "relevant": 0, "non_overlapping": 1, "complete": 0}'


@pytest.mark.parametrize(
    ("text", "output"),
    [
        ('{"answer": "Paris"}', Answer(answer="Paris")),
        ('  {"answer":"Paris"}\n', Answer(answer="Paris")),
        ('{"answer": " Paris\\n"}', Answer(answer="Paris")),
        ('{"answer": "5 \\u2192 6"}', Answer(answer="5 → 6")),
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
        '{"answer": "Paris"}\n{"answer": "Rome"}',
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
    ],
)
def test_output_is_repaired_by_rule(text: str) -> None:
    assert parse(text, Answer) == (Answer(answer="Paris"), True)


@pytest.mark.parametrize("rest", ["user", "user__[", "user. 1. It is Paris.\\n2. It", "assistant"])
@pytest.mark.parametrize("end", ['"}', ""])
def test_a_text_closed_by_a_typographic_mark_ends_there(rest: str, end: str) -> None:
    """As the embedded model writes after a title in such marks: the schema lets it run on."""
    wanted = Decomposition(kind="compound", first="Who sang “She is”?", second="Who is he?")
    text = '{"kind":"compound","first":"Who sang “She is”?","second":"Who is he?”}'
    assert parse(text + rest + end, Decomposition) == (wanted, True)
    assert parse("Here it is: " + text + rest + end, Decomposition) == (wanted, True)
    quoted = '{"answer":"the set {“user”} of “names”"}'
    assert parse(quoted, Answer) == (Answer(answer="the set {“user”} of “names”"), False)


@pytest.mark.parametrize(
    ("text", "output", "problem"),
    [
        ("", Answer, "the output"),
        ("   ", Answer, "the output"),
        ("Paris", Answer, "the output"),
        ('"Paris"', Answer, "the output"),
        ("null", Answer, "the output"),
        ('{"answer": "Par', Answer, "the output is cut off in the middle of a text"),
        ('```json\n{"answer": "Par\\', Answer, "the output is cut off"),
        ('{"kind": "compound", "first": "Who', Decomposition, "the output is cut off"),
        ("{}", Answer, "answer: Field required"),
        ('{"answer": "  "}', Answer, "answer: String should have at least 1 character"),
        ('{"answer": null}', Answer, "answer: Input should be a valid string"),
        ('{"answer": 1893}', Answer, "answer: Input should be a valid string"),
        ('{"answer": "Paris", "why": "x"}', Answer, "why: Extra inputs are not permitted"),
        ('{"answer": "' + "x" * 301 + '"}', Answer, "answer: String should have at most 300"),
        ('{"strategy": "chain"}', Route, "strategy: Input should be 'direct', 'single'"),
        (RUBRIC.replace("1", "2", 1), Rubric, "wh_form: Input should be 0 or 1"),
        ('{"answer": "\ud83d"}', Answer, "the output"),
        ('{"answer": "\\ud83d"}', Answer, "the output"),
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


@pytest.mark.parametrize("text", ['{"answer": "Paris"}\nHe said "no', '{"answer": "5" pipe"}'])
def test_a_text_that_is_not_cut_off_is_kept(text: str) -> None:
    assert parse(text, Answer)[0].answer.startswith(("Paris", "5"))


@pytest.mark.parametrize("text", ['{"answer": "Pa\x00ris\x1b[2J"}', '{"answer": "Pa\\u0000ris"}'])
def test_an_output_carries_no_control_character(text: str) -> None:
    answer = parse(text, Answer)[0].answer
    assert answer.startswith("Pa")
    assert answer.isprintable()


@pytest.mark.parametrize("unit", ["{", "[", '{"', '["', "{'", '"', "\\", "```", "<think>", '{"a":'])
@pytest.mark.parametrize("length", [2_000, 1_000_000])
def test_hostile_output_is_refused_quickly(unit: str, length: int) -> None:
    text = '{"answer":' + unit * (length // len(unit))
    started = monotonic()
    with pytest.raises(UnfitOutputError):
        parse(text, Answer)
    assert monotonic() - started < 5


def test_thoughts_do_not_count_towards_the_length() -> None:
    text = "<think>" + "hm " * 20_000 + '</think>```{"answer": "Paris"}```'
    assert parse(text, Answer) == (Answer(answer="Paris"), True)


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
