"""Counting tokens word by word gives what the tokenizer gives for the whole text."""

from __future__ import annotations

from typing import cast

from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from hopyard.indexes.passages.tokens import token_counter

TEXTS = (
    st.text(st.sampled_from("abAé.,-\u0301\u4e2d\uac00 \t\n\r\f\x0b\x1c\x85\xa0\u3000\u200b[]"))
    | st.text()
)
PIECES = ("[UNK]", "a", "b", "##a", "##b", "e", "##e", ".", ",", "-", "\u4e2d", "[", "]")


def bert() -> Tokenizer:
    vocabulary = {piece: number for number, piece in enumerate(PIECES)}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token=PIECES[0]))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tokenizer


@given(TEXTS)
def test_words_add_up_to_the_text(text: str) -> None:
    tokenizer = bert()
    expected = len(tokenizer.encode(text, add_special_tokens=False).ids)
    assert token_counter(tokenizer)(text) == max(expected, -(-len(text) // 16))


def test_a_word_is_encoded_once() -> None:
    asked: list[str] = []

    class Counting:
        def __init__(self) -> None:
            self._own = bert()

        def __getattr__(self, name: str) -> object:
            return getattr(self._own, name)

        def encode(self, text: str, *, add_special_tokens: bool) -> object:
            asked.append(text)
            return self._own.encode(text, add_special_tokens=add_special_tokens)

    count = token_counter(cast(Tokenizer, Counting()))
    assert [count("ab ba\nab"), count("ba ab.")] == [6, 5]
    assert asked == ["ab", "ba", "ab."]


def test_other_tokenizers_are_given_the_whole_text() -> None:
    """A space belongs to the token behind it there."""
    tokenizer = Tokenizer(models.BPE({"a": 0, "\u0120": 1, "\u0120a": 2}, [("\u0120", "a")]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    assert token_counter(tokenizer)("a a a") == 3
    assert token_counter(tokenizer)("a  a") == 3
