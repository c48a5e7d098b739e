"""The encoding of a text: by its mark, by what it declares, as UTF-8, or by its letters.

A text in Latin letters is decoded in the Windows encodings of Europe. The one wins whose letters
belong to the text's language, which the ASCII letters alone tell (py3langid). Of 226 texts of 200,
600 and 3,000 characters in 35 languages and 17 encodings, 2 are read wrongly; with
charset-normalizer alone, 55 are (`benchmarks/encodings.py`).
"""

from __future__ import annotations

import codecs
import re
from contextlib import suppress
from functools import cache
from typing import IO, Any, Final

from hopyard.state.errors import CorpusError

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark is the beginning of this one
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_BLOCK: Final = 1 << 20
_SAMPLE: Final = 1 << 18
"""Bytes from which an encoding is guessed, if they are no UTF-8."""
_GUESSED: Final = (
    *("cp1251", "cp1253", "cp1255", "cp1256", "cp874", "koi8_r"),
    *("cp932", "gb18030", "euc_jp", "big5", "cp949", "iso2022_jp", "iso2022_kr"),
    *("cp1252", "cp1250", "cp1254", "cp1257"),
)
"""In the order in which a text takes one that fits as well as others. Korean text fits the Chinese
and Japanese encodings worse, while their texts fit the Korean one as well."""
_WIDER: Final = {
    "iso8859-1": "cp1252",
    "ascii": "cp1252",
    "iso8859-9": "cp1254",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "tis-620": "cp874",
}
"""The encoding that browsers use in place of a declared one.

Source: WHATWG Encoding Standard, 4.2.
"""
_OTHER_NAMES: Final = (
    (r"-[ie]$", ""),  # the order of Hebrew letters
    (r"^windows-", "cp"),
    (r"^gb_2312.*", "gb2312"),
    (r"[-_ ]", ""),
)
"""Literals that programs write in other ways than Python."""
_FIRST_CAPITAL: Final = 0xC0
_ALEF: Final = 0xE0
_TAV: Final = 0xFA
_LETTERS_TO_TELL: Final = 20
_HALF_WIDTH: Final = re.compile(r"[\uff61-\uff9f]")
_MOST_HALF_WIDTH: Final = 0.1
"""The share of katakana of half width in a Japanese text, at most; other texts get more of it."""
_DISORDER: Final = (0.2, 0.4)
"""How much disorder a text may have; the second counts for texts that fit nothing with the first,
such as Chinese text with many names of programs in Latin letters."""
_LATIN: Final = ("cp1252", "cp1250", "cp1254", "cp1257", "cp1258")
_LETTERS: Final = {
    "af": "êëéèôûïî", "bs": "čćđšž", "ca": "àçèéíïòóúü·", "cs": "áčďéěíňóřšťúůýž", "da": "æøåé",
    "de": "äöüßé", "en": "éïèñçô", "es": "áéíñóúü", "et": "äöõüšž", "eu": "ñçü", "fi": "äöåšž",
    "fr": "àâæçéèêëîïôœùûüÿ", "gl": "áéíñóúüï", "hr": "čćđšž", "hu": "áéíóöőúüű",
    "is": "áðéíóúýþæö", "it": "àèéìíîòóùú", "lt": "ąčęėįšųūž", "lv": "āčēģīķļņšūž",
    "nl": "éèëïóöüáêç", "nn": "æøåéòôóê", "no": "æøåéòôóê", "pl": "ąćęłńóśźż",
    "pt": "áâãàçéêíóôõúü", "ro": "ăâîşţșț", "sk": "áäčďéíĺľňóôŕšťúýž", "sl": "čšž", "sq": "çë",
    "sv": "åäöé", "tr": "çğıİöşüâî", "vi": "ăâđêôơưàáèéìíòóùúýãõ\u0300\u0301\u0303\u0309\u0323",
}  # fmt: skip
"""The letters beyond ASCII of each language. Source: Unicode CLDR, exemplar characters."""
_SIGNS: Final = frozenset("“”„‘’‚«»‹›–—…•·°€£§©®™×÷±²³½¼¾ªº¡¿´`¨\u00a0")
_SIGN: Final = 0.5
"""A sign says as much as half a letter: most encodings have it at the same place."""
_SURE: Final = 0.7
"""The share of letters beyond ASCII that belong to the language, at least."""
_LIKELY: Final = 3
"""Languages that are tried, the likeliest first."""
_MOST_HIGH: Final = 0.3
"""The share of bytes beyond ASCII in a text in Latin letters, at most."""
_VALID: Final = 3
"""Valid sequences of UTF-8 for each wrong byte, at least."""

WRONG_BYTES: Final = "hopyard.wrong_bytes"
"""The error handler that reads a wrong byte of UTF-8 as Windows-1252; a cut letter is U+FFFD."""


