"""The corpus's language: how it is told, and which words it makes."""

from __future__ import annotations

import unicodedata
from pathlib import Path
from typing import Any

import pytest
import Stemmer
from hypothesis import given
from hypothesis import strategies as st

from hopyard.indexes.building.build import add, build
from hopyard.indexes.corpus.manifest import read_manifest
from hopyard.indexes.corpus.records import Document
from hopyard.indexes.index import Index
from hopyard.indexes.kinds.sparse.bm25 import SparseIndex
from hopyard.indexes.kinds.sparse.words import Words
from hopyard.indexes.text.language import LANGUAGES, detect_language
from hopyard.state.errors import UsageError
from hopyard.state.settings.fields import Context

from ..conftest import FakeEmbedder
from .korean import QUESTIONS

SEEDS = Path(__file__).resolve().parents[4] / "shared" / "seeds"

TEXTS = {
    "ar": "تقع المدينة على ضفاف النهر",
    "ca": "La ciutat és la capital del país i una de les més grans, amb un port que és conegut.",
    "cs": "Město leží na řece a je známé svými mosty, které byly postaveny ve středověku podle.",
    "da": "Byen ligger ved floden og er kendt for sine broer, som blev bygget af en mester.",
    "de": "Die Stadt liegt am Fluss und ist für ihre Brücken bekannt, die im Mittelalter sind.",
    "el": "Η πόλη βρίσκεται στις όχθες του ποταμού",
    "en": "The city lies on the river and is known for its bridges, which were built in the 1400s.",
    "es": "La ciudad está en la orilla del río y es conocida por sus puentes, que se construyeron.",
    "fa": "این شهر در کنار رودخانه قرار گرفته و پل‌های آن گچ‌کاری شده‌اند",
    "fi": "Kaupunki on joen rannalla ja se oli tunnettu silloista, mutta niin ovat myös muut.",
    "fr": "La ville est sur les bords du fleuve et elle est connue pour ses ponts, qui datent.",
    "hi": "यह शहर नदी के किनारे बसा है",
    "hu": "A város a folyó partján fekszik, és a hidakról híres, de nem csak az egy volt.",
    "id": "Kota ini terletak di tepi sungai dan dikenal dengan jembatan yang tidak dibangun oleh.",
    "it": "La città è sulla riva del fiume e sono noti i ponti che non sono della città di oggi.",
    "ja": "その町は川のほとりにあり、橋で知られている。",
    "ko": "그 도시는 강가에 있으며 다리로 알려져 있다. RAG(Retrieval-augmented generation)이다.",
    "nl": "De stad ligt aan de rivier en is bekend om de bruggen, die door hem zijn gebouwd.",
    "no": "Byen ligger ved elva og er kjent for broene som ble bygget av en mester, seg å.",
    "pl": "Miasto leży nad rzeką i jest znane z mostów, które nie były dla niego, ale się o tym.",
    "pt": "A cidade fica na margem do rio e é conhecida por uma ponte, que não foi para os mais.",
    "ro": "Orașul se află pe malul unui râu și este cunoscut pentru poduri care sunt din secolul.",
    "ru": "Город стоит на берегу реки и известен мостами, которые были построены не в это время.",
    "sv": "Staden ligger vid floden och är känd för sina broar, som inte var från den tiden.",
    "tr": "Şehir nehrin kıyısında ve köprüleri ile çok bilinen bir yer, daha sonra da en büyük.",
    "zh": "这座城市位于河边，以桥梁闻名。",
    "other": "העיר נמצאת על גדות הנהר",
}


@pytest.mark.parametrize(("language", "text"), TEXTS.items())
def test_a_language_is_told_by_script_and_words(language: str, text: str) -> None:
    assert detect_language([text]) == language


@pytest.mark.parametrize(
    ("text", "language"), [("", "en"), ("Mars Jupiter Saturn", "en"), ("Київ Харків", "other")]
)
def test_where_words_do_not_tell(text: str, language: str) -> None:
    assert detect_language([text]) == language


def test_every_language_has_its_stemmer() -> None:
    assert {name for name in LANGUAGES.values() if name} <= set(Stemmer.algorithms())
    assert TEXTS.keys() | {"hy", "ta"} == LANGUAGES.keys()


def test_stems_and_stop_words_are_the_language_s() -> None:
    text = "Die Häuser und die Brücken"
    assert Words("de").of([text]) == [["haus", "bruck"]]
    assert "und" in Words("en").of([text])[0]
    assert Words("other").of([text]) == [["die", "häuser", "und", "die", "brücken"]]


def test_letters_without_spaces_are_cut_into_pairs() -> None:
    assert Words("ko").of(["RAG는 검색을 running"]) == [["rag", "검색", "색을", "run"]]
    assert Words("zh").of(["这座城市"]) == [["这座", "座城", "城市"]]
    assert Words("en").of(["The 東京タワー, ｔｏｗｅｒ"]) == [
        ["東京", "京タ", "タワ", "ワー", "tower"]
    ]
    assert Words("ko").of(["그리고 검색"]) == [["검색"]]


@given(st.text())
def test_any_text_has_words(text: str) -> None:
    for language in ("en", "ko", "other"):
        [words] = Words(language).of([text])
        assert all(words)


