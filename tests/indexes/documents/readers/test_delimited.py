# ruff: noqa: E501 - rows of cases in long lines
"""Values between commas, semicolons, tabs or bars, as programs and people write them."""

from __future__ import annotations

from typing import Any

import pytest

from ..case_tables import cases
from ..zips import lines

Read = Any

WRONG = r"""
"Pipe, 20,5⏎Rod,6⏎Bolt,7 ⇒ | "Pipe | 20 | 5 | ¦ | Rod | 6 | ¦ | Bolt | 7 |
"Pipe,5⏎Rod,6⏎"Bolt, long",7 ⇒ | "Pipe | 5 | ¦ | Rod | 6 | ¦ | Bolt, long | 7 |
20" pipe,5⏎rod 6",6⏎Bolt,7 ⇒ | 20" pipe | 5 | ¦ | rod 6" | 6 | ¦ | Bolt | 7 |
"5"" pipe",5⏎"a ""b"" c",6⏎Bolt,7 ⇒ | 5" pipe | 5 | ¦ | a "b" c | 6 | ¦ | Bolt | 7 |
"5\" pipe, long",5⏎Rod,6⏎Bolt,7 ⇒ | 5" pipe, long | 5 | ¦ | Rod | 6 | ¦ | Bolt | 7 |
"Pipe" (old),5⏎Rod,6⏎Bolt,7 ⇒ | "Pipe" (old) | 5 | ¦ | Rod | 6 | ¦ | Bolt | 7 |
"Pipe⏎of, iron",5⏎Rod,6 ⇒ | Pipe of, iron | 5 | ¦ | Rod | 6 |
Rod,6⏎Bolt,7⏎"Pipe,5 ⇒ | Rod | 6 | ¦ | Bolt | 7 | ¦ | "Pipe | 5 |
"""
BACKSLASHES = r"""
A,"says \"hi\"",3⏎B,x,4 ⇒ | A | says "hi" | 3 | ¦ | B | x | 4 |
A,"\"hi\", left",3⏎B,"C:\",4 ⇒ | A | "hi", left | 3 | ¦ | B | C:\ | 4 |
A,"5\"",3⏎B,x,4 ⇒ | A | 5" | 3 | ¦ | B | x | 4 |
"""
ABOVE = '''
Sales, all plants⏎May 2024⏎Plant,MWh,Cost⏎Dune,11,21⏎Reed,12,22 ⇒ Sales, all plants ¦ May 2024 ¦ | Plant | MWh | Cost | ¦ |---|---|---| ¦ | Dune | 11 | 21 | ¦ | Reed | 12 | 22 |
,2023,,2024,⏎Plant,MWh,Cost,MWh,Cost⏎Dune,11,21,12,22⏎Reed,13,23,14,24 ⇒ | Plant | 2023 MWh | 2023 Cost | 2024 MWh | 2024 Cost | ¦ |---|---|---|---|---| ¦ | Dune | 11 | 21 | 12 | 22 | ¦ | Reed | 13 | 23 | 14 | 24 |
MWh,Cost⏎Dune,11,21⏎Reed,12,22 ⇒ |  | MWh | Cost | ¦ |---|---|---| ¦ | Dune | 11 | 21 | ¦ | Reed | 12 | 22 |
name⏎Ada⏎Ben, the cook ⇒ name ¦ Ada ¦ Ben, the cook
comment⏎Good, warm and dry⏎No⏎Late, wet, loud⏎"Fine; ""quite""" ⇒ comment ¦ Good, warm and dry ¦ No ¦ Late, wet, loud ¦ Fine; "quite"
'''
SINGLE = """
'berth','fee, in euros'⏎'A, north','40'⏎'O''Brien','5'⏎ ⇒ | berth | fee, in euros | ¦ | A, north | 40 | ¦ | O'Brien | 5 |
id;note⏎1;'two⏎lines'⏎2;'a; b'⏎3;'"so"'⏎ ⇒ | id | note | ¦ | 1 | 'two |
who,what⏎'Tis,rock 'n' roll⏎O'Hara,the boys' club⏎ ⇒ | who | what | ¦ | 'Tis | rock 'n' roll | ¦ | O'Hara | the boys' club |
"""
TABLE = "| Item | Price |\n|---|---|\n| Nuts | 1,50 |\n| Bolts | 20,75 |\n\n"


