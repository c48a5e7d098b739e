# ruff: noqa: E501 - markup in long lines
"""Rich Text: code pages, Unicode, tables, notes, fields, raised letters."""

from __future__ import annotations

from typing import Any

import pytest

from ..case_tables import cases

Read = Any

FONTS = r"{\fonttbl{\f0 Arial;}{\f1\fcharset204 Arial CYR;}{\f2\fcharset128 MS;}{\f3\cpg1253 G;}}"
TEXTS = r"""
\ansicpg1252\deff0FONTS\f1 \'cf\'f0\'e8\'e2\'e5\'f2\f0  caf\'e9 ⇒ Привет café
\deff1FONTS\plain \'cf\'f0\f2\'93\'fa\'96\'7b\f3 \'e1\'e2 ⇒ Пр日本αβ
\ansicpg1251 \'cf\'f0\'e8 ⇒ При
\ansicpg932 \'83\'65\'83X\'83g ⇒ テスト
\ansicpg949 \'b0\'a1 ⇒ 가
\ansicpg99999 caf\'e9 ⇒ café
\uc1 \u1055?\u1088?\u8364\'80 \uc2 \u26085\'93\'fa \uc0\u8364 x ⇒ Пр€ 日 €x
{\uc2 \u26085\'93\'fa}\u26412? ⇒ 日本
\lquote a\rquote \~\ldblquote b\rdblquote c\emdash d\endash e\bullet f\_h\-i ⇒ ‘a’ “b”c—d–e•f-hi
\{x\}\\y ⇒ {x}\y
5 \'d7 10{\super -3} Pa, H{\sub 2}O, 10\super 6\nosupersub  cells, x\up6 2\up0  y ⇒ 5 × 10^-3 Pa, H2O, 10^6 cells, x^2 y
a{\pict\wmetafile8 010203ff}b{\*\shppict{\pict 89}}{\nonshppict{\pict 00}}c\bin3 {}}d ⇒ abcd
{\stylesheet{\s1 Heading 1;}}{\*\generator X;}{\info{\title T}}{\v hidden}{\deleted old}new ⇒ new
{\field{\*\fldinst HYPERLINK x}{\fldrslt the page}} {\field{\fldinst PAGE}{\fldrslt 3}} ⇒ the page 3
{\object\objemb{\*\objdata 0105}{\result shown}} ⇒ shown
{\field{\*\fldinst FORMCHECKBOX {\*\formfield{\fftype1\ffres1\ffdefres0}}}{\fldrslt}}Paid {\field{\*\fldinst FORMCHECKBOX {\*\formfield{\fftype1\ffres25\ffdefres0}}}{\fldrslt}}Late ⇒ [x] Paid [ ] Late
{\field{\*\fldinst FORMDROPDOWN {\*\formfield{\fftype2\ffres1{\*\ffl Ward A}{\*\ffl Ward B}}}}{\fldrslt}} ⇒ Ward B
"""
BLOCKS = r"""
one\par two\line three\sect four\page five ⇒ one ¦ two⏎three ¦ four ¦ five
\pard\outlinelevel0 Top\par\pard\outlinelevel1 Below\par\pard text\par ⇒ # Top ¦ ## Below ¦ text
{\listtext 2.1\tab}Late\par{\listtext\'b7\tab}dot\par{\pntext\bullet\tab}old\par ⇒ 2.1 Late ¦ - dot ¦ - old
Fee 50{\super\chftn}{\footnote\pard{\super\chftn} Without tax.} euros\par ⇒ Fee 50[1] euros ¦ [1] Without tax.
{\header Contract 4471\par}{\footerf Page {\field{\fldinst PAGE}{\fldrslt 1}}\par}body\par ⇒ body ¦ Contract 4471 ¦ Page 1
a{\*\atnid A}{\*\atnauthor B}{\*\annotation{\*\atndate 1}Too much?}b\par ⇒ ab ¦ Comment: Too much?
a{\shp{\*\shpinst{\sp{\sn x}{\sv 1}}{\shptxt box\par two\par}}{\shprslt box}}b\par ⇒ ab ¦ box⏎⏎two
"""
TABLES = r"""
\trowd\cellx1\cellx2\intbl A\cell B|x\cell\row\trowd\cellx1\cellx2\intbl 1\cell 2\par 3\cell\row ⇒ | A | B\|x | ¦ |---|---| ¦ | 1 | 2 3 |
\trowd\cellx1\cellx2\pard\intbl A\cell\pard B\cell\pard\intbl{\trowd\cellx1\cellx2\row} ⇒ | A | B | ¦ |---|---|
\trowd\clvmgf\cellx1\cellx2 Zone\cell Fee\cell\row\trowd\clvmgf\cellx1\cellx2 A\cell 10\cell\row\trowd\clvmrg\cellx1\cellx2 \cell 14\cell\row ⇒ | Zone | Fee | ¦ |---|---| ¦ | A | 10 | ¦ | A | 14 |
\trowd\cellx1\intbl out {\intbl\itap2 in\nestcell side\nestcell{\*\nesttableprops\trowd\nestrow}{\nonesttables\par}}\cell\row ⇒ | out in, side | ¦ |---|
"""


@pytest.mark.parametrize(("rtf", "text"), cases(TEXTS.replace("FONTS", FONTS)))
def test_text(read: Read, rtf: str, text: list[str]) -> None:
    assert [read("a.rtf", rf"{{\rtf1\ansi {rtf}\par}}".encode("latin-1"))[1]] == text


@pytest.mark.parametrize(
    ("rtf", "text"),
    [
        (r"\u-10179?\u-8704? \u-3933?", "\U0001f600 \uf0a3"),
        (r"{\upr{A?}{\*\ud{A\u776?}}}", "A\u0308"),
    ],
)
def test_unicode(read: Read, rtf: str, text: str) -> None:
    assert read("a.rtf", rf"{{\rtf1\ansi {rtf}\par}}".encode())[1] == text


@pytest.mark.parametrize(("rtf", "blocks"), cases(BLOCKS))
def test_blocks(read: Read, rtf: str, blocks: list[str]) -> None:
    assert read("a.rtf", rf"{{\rtf1\ansi {rtf}}}".encode())[1] == "\n\n".join(blocks)


@pytest.mark.parametrize(("rtf", "rows"), cases(TABLES))
def test_tables(read: Read, rtf: str, rows: list[str]) -> None:
    text = read("a.rtf", rf"{{\rtf1\ansi before\par {rtf}\pard after\par}}".encode())[1]
    assert text == "\n\n".join(["before", "\n".join(rows), "after"])


def test_title_author_and_an_encoding_that_is_given(read: Read) -> None:
    rtf = rb"{\rtf1\ansi\ansicpg1251{\info{\title \'cf\'f0}{\author Ann}}\'cf\par}"
    content, text, _ = read("a.rtf", rtf)
    assert (content.title, content.metadata, text) == ("Пр", {"author": "Ann"}, "П")
    assert read("a.rtf", rtf, encoding="cp1252")[1] == "Ï"
    assert not read("a.rtf", rtf.replace(b"Ann", b"Windows User"))[0].metadata


@pytest.mark.parametrize(
    "rtf",
    [
        rb"{\rtf1 a\par",
        rb"{\rtf1 a}}}\par}",
        rb"{\rtf1 {{{a",
        rb"{\rtf1 a\'",
        rb"{\rtf1 a\bin99999 ",
    ],
)
def test_a_broken_file_gives_what_it_has(read: Read, rtf: bytes) -> None:
    assert read("a.rtf", rtf)[1].startswith("a")
