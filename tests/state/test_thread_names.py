"""Which texts can name a thread, and how a shell takes them."""

from __future__ import annotations

import os
import shlex

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hopyard.state.errors import UsageError
from hopyard.state.storage.thread_names import checked_thread_name, resume_command

any_text = st.text(st.characters(exclude_categories=()), min_size=1)
"""With lone surrogates."""


@pytest.mark.parametrize("name", ["a\0b", "a\ud800", "\udc00\ud800", os.fsdecode(b"caf\xe9")])
def test_a_name_that_the_store_cannot_keep_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match=r"^The thread name .* choose another name\.$") as refused:
        checked_thread_name(name)
    str(refused.value).encode()  # it can be printed


def test_a_whole_pair_of_surrogates_is_its_character() -> None:
    assert checked_thread_name("\ud83d\ude00") == "\U0001f600"


@given(any_text, any_text)
def test_no_two_names_are_one(first: str, second: str) -> None:
    try:
        kept = checked_thread_name(first), checked_thread_name(second)
    except UsageError:
        assume(False)
    pairs = first.encode("utf-16", "surrogatepass"), second.encode("utf-16", "surrogatepass")
    assert (kept[0] == kept[1]) == (pairs[0] == pairs[1])


@pytest.mark.parametrize(
    ("name", "flags", "command"),
    [
        ("mine", "", "hopyard resume mine"),
        ("mine", "--set seed=2", "hopyard resume mine --set seed=2"),
        ("it's", "", """hopyard resume 'it'"'"'s'"""),
        ("-x", "--set seed=2", "hopyard resume --set seed=2 -- -x"),
    ],
)
def test_the_command_that_continues_a_thread(name: str, flags: str, command: str) -> None:
    assert resume_command(name, flags) == command
    assert name in shlex.split(command)
