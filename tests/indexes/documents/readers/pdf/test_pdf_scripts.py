"""Lines of PDFs in scripts other than Latin: divided words, no spaces, high and low letters."""

from __future__ import annotations

from pathlib import Path

import pytest

from hopyard.indexes.documents.readers.pdf.layout import Line
from hopyard.indexes.documents.readers.pdf.line_ends import (
    LineEnds,
    compounds_in,
    lines_in_cell,
    whole_words,
)
from hopyard.indexes.documents.readers.pdf.lines import lines_of
from hopyard.indexes.documents.readers.pdf.places import Word

from ..conftest import Read

MADE_BY_LIBREOFFICE = Path(__file__).with_name("scripts.pdf")
"""A page for each text of `TEXTS`, twice, in fonts of its script (Noto, SIL Open Font License).

The words of the first, second and sixth have soft hyphens. DejaVu Sans, the font of the last, has
one sign for لا.
"""
TEXTS = (
    "Հայերենը հնդեվրոպական լեզվաընտանիքի առանձին ճյուղ հանդիսացող լեզու է և պաշտոնական լեզուն "
    "Հայաստանի Հանրապետության մեջ",
    "தமிழ் மொழி தமிழர்களினதும் தமிழ் பேசும் பலரினதும் தாய்மொழி ஆகும் உலகில் உள்ள முதன்மையான "
    "மொழிகளில் இதுவும் ஒன்று",
    "בית־הספר נמצא ליד תחנת־הרכבת של תל־אביב ומנהלת־בית־הספר גרה בכפר־סבא ועובדת בבית־חולים",
    "ภาษาไทยเป็นภาษาราชการและภาษาประจำชาติของประเทศไทยภาษาไทยเป็นภาษาในกลุ่มภาษาไทซึ่งเป็นกลุ่มย่อย"
    "ของตระกูลภาษาขร้าไท",
    "中华人民共和国位于亚洲东部太平洋西岸是世界上人口最多的国家之一，报告显示净利润为三百二十万元，"
    "比上一年增长了百分之十二，主要原因是港口吞吐量增加。",
    "हिन्दी विश्व की एक प्रमुख भाषा है और भारत की एक राजभाषा है केन्द्रीय स्तर पर भारत में सह आधिकारिक भाषा "
    "अंग्रेज़ी है",
    "الإدارة العامة للشؤون الإسلامية في دولة الإمارات العربية المتحدة تعلن أن السلام والأمان من "
    "أهم الأولويات خلال الأعوام الثلاثة القادمة لا سيما في المجال الاقتصادي",
)


def test_pages_of_seven_scripts(read: Read) -> None:
    _, text, _ = read("a.pdf", MADE_BY_LIBREOFFICE.read_bytes())
    pages = [" ".join(page.split()) for page in text.split("\f")]
    unspaced = TEXTS[3:5]
    assert pages[:7] == [("" if each in unspaced else " ").join((each, each)) for each in TEXTS]


