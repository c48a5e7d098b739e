"""Names of an index's documents in a question."""

from __future__ import annotations

from pathlib import Path

import pytest
from building import build

from hopyard.indexes.corpus.records import Document
from hopyard.indexes.index import Index
from hopyard.indexes.named import is_telling, name_in, stands_in
from hopyard.models.embeddings import embedder

DOCUMENTS = [
    Document("tariff", "Harbour Tariff 2031", "A mooring costs forty crowns a week."),
    Document("rules", "Hafenordnung Nord", "Im Hafen gilt Schritttempo für alle Fahrzeuge."),
    Document("ko", "항구 규칙", "항구에서는 천천히 운전해야 합니다."),
    Document("zh", "海港合同条款", "船舶停泊费用按周计算。"),
    Document("bill", "Rechnung", "Zwei Taue und ein Anker, zusammen 90 Kronen."),
    Document("film", "The Grey Pier (film)", "A ferryman waits for his brother."),
    Document("job", "Repair contract: fishing boat Ellen Marit", "Eleven planks are new."),
    Document("log", "Incident INC-417 of the 10th week", "The crane stood still for two hours."),
    Document(
        "press", "", "The ferry is late again.", {"source": "Sund Courier", "author": "Ida Ro"}
    ),
    Document("file", "minutes", "The new crane is paid for.", source="office/minutes-0412.txt"),
    Document("notes", "Notes", "Bring a long rope."),
]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    directory = tmp_path_factory.mktemp("named") / "index"
    kinds = ("dense", "sparse", "entity-graph")
    build(DOCUMENTS, directory=directory, embedder=embedder("builtin"), kinds=kinds)
    return Index.open(directory)


def found(question: str, index: Index) -> str:
    return name_in(question, embedder("builtin").embed_query(question), index)


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("What does the Harbour Tariff 2031 say about dogs?", "Harbour Tariff 2031"),
        ("Was steht in der Hafenordnung Nord über Hunde?", "Hafenordnung Nord"),
        ("항구 규칙은 개에 대해 뭐라고 하나요?", "항구 규칙"),
        ("请问海港合同条款里有没有关于狗的规定？", "海港合同条款"),
        ("Who composed the music of The Grey Pier?", "The Grey Pier"),
        ("Who was paid because of INC-417?", "INC-417"),
        ("Did the Sund Courier ever print a recipe?", "Sund Courier"),
        ("What else has Ida Ro written?", "Ida Ro"),
        ("Open minutes-0412.txt", "minutes-0412.txt"),
        ("What colour is Ellen Marit's hull?", "Ellen Marit"),  # an entity of the graph
    ],
)
def test_a_question_that_names_a_document(index: Index, question: str, name: str) -> None:
    assert found(question, index) == name


@pytest.mark.parametrize(
    "question",
    [
        "Schreib mir eine Rechnung für zwei Stunden Arbeit.",  # an ordinary word
        "Notes on a good talk: how do I take them?",
        "what is a harbour tariff in general",  # not as it is written
        "How are you? It is 2031 in my dream.",
        "写一首关于海港的诗",
        "인사말을 써 주세요",
        "Write a haiku about a pier.",
        "Is Ida a nice name?",
        "What happened in the 10th century?",
        "",
    ],
)
def test_a_question_that_names_none(index: Index, question: str) -> None:
    assert not name_in(question, None, index)
    assert not question or not found(question, index)


@pytest.mark.parametrize(
    "name",
    [
        *(
            "Harbour Tariff",
            "The Grey Pier",
            "TechPress",
            "INC-417",
            "Apollo 9",
            "B14-2",
            "항구 규칙",
        ),
        *("海港合同条款", "قواعد الميناء", "minutes of the spring meeting"),
    ],
)
def test_telling_names(name: str) -> None:
    assert is_telling(name)


@pytest.mark.parametrize(
    "name",
    [
        *("", "Notes", "Rechnung", "2031", "FAQ", "Who Was It", "meeting notes", "Good morning"),
        *("合同", "규칙", "The", "…"),
    ],
)
def test_ordinary_words_are_not_telling(name: str) -> None:
    assert not is_telling(name)


def test_a_name_ends_where_a_word_ends() -> None:
    assert stands_in("Is the Grey Pier's roof new?", "Grey Pier")
    assert not stands_in("Is the Grey Pierside open?", "Grey Pier")
    assert stands_in("Is it the Grey Pierside or the Grey Pier?", "Grey Pier")
    assert not stands_in("Is the Bluegrey Pier open?", "grey Pier")
    assert stands_in("'Ida's Boat' is old", "Ida’s Boat")
    assert not stands_in("anything", "")


def test_without_a_dense_part_the_words_find_it(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    build(DOCUMENTS[:1], directory=folder, embedder=embedder("builtin"), kinds=("sparse",))
    with Index.open(folder) as index:
        assert name_in("Where is the Harbour Tariff 2031?", None, index) == "Harbour Tariff 2031"
