"""The contents of the documents of the invented Dasan Tea Cooperative. `make.py` writes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

Rows = Sequence[tuple[str, ...]]


class Section(NamedTuple):
    """A heading, the paragraphs under it, and the table after them."""

    heading: str
    paragraphs: list[str]
    table: Rows = ()
    level: int = 1


HANDBOOK: Final = [
    Section(
        "Working hours",
        [
            "Everybody works 36 hours a week. The core hours, when all three offices can be "
            "reached, are from 10:00 to 15:00 local time.",
            "Whoever works on a Sunday takes the next Tuesday off.",
        ],
    ),
    Section(
        "Contacts",
        ["Write to the office nearest to you. Each office has one person for emergencies:"],
        [
            ("Office", "Person", "Phone"),
            ("Boseong", "Han Ji-woo", "+82 61 555 0142"),
            ("Bremen", "Jonas Brandt", "+49 421 555 0177"),
            ("Bristol", "Ruth Pell", "+44 117 555 0121"),
        ],
    ),
    Section("Travel", ["Travel is booked by the office manager."]),
    Section("Rail", ["Trains are booked in second class. Night trains count as hotels."], level=2),
    Section(
        "Flights",
        ["A flight needs the board's approval if a train takes less than nine hours."],
        level=2,
    ),
]

REPORT_HEADER: Final = "Teegenossenschaft Dasan eG · Jahresbericht 2024"
REPORT: Final = [
    Section(
        "Vorwort",
        [
            "Das Jahr 2024 war das fünfzehnte der Genossenschaft. Wir zählen jetzt 212 Mitglieder "
            "in drei Ländern, 19 mehr als im Vorjahr.",
            "Der Vorstand dankt Jonas Brandt, der das Bremer Büro seit zehn Jahren führt.",
        ],
    ),
    Section(
        "Ernte",
        [
            "Der Frühling in Boseong war kühl. Die erste Pflückung begann am 21. April, zwölf Tage "
            "später als im Vorjahr, und brachte 3.840 Kilogramm grünen Tee.",
            "Die zweite Pflückung fiel wegen des Regens im Juni aus. Die Mitglieder erhielten "
            "dafür einen Ausgleich von 40 Euro je Ar.",
        ],
    ),
    Section(
        "Lager",
        [
            "Das Lager in Bremen wurde um eine Kühlkammer mit 85 Quadratmetern erweitert. Sie "
            "hält den Tee bei vier Grad.",
            "Der Umzug aus der alten Halle dauerte neun Tage. Kein Sack ging verloren.",
        ],
    ),
    Section(
        "Umsatz",
        ["Die folgende Tabelle zeigt den Umsatz der Büros in Tausend Euro."],
        [
            ("Büro", "2023", "2024"),
            ("Boseong", "610", "655"),
            ("Bremen", "488", "530"),
            ("Bristol", "301", "287"),
        ],
    ),
    Section(
        "Ausblick",
        ["Im Herbst 2025 eröffnet die Genossenschaft einen Probierraum in Hamburg-Ottensen."],
    ),
]

TEAS: Final[Rows] = [
    ("SKU", "Tea", "Origin", "Stock (kg)"),
    *(
        (f"T-{number:03d}", f"{kind} {grade}", origin, str(20 + number * 7 % 90))
        for number, (kind, grade, origin) in enumerate(
            (
                (kind, grade, origin)
                for origin in ("Boseong", "Hadong", "Jeju", "Uji", "Darjeeling")
                for kind in ("Sejak", "Jungjak", "Daejak", "Hwangcha")
                for grade in ("A", "B", "C")
            ),
            start=1,
        )
    ),
]
SUPPLIERS: Final[Rows] = [
    ("Supplier", "Town", "Since"),
    ("Mirae Farm", "Boseong", "2009"),
    ("Halla Gardens", "Jeju", "2014"),
    ("Kettle & Sons", "Bath", "2017"),
]
PRICES: Final[Rows] = [
    ("Artikel", "Größe", "Preis (€)"),
    ("Sejak", "50 g", "14,90"),
    ("Jungjak", "100 g", "17,50"),
    ("Gerstentee", "500 g", "8,20"),
    ("Teeschale „Möwe“", "Stück", "23,00"),
]
SHIFTS: Final[Rows] = [
    ("이름", "요일", "창고"),
    ("한지우", "월요일", "보성 1창고"),
    ("서하린", "수요일", "보성 2창고"),
    ("문태오", "금요일", "벌교 창고"),
]

SLIDES: Final = [
    Section("Roadmap 2026", ["Dasan Tea Cooperative, board meeting of 14 November 2025"]),
    Section(
        "Bremen warehouse",
        ["Solar roof with 96 panels by May 2026", "Second loading dock by September 2026"],
    ),
    Section(
        "Budget",
        [],
        [("Item", "Euro"), ("Solar roof", "61,000"), ("Loading dock", "34,500")],
    ),
]
NOTES: Final = "The bank in Bremen lends half of the sum for the solar roof at 3.1 percent."

ABOUT_TITLE: Final = "다산차 협동조합 소개"
ABOUT: Final = [
    Section(
        "연혁",
        [
            "다산차 협동조합은 2009년 전라남도 보성에서 열일곱 농가가 모여 세웠습니다. "
            "조합원은 해마다 봄 총회에서 대표를 뽑으며, 첫 대표는 오경란이었습니다.",
            "2014년에는 독일 브레멘에, 2017년에는 영국 브리스틀에 사무소를 열었습니다. 두 사무소는 "
            "유럽의 찻집과 가게에 차를 보냅니다.",
        ],
    ),
    Section(
        "찾아오시는 길",
        [
            "보성역에서 12번 버스를 타고 차밭 입구 정류장에서 내리면 걸어서 4분 거리에 있습니다. "
            "견학은 매주 목요일 오후 두 시에 시작하며 미리 전화로 신청해야 합니다.",
        ],
    ),
]

HISTORY: Final = [
    Section(
        "The first harvest",
        [
            "In the spring of 2009 the seventeen farms had one roasting pan between them. It came "
            "from a closed school kitchen in Suncheon, and it is still in use.",
        ],
    ),
    Section(
        "Crossing the sea",
        [
            "The first sacks left the port of Gwangyang on the freighter Marten in October 2011. "
            "They reached Bremerhaven after 38 days.",
        ],
    ),
]

MINUTES: Final = [
    Section("TOP 1: Begrüßung", ["Ruth Pell eröffnet die Sitzung um 9:30 Uhr."]),
    Section(
        "TOP 2: Neue Sorten",
        ["Der Vorstand nimmt zwei Sorten ins Programm:"],
        [("Sorte", "Menge"), ("Maulbeerblatt", "120 kg"), ("Kamille aus Franken", "75 kg")],
    ),
    Section("TOP 3: Verschiedenes", ["Die nächste Sitzung ist am 6. März 2026 in Bristol."]),
]

CONTRACT: Final = [
    Section("§ 1 Mietsache", ["Vermietet wird die Halle 4 am Holzhafen mit 640 Quadratmetern."]),
    Section(
        "§ 2 Kündigung", ["Der Vertrag kann mit einer Frist von fünf Monaten gekündigt werden."]
    ),
]

COMPLAINT: Final = (
    "Guten Tag,\n\nin der Lieferung vom 3. Juni fehlten zwei Kartons Gerstentee. Der "
    "Lieferschein liegt bei.\n\nFreundliche Grüße\nMarlene Voß, Teehaus Lindenhof\n"
)
DELIVERY_NOTE: Final = [
    Section("Lieferschein 2025-0613", ["Geliefert: 14 Kartons Gerstentee. Fahrer: Emre Aydin."])
]

BREWING: Final = """---
title: 차 우리는 법
author: 서하린
date: 2025-03-20
topic: brewing
tags: [green tea, barley tea]
---
# 녹차

