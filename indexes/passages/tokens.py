"""Counting the tokens of texts."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from math import ceil
from typing import Final

from tokenizers import Tokenizer, normalizers, pre_tokenizers

from hopyard.state.text.tokens import tokens_of

LONGEST_TOKEN: Final = 16
"""Characters that one token stands for at most. Tokenizers turn any run of letters that they do
not know, a megabyte of base64 as well, into a single unknown token."""

_WORD: Final = re.compile(r"[^ \t\n\r]+")
_WORDS_KEPT: Final = 1 << 17
"""Words whose tokens are kept in mind."""


def token_counter(tokenizer: Tokenizer | None) -> Callable[[str], int]:
    """A function that counts a text's tokens, special tokens left out.

    Args:
        tokenizer: The model's tokenizer, sixteen characters a token being the most it may save;
            None takes the estimate for models that keep theirs to themselves.
    """
    if tokenizer is None:
        return tokens_of
    counting = tokenizer
    if tokenizer.truncation or tokenizer.padding:  # what cuts off and pads cannot count
        counting = Tokenizer.from_str(tokenizer.to_str())
        counting.no_truncation()
        counting.no_padding()

    def count(text: str) -> int:
        return len(counting.encode(text, add_special_tokens=False).ids)

    if not _takes_words_alone(counting):
        return lambda text: max(count(text), fewest_tokens(len(text)))
    of_word = lru_cache(_WORDS_KEPT)(count)
    return lambda text: max(sum(map(of_word, _WORD.findall(text))), fewest_tokens(len(text)))


def fewest_tokens(characters: int) -> int:
    """The tokens that so many characters make at least."""
    return ceil(characters / LONGEST_TOKEN)


def _takes_words_alone(tokenizer: Tokenizer) -> bool:
    """Whether a word always makes the same tokens, as in BERT and in XLM-RoBERTa.

    Then each word need be counted once, which makes cutting several times as fast.
    """
    normalizer, words = tokenizer.normalizer, tokenizer.pre_tokenizer
    if isinstance(words, pre_tokenizers.Metaspace):
        return words.split and words.prepend_scheme == "always"
    return isinstance(words, pre_tokenizers.BertPreTokenizer) and (
        normalizer is None or isinstance(normalizer, normalizers.BertNormalizer)
    )
