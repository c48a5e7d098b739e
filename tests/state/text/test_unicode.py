"""Text that every encoder takes, wherever text comes in."""

from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopyard.indexes.corpus.records import Document, storable
from hopyard.nodes.lifecycle import check_question
from hopyard.state.errors import UsageError
from hopyard.state.text.unicode import storable_text, valid_unicode
from hopyard.state.where import parse_condition

any_text = st.text(st.characters(exclude_categories=()))
"""With lone surrogates."""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("caf\u00e9", "caf\u00e9"),
        ("a\ud800b", "a\ufffdb"),
        ("\udc80\ud800", "\ufffd\ufffd"),  # the wrong way round
        ("\ud83d\ude00!", "\U0001f600!"),
        (os.fsdecode(b"caf\xe9"), "caf\ufffd"),  # as in the arguments of a command
    ],
)
def test_by_hand(text: str, expected: str) -> None:
    assert valid_unicode(text) == expected
    assert storable_text(f"\0{text}\0") == expected


@given(any_text)
def test_any_text_can_be_encoded_and_a_good_one_stays(text: str) -> None:
    valid = valid_unicode(text)
    assert valid.encode().decode() == valid
    assert valid_unicode(valid) == valid
    if not any("\ud800" <= character <= "\udfff" for character in text):
        assert valid == text
    assert "\0" not in storable_text(text)


@given(any_text)
def test_any_question_can_be_stored_or_is_refused(text: str) -> None:
    try:
        question = check_question(text)
    except UsageError as error:
        assert str(error).encode()
    else:
        assert storable_text(question) == question


@given(any_text, any_text)
def test_any_document_can_be_stored(text: str, name: str) -> None:
    document = storable(Document(name, text, text, {name: text}, source=name))
    for value in (document.id, document.title, document.text, document.source):
        assert isinstance(value, str)
        assert storable_text(value) == value
    assert document.metadata == {storable_text(name): storable_text(text)}


@given(any_text)
def test_any_condition_can_be_searched_for_or_is_refused(text: str) -> None:
    try:
        condition = parse_condition(f"author={text}")
    except ValueError as error:
        assert str(error).encode()
    else:
        assert [storable_text(value) for value in condition.values] == list(condition.values)