@pytest.mark.parametrize(
    "data",
    [
        b"sep=;\r\nItem;Price\r\nNuts;1,50\r\nBolts;20,75\r\n",
        b'"sep=;"\nItem;Price\nNuts;1,50\nBolts;20,75\n',
        b"sep=\t\nItem\tPrice\nNuts\t1,50\nBolts\t20,75\n",
        b"Item;Price\nNuts;1,50\nBolts;20,75\n",
        b"Item|Price\nNuts|1,50\nBolts|20,75",
        b"Item;Price\rNuts;1,50\rBolts;20,75\r",
        b"Item;Price\n\nNuts;1,50\n;\n\nBolts;20,75\n",
        b'Item, Price\nNuts, "1,50"\nBolts, "20,75"\n',
        "\ufeffItem;Price\nNuts;1,50\nBolts;20,75\n".encode(),
        "Item\tPrice\nNuts\t1,50\nBolts\t20,75\n".encode("utf-16"),
        'sep=,\nItem,Price\nNuts,"1,50"\nBolts,"20,75"\n'.encode("utf-16"),
    ],
)
def test_dialects_give_one_table(read: Read, data: bytes) -> None:
    assert read("a.csv", data)[1] == TABLE


def test_decimal_commas_without_a_header_are_no_delimiters(read: Read) -> None:
    text = read("a.csv", b"1,50;2,30\n3,10;4,20\n1.005,10;6,00\n")[1]
    assert text == "| 1,50 | 2,30 |\n|---|---|\n| 3,10 | 4,20 |\n| 1.005,10 | 6,00 |\n\n"


def test_rows_of_unequal_length_keep_all_values(read: Read) -> None:
    text = read("a.csv", b"A,B,C\n1,2,3\n4\n5,6,7,8\n9,,10\n")[1]
    assert text.splitlines()[2:-1] == [
        "| 1 | 2 | 3 |",
        "| 4 |  |  |",
        "| 5 | 6 | 7 | 8 |",
        "| 9 |  | 10 |",
    ]


def test_numbers_keep_their_digits(read: Read) -> None:
    text = read("a.csv", b"Code,Balance\n00501,1234567890123456789.10\n1e5,+4\n")[1]
    assert "| 00501 | 1234567890123456789.10 |\n| 1e5 | +4 |" in text


def test_rows_after_a_blank_one_belong_to_the_table_if_they_fit(read: Read) -> None:
    text = read("a.csv", b"Name,Town\nAda,Lund\n\nBen,Graz\n\nCleo,Bath\n")[1]
    assert text.count("---|---") == 1
    assert "| Cleo | Bath |" in text


def test_a_file_of_tabs_that_has_none(read: Read) -> None:
    assert read("a.tsv", b"Item;Price\nNuts;1,50\nBolts;20,75\n")[1] == TABLE


@pytest.mark.parametrize(("rows", "shown"), cases(WRONG))
def test_a_wrong_quotation_mark_costs_no_row(read: Read, rows: str, shown: list[str]) -> None:
    text = read("a.csv", f"Item,Price\n{rows}\nNut,8\nNail,9".encode())[1]
    assert text.splitlines()[2:-1] == [*shown, "| Nut | 8 |", "| Nail | 9 |"]


@pytest.mark.parametrize(("rows", "shown"), cases(BACKSLASHES))
def test_quotes_behind_a_backslash(read: Read, rows: str, shown: list[str]) -> None:
    text = read("a.csv", f"Item,Note,Fee\n{rows}\nC,y,5".encode(), whole=False)[1]
    assert text.splitlines()[2:-2] == shown


@pytest.mark.parametrize(("csv", "shown"), cases(ABOVE))
def test_what_stands_above_the_values(read: Read, csv: str, shown: list[str]) -> None:
    assert lines(read("a.csv", f"{csv}\n".encode())[1]) == shown


@pytest.mark.parametrize(("csv", "rows"), cases(SINGLE))
def test_values_between_single_marks(read: Read, csv: str, rows: list[str]) -> None:
    shown = [row for row in lines(read("a.csv", csv.encode())[1]) if "---" not in row]
    assert shown[: len(rows)] == rows


def test_a_file_of_blank_lines_is_empty(read: Read) -> None:
    assert read("a.csv", b"\n\n")[1] == "\n"


def test_a_mark_before_a_quoted_head(read: Read) -> None:
    _, text, _ = read("a.csv", '\ufeff"a,\nb",c\n"x,1",2\n'.encode())
    assert text.splitlines()[0] == "| a, b | c |"