def test_the_right_column_of_hebrew_is_the_first() -> None:
    texts = ("הנמל נבנה על שפת הנהר", "בחורף קפא הנהר לחודשים ארוכים")
    words = [
        Word(edge - 60 * place - 56, top, edge - 60 * place, top + 10, text, first=place)
        for edge, line in zip((640, 300), texts, strict=True)
        for top in range(0, 60, 12)
        for place, text in enumerate(line.split())
    ]
    assert [line.text for line in lines_of(words)] == [texts[0]] * 5 + [texts[1]] * 5


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        pytest.param("գրա֊\nկանություն", "գրականություն", id="Armenian"),
        pytest.param("დამწერ-\nლობა", "დამწერლობა", id="Georgian"),
        pytest.param("भाषा-\nविज्ञान", "भाषाविज्ञान", id="Devanagari"),
        pytest.param("தமிழ்\u00ad\nநாடு", "தமிழ்நாடு", id="Tamil"),
        pytest.param("മലയാള‌-\nമാണ്", "മലയാള‌മാണ്", id="Malayalam"),
        pytest.param("ቋን-\nቋ", "ቋንቋ", id="Ethiopic"),
        pytest.param("ᠮᠣᠩ᠆\nᠭᠣᠯ", "ᠮᠣᠩᠭᠣᠯ", id="Mongolian"),
        pytest.param("ᠮᠣᠩ\n᠆ᠭᠣᠯ", "ᠮᠣᠩᠭᠣᠯ", id="Todo"),
        pytest.param("ᐃᓄᒃ᐀\nᑎᑐᑦ", "ᐃᓄᒃᑎᑐᑦ", id="Canadian syllabics"),
        pytest.param("ⲧⲙⲛⲧ-\nⲣⲙⲛ", "ⲧⲙⲛⲧⲣⲙⲛ", id="Coptic"),
        pytest.param("ᏣᎳᎩ-\nᎦᏬᏂ", "ᏣᎳᎩᎦᏬᏂ", id="Cherokee"),
        pytest.param("ᏣᎳ-\nᎦᏬᏂ ꭰ", "ᏣᎳᎦᏬᏂ ꭰ", id="Cherokee with small letters"),
        pytest.param("THE CORPO-\nRATION", "THE CORPORATION", id="capitals"),
        pytest.param("of SARS-\nCoV", "of SARS-\nCoV", id="a name"),
        pytest.param("בית־\nספר", "בית־ספר", id="Hebrew"),
        pytest.param("תל-\nאביב", "תל-אביב", id="Hebrew in ASCII"),
        pytest.param("علمی-\nتخیلی", "علمی-تخیلی", id="Persian"),
        pytest.param("مستشـ\nفيات", "مستشفيات", id="Arabic"),
        pytest.param("سنة 1445 هـ\nالموافق", "سنة 1445 هـ\nالموافق", id="an abbreviation"),
        pytest.param("biało-\n-czerwony", "biało-czerwony", id="Polish compound"),
        pytest.param("1914-\n1918", "1914-\n1918", id="years"),
    ],
)
def test_a_divided_word_is_whole(lines: str, text: str) -> None:
    assert whole_words(lines) == text


def test_a_compound_in_any_script_keeps_its_hyphen() -> None:
    compounds = frozenset(compounds_in("यह समाज-विज्ञान है"))
    assert whole_words("वह समाज-\nविज्ञान है", compounds) == "वह समाज-विज्ञान है"


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        ([("港口的吞吐量比上一年增长了", 180), ("十二。", 50)], "港口的吞吐量比上一年增长了十二。"),
        ([("本章介绍港口", 75), ("吞吐量", 40)], "本章介绍港口\n吞吐量"),  # two lines of a list
        ([("港口的吞吐量增长了ISO", 180), ("九千", 25)], "港口的吞吐量增长了ISO\n九千"),
        ([("한국어는 대한민국의 공용어이며 한반", 180), ("도와", 25)],
         "한국어는 대한민국의 공용어이며 한반\n도와"),
        ([("ພາສາລາວແມ່ນພາສາທາງການຂອງ", 140), ("ສາທາລະນະ", 60)], "ພາສາລາວແມ່ນພາສາທາງການຂອງສາທາລະນະ"),
    ],
)  # fmt: skip
def test_a_full_line_without_spaces_goes_on(lines: list[tuple[str, int]], text: str) -> None:
    page = [Line(said, words=(Word(60, 0, 60 + width, 10, said),)) for said, width in lines]
    edge = Line("x", words=(Word(60, 0, 245, 10, "。"),))
    ends = LineEnds.of([line.words for line in (*page, edge)], frozenset())
    assert ends.text_of([(line.text, line.words) for line in page]) == text


def test_a_cell_without_spaces_is_read_as_one() -> None:
    def cell(*texts: str) -> str:
        lines = [(text, [Word(0, 0, 10 * len(text), 10, text)]) for text in texts]
        return lines_in_cell(lines, 60)

    assert cell("营业收", "入") == "营业收\n入"
    assert cell("年度营业收", "入") == "年度营业收入"
    assert cell("张三", "李四") == "张三\n李四"


def test_lines_that_are_all_far_apart_are_one_paragraph(read: Read) -> None:
    pytest.importorskip("reportlab")
    from .pdfs import drawn

    rows = [
        "The pump station of the upper harbour was built in the",
        "year of the great flood, and it has been in use for a",
        "hundred years.",
        "The crane beside it was built much later, when the rail-",
        "way came to the town and the",
    ]

    def draw(canvas: object) -> None:
        for row, line in enumerate(rows):
            canvas.drawString(60, 780 - 26 * row, line)  # type: ignore[attr-defined]

    _, text, _ = read("a.pdf", drawn(draw))
    assert text.split("\n\n")[:2] == [
        "\n".join(rows[:3]),
        f"{rows[3].removesuffix('-')}{rows[4]}",
    ]