세작은 70도의 물에 2분 동안 우립니다. 물이 더 뜨거우면 쓴맛이 납니다.

# 보리차

보리차는 끓는 물에 10분 동안 끓입니다.

| 차 | 온도 | 시간 |
|---|---|---|
| 세작 | 70도 | 2분 |
| 황차 | 90도 | 3분 |
"""
NOTE: Final = (
    "Notiz für die Spätschicht: Der Schlüssel für das Kühlhaus hängt hinter der grünen Tür. "
    "Wer zuletzt geht, schließt das Tor und gießt die Teepflänzchen.\n"
)
NOTICE: Final = (
    "공지: 10월 9일 한글날에는 보성 사무소가 문을 닫습니다. 급한 일은 오경란에게 전화하세요.\n"
)
CODE: Final = '''"""When a tea is ordered again."""

REORDER_AT_KG = 25


def must_reorder(stock_kg: float, sold_per_week_kg: float) -> bool:
    """A tea is ordered again when less than three weeks of sales are left."""
    return stock_kg < max(REORDER_AT_KG, 3 * sold_per_week_kg)
'''
CERTIFICATES: Final = {
    "certificates": [
        {"name": "Organic farming", "number": "KR-ORG-4471", "valid_until": "2027-08-31"},
        {"name": "Fair trade", "number": "FT-90213", "valid_until": "2026-12-15"},
    ]
}
DELIVERIES: Final = [
    {
        "id": "delivery-77",
        "title": "Delivery 77",
        "text": "Delivery 77 brought 30 sacks of Hwangcha to the Blue Heron café in Cardiff.",
        "metadata": {"date": "2025-09-02", "driver": "Owen Pryce"},
    },
    {
        "id": "delivery-78",
        "title": "Delivery 78",
        "text": "Delivery 78 to Leeds was cancelled because of a strike.",
        "metadata": {"date": "2025-09-04", "driver": "Owen Pryce"},
    },
]
CATALOGUE: Final = """<?xml version="1.0" encoding="UTF-8"?>
<catalogue>
  <cup sku="C-11"><name>Möwe</name><potter>Ilse Tamm</potter><volume unit="ml">180</volume></cup>
  <cup sku="C-12"><name>Ebbe</name><potter>Park Do-yun</potter><volume unit="ml">240</volume></cup>
</catalogue>
"""
TASTING: Final = [
    "# Tasting scores\n",
    "Seven members tasted three teas blind in May 2025. The scores go from 0 to 20.\n",
    'scores = {"Sejak": 17.5, "Hwangcha": 14.0, "Kamille": 11.5}\n'
    "print(max(scores, key=scores.get))\n",
    "Sejak\n",
    "## Doubts\n",
    "The third cup had stood for too long, so Hwangcha is tasted again in autumn.\n",
]
RECIPE: Final = (
    "# Tea biscuits\n\nRoll the dough with 15 grams of powdered Daejak and bake it at 165 °C.\n"
)
VISITORS: Final[Rows] = [("Month", "Visitors"), ("May", "412"), ("June", "389")]
LETTER: Final = (
    "Dear Ruth,\n\nthe kiln in Bath broke on Monday. The 60 bowls of your order will be ready on "
    "9 January.\n\nIlse Tamm\n"
)
SCANNED: Final = "The spare key of hall 4 is with the harbour master."