async def test_a_build_detects_the_language_and_the_index_keeps_it(
    directory: Path, embedder: Any
) -> None:
    german = [Document("d", "", TEXTS["de"])]
    await build(german, directory=directory, embedder=embedder)
    assert read_manifest(directory).language == "de"
    await add([Document("e", "", TEXTS["en"] * 9)], directory=directory, embedder=embedder)
    assert read_manifest(directory).language == "de"
    with Index.open(directory, embedder) as index:
        assert [name for name, _ in index.reader("sparse").search("Flusse", 5)] == ["d"]

    settings = Context.model_validate({"indexing": {"language": "en"}})
    report = await build(german, directory=directory, embedder=embedder, settings=settings)
    assert (report.removed, read_manifest(directory).language) == (1, "en")


async def test_an_unknown_language_is_refused(directory: Path, embedder: Any) -> None:
    settings = Context.model_validate({"indexing": {"language": "klingon"}})
    with pytest.raises(UsageError, match=r"'klingon' is not known; choose auto or one of ar, ca"):
        await build([], directory=directory, embedder=embedder, settings=settings)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("हिन्दी में किताब पढ़ना", ["हिन्दी", "में", "किताब", "पढना"]),
        ("தமிழ் மொழி", ["தமிழ்", "மொழி"]),
        ("বাংলা বই, తెలుగు", ["বাংলা", "বই", "తెలుగు"]),
        ("เสื้อแดง 50 บาท", ["เสื้", "สื้อ", "อแ", "แด", "ดง", "50", "บา", "าท"]),
        ("ภาษา", ["ภา", "าษ", "ษา"]),
        ("ភាសាខ្មែរ", ["ភាសា", "សាខ្", "ខ្មែ", "មែរ"]),
        ("مُحَمَّد", ["محمد"]),
        ("שָׁלוֹם", ["שלום"]),
        ("می\u200cخواهم", ["میخواهم"]),
        ("क्\u200dष", ["क्ष"]),
        ("naïve cafe\u0301, Chapter 2 a", ["naïve", "café", "chapter", "2"]),
    ],
)
def test_marks_belong_to_the_letters_of_words(text: str, words: list[str]) -> None:
    given = [unicodedata.normalize("NFKC", word) for word in words]
    assert Words("xx").of([text]) == [given]


def test_words_of_scripts_with_marks_are_found(tmp_path: Path) -> None:
    texts = ["हिन्दी की किताब", "மொழி நூல்", "ราคาเสื้อแดง", "ราคาเสือดำ"]
    SparseIndex.build(list("abcd"), [(text,) for text in texts]).save(tmp_path)
    index = SparseIndex.load(tmp_path)
    for question, name in (("किताब", "a"), ("நூல்", "b"), ("เสื้อ", "c"), ("เสือ", "d")):
        assert index.search(question, 5)[0][0] == name


async def test_korean_questions_find_their_passages(
    directory: Path, make_embedder: Any, tmp_path: Path
) -> None:
    if not SEEDS.is_dir():
        pytest.skip("the Korean papers in ../shared/seeds are not here")
    papers = [
        Document(file.stem, "", file.read_text(encoding="utf-8"))
        for file in sorted(SEEDS.glob("*.txt"))
    ]
    assert papers
    embedder = make_embedder(remote=True)
    await build(papers, directory=directory, embedder=embedder, chunk_tokens=62, kinds=["sparse"])
    assert read_manifest(directory).language == "ko"
    with Index.open(directory, embedder) as index:
        words_of = {passage.id: passage.text for passage in index.corpus.passages()}
        found = [
            any(gold in words_of[name] for name, _ in index.reader("sparse").search(question, 5))
            for question, gold in QUESTIONS.items()
        ]
    assert sum(found) >= 10


ENGLISH = "The crane is in the harbour and it was built for the work of that time."
GERMAN = "Der Kran ist im Hafen und er wird nicht für das Laden von Schiffen genutzt."
KOREAN = "항구의 크레인은 지난 해에 고장이 났고 수리되었다"


def of_languages(*texts: str) -> list[Document]:
    return [Document(str(number), "", text) for number, text in enumerate(texts)]


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        ([GERMAN] * 3, ["of these passages 100 % are German: "]),
        ([GERMAN, KOREAN, ENGLISH, ENGLISH], ["25 % are German and 25 % are Korean: "]),
        ([ENGLISH] * 10 + [GERMAN], []),
        ([ENGLISH, "Kai Uwe", "| 1 | 2 |"], []),
    ],
)
async def test_a_build_names_languages_that_minilm_does_not_know(
    directory: Path, texts: list[str], said: list[str]
) -> None:
    embedder = FakeEmbedder("embedded")
    report = await build(of_languages(*texts), directory=directory, embedder=embedder)
    assert len(report.warnings) == len(said)
    for warning, part in zip(report.warnings, said, strict=True):
        assert part in warning
        assert warning.endswith("--embedding builtin.")
    other = await build(of_languages(*texts), directory=directory / "x", embedder=FakeEmbedder())
    assert other.warnings == []


MALTESE = "Il-baħar kien kalm u s-sajjieda marru lura d-dar mal-għabex wara ġurnata twila."
THAI = "เรือออกจากท่าเรือตอนเช้าและกลับมาตอนเย็นทุกวัน"


async def test_a_build_names_languages_that_e5_does_not_know(directory: Path) -> None:
    embedder = FakeEmbedder("builtin:e5")
    known = of_languages(ENGLISH, GERMAN, KOREAN, THAI, "Kai Uwe")
    report = await build(known, directory=directory, embedder=embedder)
    assert report.warnings == []
    mixed = of_languages(MALTESE, GERMAN, THAI)
    report = await build(mixed, directory=directory / "x", embedder=embedder)
    [warning] = report.warnings
    assert "of these passages 33 % are in the language 'mt': " in warning
    assert warning.endswith("--embedding ollama:qwen3-embedding:0.6b.")