def _read_wrong(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    if error.reason == "unexpected end of data":
        return "\ufffd", error.end
    wrong = error.object[error.start : error.start + 1]
    return wrong.decode("cp1252", "replace"), error.start + 1


codecs.register_error(WRONG_BYTES, _read_wrong)


def encoding_of(stream: IO[bytes], forced: str, declared: str) -> tuple[str, int, int]:
    """The encoding of a stream, the length of its mark, and the number of wrong bytes.

    Args:
        forced: The encoding that the user names; it counts unless the text has a mark.
        declared: The encoding that the text itself names; a text may declare what it is not.

    Raises:
        CorpusError: It is no text in a known encoding.
    """
    begin = stream.read(4)
    for mark, name in _MARKS:
        if begin.startswith(mark):
            # The codecs `utf-16` and `utf-32` read the mark themselves.
            return name, len(mark) if name == "utf-8" else 0, 0
    if forced:
        return forced, 0, 0
    name = wider(declared) if declared else ""
    if name and name not in _LATIN and _decodes(stream, name):
        return name, 0, 0
    wrong, valid = _utf8(stream)
    if name in _LATIN and (wrong or not valid) and _decodes(stream, name):
        return name, 0, 0  # every text fits such an encoding: one that is UTF-8 is no chance
    if not wrong or valid >= _VALID * wrong:
        return ("" if wrong or valid else _escaped(stream)) or "utf-8", 0, wrong
    return _guess(stream), 0, 0


def _escaped(stream: IO[bytes]) -> str:
    """The encoding of a text of ASCII whose escapes stand for other letters; "" for other texts."""
    stream.seek(0)
    sample = stream.read(_SAMPLE)
    names = (("iso2022_kr", b"\x1b$)C"), ("iso2022_jp_2", b"\x1b$"))
    return next((name for name, mark in names if mark in sample and _decodes(stream, name)), "")


def wider(declared: str) -> str:
    """The encoding that a declared name stands for in practice; "" if it is unknown."""
    plain = declared.strip().lower().removeprefix("x-")
    for form in (plain, *(re.sub(find, give, plain) for find, give in _OTHER_NAMES)):
        with suppress(LookupError, ValueError):  # a name with a null character
            name = codecs.lookup(form).name
            return _WIDER.get(name, name)
    return ""


def _utf8(stream: IO[bytes]) -> tuple[int, int]:
    """The wrong bytes of a text as UTF-8, and its valid characters beyond ASCII."""
    stream.seek(0)
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    wrong = valid = 0
    while block := stream.read(_BLOCK):
        text = decoder.decode(block)
        if not text.isascii():
            bad = text.count("\ufffd")
            wrong += bad
            valid += len(text) - len(text.encode("ascii", "ignore")) - bad
    return wrong + len(decoder.decode(b"", final=True)), valid


def _decodes(stream: IO[bytes], encoding: str) -> bool:
    stream.seek(0)
    try:
        decoder = codecs.getincrementaldecoder(encoding)()
        while block := stream.read(_BLOCK):
            decoder.decode(block)
        decoder.decode(b"", final=True)
    except UnicodeError:
        return False
    return True


def _guess(stream: IO[bytes]) -> str:
    stream.seek(0)
    sample = stream.read(_SAMPLE)
    if len(sample) == _SAMPLE:  # cut where no character is
        sample = sample[: sample.rfind(b"\n") + 1] or sample
    if b"\0" in sample:
        raise _unknown()
    return _latin(sample) or _by_disorder(sample)


def _latin(sample: bytes) -> str:
    """The encoding of a text in Latin letters; "" if it is another text or language."""
    high = sum(byte > 0x7F for byte in sample)
    if high > _MOST_HIGH * len(sample):
        return ""
    ascii_words = " ".join(sample.decode("ascii", "replace").replace("\ufffd", " ").split())
    for language, _ in _languages().rank(ascii_words)[:_LIKELY]:
        if found := _of_language(sample, language, high):
            return found
    return ""


def _of_language(sample: bytes, language: str, high: int) -> str:
    """The encoding in which most bytes beyond ASCII are letters of a language, or ""."""
    letters = set(_LETTERS[language])
    letters |= {letter.upper() for letter in letters}
    best, share = "", _SURE
    for encoding in _LATIN:
        try:
            text = sample.decode(encoding)
        except UnicodeDecodeError:
            continue
        known = sum(
            1.0 if letter in letters else _SIGN if letter in _SIGNS else 0.0
            for letter in text
            if letter > "\x7f"
        )
        if known > share * high:
            best, share = encoding, known / high
    return best


@cache
def _languages() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE)
    identifier.set_languages([*_LETTERS])
    return identifier


def _by_disorder(sample: bytes) -> str:
    """The encoding in which a text has the least disorder, by charset-normalizer."""
    from charset_normalizer import from_bytes

    for threshold in _DISORDER:
        matches = [
            match
            for match in from_bytes(sample, cp_isolation=[*_GUESSED], threshold=threshold)
            if len(_HALF_WIDTH.findall(str(match))) <= _MOST_HALF_WIDTH * len(str(match))
        ]
        if matches:
            break
    else:
        raise _unknown()
    best = min((match.chaos, -match.coherence) for match in matches)
    alike = {
        name
        for match in matches
        if (match.chaos, -match.coherence) == best
        for name in (match.encoding, *match.could_be_from_charset)
    }
    found = next((name for name in _GUESSED if name in alike), matches[0].encoding)
    return "cp1255" if found == "cp1251" and _is_hebrew(sample) else found


def _is_hebrew(sample: bytes) -> bool:
    """Whether no letter is a capital or one of the last of the Russian alphabet."""
    high = [byte for byte in sample if byte >= _FIRST_CAPITAL]
    return len(high) >= _LETTERS_TO_TELL and all(_ALEF <= byte <= _TAV for byte in high)


def _unknown() -> CorpusError:
    return CorpusError("not text in a known encoding; name the encoding with --encoding")
