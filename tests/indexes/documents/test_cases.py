"""The collected cases, each file with words that its reader must give, in this order."""

from __future__ import annotations

import json
import re
import unicodedata
from pathlib import Path

import pytest

from hopyard.indexes.documents.loaders import load
from hopyard.indexes.kinds.sparse.bm25 import SparseIndex

CASES = Path(__file__).parents[4] / "shared" / "cases" / "documents"
RIGHT = """
01/address.xml: office: Quay Street 7 Bergen Telephone 555 0142
01/article_jats.xml: p: Mortality fell by 12 % in the treated group (Table 1) and
01/letter_tei.xml: Agnes, the ship leaves on the ninth and I shall bring the clock.
01/manual.xml: never be opened above 35 bar. ¦ F4 and hold Shift for nine seconds.
01/order.xml: order (id 77) ¦ item: Rope ¦ note: Deliver to gate 5
01/strings_android.xml: Hold POWER for ten seconds to switch off.
02/by_key_control.json: E-1 › name: Ada ¦ E-2 › name: Ben ¦ E-2 › city: Graz
02/chat.json: # mia ¦ box 4 ¦ users: leo ¦ # leo ¦ user: leo ¦ text: The alarm
02/lights.geojson.json: name: North light ¦ 5.1, 60.2 ¦ South light ¦ 5.3, 59.9
02/numbers.json: 1.10 ¦ 12.50 ¦ 12345678901234567890 ¦ 0.000000123 ¦ a: 1 ¦ : 2
02/orders.json: customer: Alder ¦ | hook | 1 | ¦ ## A-2 ¦ customer: Birch ¦ | buoy | 9 |
02/staff.json: # Ada ¦ skills: welding, radio ¦ # Ben ¦ city: Graz ¦ baking ¦ # C
04/control_footer.pdf: rope of berth A ¦ bollard of berth D
04/course.pdf: # Week 1 ¦ # Week 2 ¦ # Week 3 ¦ # Week 4
04/invoices.pdf: No. 1001 ¦ 01.03.2024 ¦ 880 ¦ Net: 1,240.50 ¦ due: 1,476.20 ¦ 1004
04/labels.pdf: Box 1 ¦ Weight: 14 kg ¦ Box 4 ¦ Contents: 900 bolts M8
04/statement.pdf: sheet 1 ¦ Opening balance: 537.10 ¦ 0.11 EUR ¦ 641.45 ¦ sheet 5
06/ledger.xlsx: 123,456,789.12 ¦ 7.50% ¦ 01234 ¦ AX-0042 ¦ $1,234.50 ¦ 25:30 ¦ 1.0000000001
06/merged.xlsx: | North | Bolt | 10 | | North | Nut | 20 | ¦ | South | Nut | 40 |
07/fees.docx: | A | Weekday | 10 | 5 | | A | Weekend | 14 | 7 | ¦ | B | Weekend | 24 | 11 |
07/fees.eml: | A | Weekday | 10 | 5 | | A | Weekend | 14 | 7 | ¦ | B | Weekend | 24 | 11 |
07/fees.html: | A | Weekday | 10 | 5 | | A | Weekend | 14 | 7 | ¦ | B | Weekend | 24 | 11 |
07/fees_control.pptx: | A | Weekend | 14 | 7 | ¦ | B | Weekend | 24 | 11 |
07/middle.html: | Mon | Ash | 1 | | Tue | Ash | 2 | | Wed | Birk | 3 |
07/two_level_header.html: | Plant | 2022 MWh | 2022 Cost | 2023 MWh | 2023 Cost |
08/apple_alternative_mixed.eml: The list is enclosed. ¦ list.csv ¦ | ZQ-1 | 5.20 |
08/csv_attachment_without_suffix.eml: export.csv ¦ | ZQ-9 | 7.10 |
08/forward_base64.eml: See below. ¦ Leak report ¦ 2024-03-04 ¦ m.eml ¦ shaft 9.
08/forward_control.eml: See below. ¦ Leak report ¦ Leak report.eml ¦ shaft 9.
08/forward_named_without_suffix.eml: See below. ¦ Leak report.eml ¦ shaft 9.
08/html_after_plain.eml: See the table below. ¦ | Rope | 643 m |
08/inline_text_after_picture.eml: First half ¦ Second half: ¦ 642 ¦ .png files are not read
08/invitation.eml: You are invited. ¦ Begin: 2024-04-12 13:00 UTC ¦ Place: Harbour room 3
08/list_footer.eml: Minutes are attached. ¦ To leave the club ¦ minutes.txt ¦ 31 euros.
08/signed.eml: Signed body. ¦ terms.txt ¦ Payment within 30 days.
10/letterhead.pdf: account 55-1190-X, ¦ The pump station ¦ demand of the district
10/plain_control.pdf: Licence number LX-40921 of the ferry. ¦ The pump station
10/scan_for_ocr.pdf: scanned, without text; --ocr eng reads English text
10/scan_made_readable_by_ocrmypdf.pdf: permit number 5519 ¦ north pier. ¦ gate seven.
10/two_up.pdf: Slide 1: crane C-1 ¦ lowest. ¦ Slide 2: crane C-2 ¦ lowest.
10/whole_page.pdf: Licence number LX-40921 of the ferry. ¦ The pump station
11/lease.pdf: tenant: Marta Quill ¦ rent: 1,485 EUR ¦ allowed: [x] ¦ Term: 24 months
11/owner_password_control.pdf: Licence number LX-40921 of the ferry.
11/typed_on_the_page.pdf: guest: Nils Ask ¦ Arrival: 14 June 2024 ¦ deposit of 300 EUR
11/user_password_control.pdf: it is protected by a password; save a copy without one
11/with_embedded_file.pdf: Name of the guest: ¦ prices.csv ¦ | ZQ-5 | 8.10 |
13/customers.csv: | Müller 0 | Köln | ¦ | Jäger | Düren | ¦ no UTF-8
13/cut_in_a_letter.txt: Zeile 0: Müller und Söhne grüßen ¦ Ende: Grö� ¦ no UTF-8
13/late_bad_byte.log: Zeile 0: Müller ¦ Zeile 1500: Müller ¦ no UTF-8
13/log.txt: Zeile 0: Müller ¦ König zahlt 30 Euro. Zeile 0: Müller ¦ no UTF-8
13/page.html: # Köln ¦ Grüße aus Köln von Müller. ¦ no UTF-8
13/russian.md: # Договор ¦ Срок поставки девять дней. ¦ Note: café. ¦ no UTF-8
13/valid_control.txt: Zeile 0: Müller und Söhne grüßen aus Köln, Straße 0.
16/admission.docx: ☒ Allergic to penicillin ☐ ¦ ☒ Smoker ☐ Diabetic Ward B ¦ 🗹 Paid
16/tasks.html: - [x] Order ropes - [ ] Paint the pier
17/contract.docx: # 2 Del ¦ ## 2.2 Pen ¦ ### 2.2.1 Late ¦ a) repair ¦ b) a ¦ c) money
18/arabic_forms.pdf: 4471 العقد
18/hebrew.pdf: מספר החוזה הוא 4471 והמחיר נקבע בנפרד
18/hebrew_control.docx: מספר החוזה הוא 4471 והמחיר נקבע בנפרד
19/mixed.pdf: The pump station was built ¦ lowest. ¦ C-9 480 kg ¦ Crane C-10 520 kg
19/page_rotate_control.pdf: The quota of vessel V-3 is 92 tonnes Second line
19/turned_left.pdf: Table 7: allowed load of crane C-9 is 480 kg Second line ¦ Third
19/turned_right.pdf: Table 7: allowed load of crane C-9 is 480 kg Second line ¦ Third
19/upside_down.pdf: Table 7: allowed load of crane C-9 is 480 kg Second line ¦ Third
21/chinese.zip: 合同.txt
21/french.zip: Résumé été.txt
21/german.zip: Prüfung.txt
21/german2.zip: Übersicht Größe.txt
21/japanese.zip: 見積書.txt
21/korean_control.zip: 견적서.txt
21/russian.zip: Договор.txt
21/same_name_twice.zip: Old note: 1 kg. ¦ New note: 2 kg.
23/colon.md: Release: 2.0 ¦ 2024-05-01 ¦ Ann Ash ¦ # Intro
23/control.md: Release: 2.0 ¦ 2024-05-08 ¦ Berth 13
23/mention.md: @ann ¦ 2024-05-04 ¦ Berth 9
23/octal.md: Octal ¦ '01234' ¦ '1.10' ¦ 2024-05-07 ¦ Berth 12
23/reply.md: Re: berth 7 ¦ Ben ¦ 2024-05-02 ¦ Berth 7
23/tab.md: harbour ¦ 2024-05-05 ¦ Berth 10
23/template.md: {{title}} ¦ 2024-05-03 ¦ Berth 8
23/toml.md: Toml title ¦ 2024-05-06 ¦ Berth 11
25/lab.docx: K-4471 ¦ 31 May 2027 ¦ clause 88 ¦ room 12 ¦ code 5512 ¦ is E=3.7 kJ per
26/cells.docx: 5 × 10^6 cells; the leak rate was 10^-3 Pa. The fee is 50^1 euros.
26/cells.html: 5 × 10^6 cells; the leak rate was 10^-3 Pa. The fee is 50^1 euros.
26/cells.pdf: 5 x 10^6 cells; the leak rate was 10^-3 Pa. The fee is 50^1 euros.
26/cells.pptx: 5 × 10^6 cells
26/cells.rtf: 5 x 10^6 cells.
26/unicode_control.txt: 5 × 10⁶ cells.
28/chinese.xml: item: 北京天气预报
28/doctype_control.xml: item: Sold in May.
28/entity.xml: item: Sold by Harbour Ltd in May.
28/japanese.xml: item: 東京都の天気予報
28/korean.xml: item: 서울 날씨 예보
28/latin_control.xml: item: Wetter für Köln
28/russian_control.xml: item: прогноз погоды
28/taiwan.xml: item: 台北天氣預報
28/utf16_control.xml: item: Wetter für Köln
30/german_date.md: 05.03.2024 ¦ A note of March.
30/iso_control.md: 2024-03-05 ¦ A note of March.
30/long_date.html: March 5, 2024 ¦ A page of March.
30/night.eml: 2024-03-05T00:30:00+01:00 ¦ The night mail.
30/rfc_date.html: Tue, 05 Mar 2024 10:00:00 GMT ¦ A page of March.
30/slash_date.html: 2024/03/05 ¦ A page of March.
30/soft_hyphen.html: Die Donaudampfschifffahrt beginnt im Mai.
30/Übersicht März.txt: Übersicht März ¦ Übersicht März.txt ¦ Overview of March.
32/chinese_big5.txt: 會議在三樓舉行，請準時參加。
32/english.txt: naïve ¦ £45 ¦ résumé – really ¦ 30 €.
32/french.txt: coûté ¦ très apprécié. Où accostent ¦ À côté ¦ La clé
32/french_table.csv: | Nîmes | très chaud | | Orléans | déjà livrée à l'été | | Béziers |
32/german_control.txt: Müllabfuhr fährt überall ¦ Größe
32/hebrew_1255.txt: הישיבה בקומה השלישית מתחילה בשעה תשע.
32/hungarian_1250.txt: szerződés ¦ előre fizeti. ¦ hőség nő.
32/italian.txt: La città è più bella ¦ Il caffè è già pronto, però il tè no.
32/italian_12_sentences.txt: città è molto ¦ Perché ¦ né il ¦ Lunedì ¦ Può ¦ L'università
32/portuguese.txt: reunião será amanhã às nove ¦ salão. O preço não inclui instalação
32/portuguese_12_sentences.txt: A estação está fechada ¦ direção. ¦ avô da Inês ¦ Você já
32/spanish_control.txt: reunión será mañana ¦ salón pequeño. El señor Núñez llegó
"""
WORDS = dict(line.split(": ", 1) for line in RIGHT.strip().splitlines())
pytestmark = pytest.mark.skipif(not CASES.exists(), reason="the folder ../shared is not there")


