"""Values between commas, semicolons, tabs or bars, as programs and people write them."""

from __future__ import annotations

from typing import Any

import pytest

Read = Any

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


@pytest.mark.parametrize(
    ("rows", "lines"),
    [
        (['"Pipe, 20,5', "Rod,6", "Bolt,7"], ['| "Pipe | 20 | 5 |', "| Rod | 6 |", "| Bolt | 7 |"]),
        (
            ['"Pipe,5', "Rod,6", '"Bolt, long",7'],
            ['| "Pipe | 5 |', "| Rod | 6 |", "| Bolt, long | 7 |"],
        ),
        (
            ['20" pipe,5', 'rod 6",6', "Bolt,7"],
            ['| 20" pipe | 5 |', '| rod 6" | 6 |', "| Bolt | 7 |"],
        ),
        (
            ['"5"" pipe",5', '"a ""b"" c",6', "Bolt,7"],
            ['| 5" pipe | 5 |', '| a "b" c | 6 |', "| Bolt | 7 |"],
        ),
        (
            [r'"5\" pipe, long",5', "Rod,6", "Bolt,7"],
            ['| 5" pipe, long | 5 |', "| Rod | 6 |", "| Bolt | 7 |"],
        ),
        (
            ['"Pipe" (old),5', "Rod,6", "Bolt,7"],
            ['| "Pipe" (old) | 5 |', "| Rod | 6 |", "| Bolt | 7 |"],
        ),
        (['"Pipe', 'of, iron",5', "Rod,6"], ["| Pipe of, iron | 5 |", "| Rod | 6 |"]),
        (["Rod,6", "Bolt,7", '"Pipe,5'], ["| Rod | 6 |", "| Bolt | 7 |", '| "Pipe | 5 |']),
    ],
)
def test_a_wrong_quotation_mark_costs_no_row(read: Read, rows: list[str], lines: list[str]) -> None:
    data = "\n".join(["Item,Price", *rows, "Nut,8", "Nail,9"])
    text = read("a.csv", data.encode())[1]
    assert text.splitlines()[2:-1] == [*lines, "| Nut | 8 |", "| Nail | 9 |"]


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


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (
            b"Sales, all plants\nMay 2024\nPlant,MWh,Cost\nDune,11,21\nReed,12,22\n",
            "Sales, all plants\n\nMay 2024\n\n| Plant | MWh | Cost |\n|---|---|---|\n"
            "| Dune | 11 | 21 |\n| Reed | 12 | 22 |\n\n",
        ),
        (
            b",2023,,2024,\nPlant,MWh,Cost,MWh,Cost\nDune,11,21,12,22\nReed,13,23,14,24\n",
            "| Plant | 2023 MWh | 2023 Cost | 2024 MWh | 2024 Cost |\n|---|---|---|---|---|\n"
            "| Dune | 11 | 21 | 12 | 22 |\n| Reed | 13 | 23 | 14 | 24 |\n\n",
        ),
        (  # as R writes row names
            b"MWh,Cost\nDune,11,21\nReed,12,22\n",
            "|  | MWh | Cost |\n|---|---|---|\n| Dune | 11 | 21 |\n| Reed | 12 | 22 |\n\n",
        ),
        (b"name\nAda\nBen, the cook\n", "name\n\nAda\n\nBen, the cook\n\n\n"),
        (
            b'comment\nGood, warm and dry\nNo\nLate, wet, loud\n"Fine; ""quite"""\n',
            'comment\n\nGood, warm and dry\n\nNo\n\nLate, wet, loud\n\nFine; "quite"\n\n\n',
        ),
        (b"\n\n", "\n"),
    ],
)
def test_what_stands_above_the_values(read: Read, data: bytes, text: str) -> None:
    assert read("a.csv", data)[1] == text


def test_rows_after_a_blank_one_belong_to_the_table_if_they_fit(read: Read) -> None:
    text = read("a.csv", b"Name,Town\nAda,Lund\n\nBen,Graz\n\nCleo,Bath\n")[1]
    assert text.count("---|---") == 1
    assert "| Cleo | Bath |" in text


def test_a_file_of_tabs_that_has_none(read: Read) -> None:
    assert read("a.tsv", b"Item;Price\nNuts;1,50\nBolts;20,75\n")[1] == TABLE


@pytest.mark.parametrize(
    ("csv", "rows"),
    [
        ("'berth','fee, in euros'\n'A, north','40'\n'O''Brien','5'\n",
         ["| berth | fee, in euros |", "| A, north | 40 |", "| O'Brien | 5 |"]),
        ("id;note\n1;'two\nlines'\n2;'a; b'\n3;'\"so\"'\n", ["| id | note |", "| 1 | 'two |"]),
        ("who,what\n'Tis,rock 'n' roll\nO'Hara,the boys' club\n",
         ["| who | what |", "| 'Tis | rock 'n' roll |", "| O'Hara | the boys' club |"]),
    ],
)  # fmt: skip
def test_values_between_single_marks(read: Read, csv: str, rows: list[str]) -> None:
    _, text, _ = read("a.csv", csv.encode())
    assert [line for line in text.splitlines() if "---" not in line][: len(rows)] == rows
