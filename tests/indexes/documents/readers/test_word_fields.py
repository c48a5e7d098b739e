"""Fields of Word files: boxes to tick, chosen entries, fields without an end."""

from __future__ import annotations

import pytest

from .conftest import ReadsAs
from .docxs import Parts, control, field, paragraph, run


def tick_box(ticked: int, sign: str) -> str:
    state = f'<w14:checkbox><w14:checked w14:val="{ticked}"/></w14:checkbox>'
    return control(state, run(sign))


def old_box(content: str) -> str:
    checks = f"<w:ffData><w:checkBox>{content}</w:checkBox></w:ffData>"
    return field("FORMCHECKBOX", "", checks)


CASES: dict[str, tuple[str, Parts, str]] = {
    "tick boxes": (
        paragraph(tick_box(1, "☒") + run(" Lactose"))
        + paragraph(tick_box(0, "x") + run(" Nuts"))
        + paragraph(old_box('<w:default w:val="0"/><w:checked/>') + run(" Diver"))
        + paragraph(old_box('<w:default w:val="1"/>') + run(" Sailor"))
        + paragraph('<w:r><w:sym w:font="Wingdings" w:char="F0FE"/></w:r>' + run(" Paid"))
        + paragraph(run("o", '<w:rFonts w:ascii="Wingdings"/>') + run(" Unpaid")),
        {},
        "☒ Lactose\n\n☐ Nuts\n\n☒ Diver\n\n☒ Sailor\n\n🗹 Paid\n\n□ Unpaid",
    ),
    "chosen entries": (
        paragraph(
            run("Berth: ")
            + field(
                "FORMDROPDOWN",
                "",
                '<w:ffData><w:ddList><w:result w:val="1"/><w:listEntry w:val="North"/>'
                '<w:listEntry w:val="South"/></w:ddList></w:ffData>',
            )
        )
        + paragraph(
            run("Tide: ")
            + control(
                '<w:dropDownList w:lastValue="2"><w:listItem w:displayText="low" w:value="1"/>'
                '<w:listItem w:displayText="high" w:value="2"/></w:dropDownList>',
                "",
            )
        )
        + paragraph(
            run("Day: ") + control('<w:date w:fullDate="2026-03-09T00:00:00Z"/>', run("9 March"))
        )
        + paragraph(run("Until: ") + control('<w:date w:fullDate="2026-03-10T00:00:00Z"/>', ""))
        + paragraph(run("Name: ") + field("FORMTEXT", "Kim", "<w:ffData/>")),
        {},
        "Berth: South\n\nTide: high\n\nDay: 9 March\n\nUntil: 2026-03-10\n\nName: Kim",
    ),
    "fields": (
        paragraph(field('IF "x" = "x" "yes" "no"', field("MERGEFIELD name", "Kim")))
        + paragraph(
            '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>TOC</w:instrText></w:r>'
            '<w:r><w:fldChar w:fldCharType="separate"/></w:r>' + run("Scope 3")
        )
        + paragraph(run("Terms 4") + '<w:r><w:fldChar w:fldCharType="end"/></w:r>')
        + paragraph(f'<w:fldSimple w:instr="SEQ Table">{run("7")}</w:fldSimple>' + run(" boats")),
        {},
        "Kim\n\nScope 3\n\nTerms 4\n\n7 boats",
    ),
    "fields that never begin or end": (  # mwilliamson/python-mammoth#168
        paragraph(run("One") + '<w:r><w:fldChar w:fldCharType="separate"/></w:r>' + run(" two"))
        + paragraph('<w:r><w:fldChar w:fldCharType="end"/></w:r>' + run("three"))
        + paragraph('<w:r><w:fldChar w:fldCharType="begin"/></w:r>' + run("four")),
        {},
        "One two\n\nthree\n\nfour",
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_kinds(reads_as: ReadsAs, case: tuple[str, Parts, str]) -> None:
    reads_as(*case)
