"""Korean names, found by the particles that follow nouns.

Korean has no capitals, and a particle is written onto its noun: `서울은`, `서울에서`. A word is
taken for a noun if the text has it with at least two endings, where no ending counts too. Words
with Latin letters, and with letters and digits, are names at once.

Limits: a noun that the text has once, or always with the same particle, is missed; a question has
most nouns once, so match it with the names of the index. Common nouns that a text repeats are
found as well. A noun that ends like a noun with a particle (`회의`) may lose its last syllable.
Names of several words are found as several names.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from hopyard.indexes.text.english import word_set

_PARTICLES: Final = word_set(
    """
    은 는 이 가 을 를 의 에 에서 에게 에게서 께 께서 한테 한테서 와 과 하고 랑 이랑 로 으로
    로서 으로서 로써 으로써 로부터 으로부터 도 만 까지 부터 처럼 보다 마다 조차 마저 밖에
    이나 나 이란 란 이라는 라는 이라고 라고 에는 에도 에서는 에서도 에게는 와는 과는 로는
    으로는 까지는 부터는 까지도 만이 만을 만의 이며 이자 이고 인 이다 이었다 였다 입니다
    이었으며 였으며 에서의 와의 과의 으로의 로의 에의 이었던 였던
    """
)
_AFTER_CONSONANT: Final = word_set("은 이 을 과 과는 과의 이랑 이나 이란 이라는 이라고")
_AFTER_VOWEL: Final = word_set("는 가 를 와 와는 와의 랑 라는 라고 란 나 였다 였으며 였던")
_ENDING: Final = re.compile(rf"(?:{'|'.join(sorted(_PARTICLES, key=len, reverse=True))})\Z")
_WORD: Final = re.compile(r"[가-힣A-Za-z0-9]+(?:[.&'-][가-힣A-Za-z0-9]+)*")
_NAME: Final = re.compile(r"(?=.*[A-Za-z])(?=.*[A-Z0-9가-힣])")
"""Latin letters, and capitals, digits or Korean letters as well."""
_NO_NOUN: Final = word_set(
    """
    그것 이것 저것 그녀 우리 여기 거기 저기 이후 이전 당시 자신 때문 경우 이때 그때 하나
    모두 대부분 이상 이하 정도 다음 동안 위해 통해 대해 관련 사람 사람들 무엇 누구 어디 언제
    어느 어떤 것이 그들 이들 각각 서로 다른 여러 많은 모든 최초 처음 현재 오늘 지금 가장
    그리 따라
    """
)
"""Words that particles follow, though they name nothing."""
_VERB: Final = re.compile(r"[하되있없않같받]\Z")
_LEAST: Final = 2
"""Syllables of a noun at least, and endings that it must have in the text."""


def korean_names(text: str) -> Iterator[tuple[int, int]]:
    """The spans of names in a Korean text, without their particles, in order."""
    endings: dict[str, set[str]] = defaultdict(set)
    for found in _WORD.finditer(text):
        for stem in _stems(found.group()):
            endings[stem].add(found.group()[len(stem) :])
    last: tuple[int, int] | None = None
    for found in _WORD.finditer(text):
        start, word = found.start(), found.group()
        ending = _ENDING.search(word, 1)
        if _NAME.match(word, 0, ending.start() if ending else len(word)):
            span = start, start + (ending.start() if ending else len(word))
            if last and text[last[1] : start] == " ":
                span = last[0], span[1]
            elif last:
                yield last
            last = span
            continue
        if last:
            yield last
            last = None
        nouns = [stem for stem in _stems(word) if len(endings[stem]) >= _LEAST]
        if nouns:
            best = max(nouns, key=lambda stem: (len(endings[stem]), -len(stem)))
            yield start, start + len(best)
    if last:
        yield last


def bare_forms(name: str) -> Iterator[str]:
    """A name as a text writes it, then what Korean particles may leave of it, the longest first.

    Examples:
        >>> list(bare_forms("한빛대학교에서는"))
        ['한빛대학교에서는', '한빛대학교에서', '한빛대학교']
        >>> list(bare_forms("Severn"))
        ['Severn']
    """
    yield name
    for length in range(len(name) - 1, _LEAST - 1, -1):
        stem, ending = name[:length], name[length:]
        if ending in _PARTICLES and (not "가" <= stem[-1] <= "힣" or _fits(stem, ending)):
            yield stem


def _stems(word: str) -> Iterator[str]:
    """The word itself and all that particles may leave of it, if that can be a noun."""
    if not ("가" <= word[0] <= "힣" and "가" <= word[-1] <= "힣"):
        return
    for length in range(_LEAST, len(word) + 1):
        stem, ending = word[:length], word[length:]
        if (
            (not ending or (ending in _PARTICLES and _fits(stem, ending)))
            and stem not in _NO_NOUN
            and not _VERB.search(stem)
        ):
            yield stem


def _fits(stem: str, particle: str) -> bool:
    """Whether a particle has the form that the stem's last sound asks for."""
    last = (ord(stem[-1]) - 0xAC00) % 28
    if particle[0] in "로으":
        # ㄹ is followed by 로, as a vowel is.
        return (particle[0] == "로") == (last in {0, 8})
    return particle not in (_AFTER_VOWEL if last else _AFTER_CONSONANT)
