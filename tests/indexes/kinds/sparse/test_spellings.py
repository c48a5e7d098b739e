"""Words that people write in several ways.

Some are from reports of other search engines: Smithereen 140 (ё), integreat-app 3108 and
normalize-diacritics 137 (ß), sourcelibrary 1680 (Böhme), hypothesis 729 and Meilisearch's
documentation 2092 (accents).
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from hopyard.indexes.kinds.sparse.bm25 import SparseIndex
from hopyard.indexes.kinds.sparse.words import Words


@pytest.mark.parametrize(
    ("question", "wanted", "other", "language"),
    [
        ("email", "Send an e-mail.", "Send a letter.", "en"),
        ("html response", "parseHTMLResponse", "parseXMLRequest", "en"),
        ("order", "get_order_by_name", "save_user_by_id", "en"),
        ("2400000", "The envelope is $2,400,000.", "The envelope is $1,400,000.", "en"),
        ("$2,400,000", "The envelope is 2400000.", "The envelope is 1400000.", "en"),
        ("cafe zurich", "Café Zürich", "Café Genf", "en"),
        ("Fussgaenger", "die Fußgänger", "die Straße", "de"),
        ("istanbul", "İSTANBUL ŞEHRİ", "ANKARA", "tr"),
        ("Antrag Mueller", "der Antrag von Müller", "der Antrag von Meier", "de"),
        ("धारा 12", "धारा १२ के अनुसार", "धारा १३ के अनुसार", "hi"),
        ("10.3.0.0", "the net 10.3.0.0/24", "the net 10.3.1.0/24", "en"),
        ("M6 x 30", "a screw M6×30", "a screw M6×40", "en"),
        ("on 5 March 2021", "signed 2021-03-05", "signed 2021-05-03", "en"),
        ("Straße", "in der Strasse", "in der Gasse", "en"),
        ("Fussgänger", "der Fußgänger", "der Fahrer", "en"),
        ("café Muller", "cafe Müller", "cafe Meier", "en"),
        ("елка", "Ёлка в лесу", "Сосна в лесу", "en"),
        ("Лёня", "Леня дома", "Коля дома", "uk"),
        ("ışık", "IŞIK", "ISI", "en"),
        ("Lodz", "Łódź", "Kraków", "en"),
        ("कानून", "क़ानून", "किताब", "hi"),
        ("AT&T", "a contract with AT&T", "a contract at T", "en"),
        ("r&d", "R & D of 2023", "R of 2023", "en"),
        ("10^6 cells", "10⁶ cells", "106 cells", "en"),
        ("Who writes C#?", "They write C#.", "They write C++.", "en"),
        ("A-", "given an A- for it", "given an A+ for it", "en"),
        (".NET", "it runs on .NET", "it runs on the net", "en"),
        ("+49301234", "phone +49 30 1234", "phone +49 30 1235", "en"),
    ],
)
def test_another_spelling_finds_the_passage(
    question: str, wanted: str, other: str, language: str
) -> None:
    index = SparseIndex.build(["other", "wanted"], [(other,), (wanted,)], Words(language))
    found = index.search(question, 2)
    assert found[0][0] == "wanted"
    assert len(found) == 1 or found[0][1] > found[1][1]


def test_the_spelling_that_was_asked_for_comes_first() -> None:
    texts = [("le marche de Paris",), ("le marché de Paris",)]
    index = SparseIndex.build(["marche", "marché"], texts, Words("en"))
    assert [found for found, _ in index.search("marché", 2)] == ["marché", "marche"]


def test_names_of_files_are_not_cut() -> None:
    assert Words().held(["NIKE_2021_10K"]) == Words().terms(["NIKE_2021_10K"])


def test_a_mark_elsewhere_in_the_batch_changes_no_word() -> None:
    words = Words("tr")
    alone = words.held(["İstanbul é"])
    assert words.held(["İstanbul é", "धारा १२"])[:1] == alone


def test_capitals_with_two_marks_are_the_same_word() -> None:
    words = Words("el")
    assert words.held(["ΜΑΪ\u0301ΟΥ"]) == words.held(["Μαΐου"]) == words.held(["Μαι\u0308\u0301ου"])


def test_a_field_that_many_passages_share_is_cut_into_words_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given, texts = Words.held, list[str]()

    def held(self: Words, some: Sequence[str]) -> list[list[str]]:
        texts.extend(some)
        return given(self, some)

    monkeypatch.setattr(Words, "held", held)
    fields = [(f"Clause {number} of the lease", "The harbour lease") for number in range(50)]
    SparseIndex.build([f"{number:03d}" for number in range(50)], fields)
    assert sorted(texts) == sorted({text for each in fields for text in each})