def files() -> dict[str, Path]:
    found = [
        path for path in CASES.glob("*/input/*") if path.parents[1].name[:2] not in ("03", "14")
    ]
    return {
        unicodedata.normalize("NFC", f"{path.parents[1].name[:2]}/{path.name}"): path
        for path in found
    }


def test_each_file_is_a_case() -> None:
    assert files().keys() == WORDS.keys()


@pytest.mark.parametrize("case", sorted({name[:2] for name in WORDS}))
def test_each_file_gives_the_right_words(case: str) -> None:
    for name, path in files().items():
        if not name.startswith(case):
            continue
        report = load([path])
        parts = [
            f"{each.title} {each.metadata} {each.source} {each.text}" for each in report.documents
        ]
        rest = " ".join(
            " ".join((*parts, *map(str, report.bad), *map(str, report.skipped))).split()
        )
        assert not report.incomplete, name
        for words in WORDS[name].split(" ¦ "):
            before, found, rest = rest.partition(words)
            assert found, f"{name}: {words!r} is not in {before!r}"


def test_two_folders_of_one_name_lose_no_file() -> None:
    inputs = CASES / "14-same-folder-name" / "input"
    report = load([inputs / "projA" / "docs", inputs / "projB" / "docs"])
    assert [each.source for each in report.documents] == [
        f"{name}.md" for name in ("projA/docs/README", "projB/docs/README", "projB/docs/extra")
    ]
    report = load([inputs / "x" / "2024" / "report.txt", inputs / "y" / "2024" / "report.txt"])
    assert [each.source for each in report.documents] == ["x/2024/report.txt", "y/2024/report.txt"]


@pytest.mark.parametrize(
    ("name", "form", "question"),
    [
        ("clauses", r"(\d\.\d\.\d) ", "What does clause {} require?"),
        ("hosts", r"Host (\S+) ", "Which service runs on {}?"),
        ("log", r"Log of (\S+):", "Where did the gauge stand on {}?"),
        ("appendices", r"Appendix (\w) ", "What does Appendix {} concern?"),
        ("parts", r"Part (\S+) ", "{}"),
    ],
)
def test_the_passage_with_the_identifier_is_first(name: str, form: str, question: str) -> None:
    lines = (CASES / "03-search-identifiers" / "input" / f"{name}.jsonl").read_text().splitlines()
    texts = [json.loads(line)["text"] for line in lines]
    index = SparseIndex.build(texts, [(text,) for text in texts])
    for text in texts:
        found = re.match(form, text)
        assert found
        assert index.search(question.format(found[1]), 1)[0][0] == text
