from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopyard.indexes.corpus.long_text import LongText
from hopyard.indexes.corpus.records import Document, Markup, text_hash
from hopyard.indexes.passages.chunking import Chunker, passage_ids
from hopyard.indexes.passages.tokens import token_counter
from hopyard.models.embedder import Embedder
from hopyard.state.errors import CorpusError, UsageError

MakeEmbedder = Callable[..., Embedder]

SENTENCES = [f"Sentence number {number} ends here." for number in range(30)]  # 6 tokens each


def test_a_short_document_is_one_passage_with_its_own_id(embedder: Embedder) -> None:
    (passage,) = list(
        Chunker(embedder).split(Document("d1", "A title", "  Some words, and more. \n"))
    )

    assert passage.id == passage.document_id == "d1"
    assert (passage.position, passage.text, passage.tokens) == (0, "Some words, and more.", 6)
    assert passage.content_hash == text_hash("A title\nSome words, and more.")


def test_passages_end_with_sentences_and_keep_to_the_limit(embedder: Embedder) -> None:
    document = Document("d1", "Title", " ".join(SENTENCES))

    passages = list(Chunker(embedder, 20).split(document))

    assert " ".join(passage.text for passage in passages) == document.text
    assert [passage.tokens for passage in passages] == [18] * 10
    assert all(passage.text.endswith("here.") for passage in passages)
    assert [passage.position for passage in passages] == list(range(10))
    assert passages[0].id == f"d1#{text_hash(passages[0].text)[:8]}"


def test_title_and_text_fit_the_window_together(make_embedder: MakeEmbedder) -> None:
    embedder = make_embedder(window=24)
    count = token_counter(embedder.tokenizer)
    document = Document("d1", "A title of six words here", " ".join(SENTENCES))

    passages = list(Chunker(embedder).split(document))

    assert [count(passage.embedded_text) for passage in passages] == [24] * 10


@pytest.mark.parametrize(("window", "expected"), [(64, 64), (1000, 300)])
def test_default_length(make_embedder: MakeEmbedder, window: int, expected: int) -> None:
    assert Chunker(make_embedder(window=window)).chunk_tokens == expected


def test_special_tokens_take_their_part_of_the_window(make_embedder: MakeEmbedder) -> None:
    assert Chunker(make_embedder(window=64, remote=True)).chunk_tokens == 62


@pytest.mark.parametrize("chunk_tokens", [65, -1])
def test_a_length_above_the_window_names_both_numbers(
    embedder: Embedder, chunk_tokens: int
) -> None:
    with pytest.raises(UsageError, match=f"chunk_tokens is {chunk_tokens}.* 64 tokens"):
        Chunker(embedder, chunk_tokens)


def test_whole_documents(embedder: Embedder) -> None:
    text = " ".join(SENTENCES[:10])  # 60 tokens

    (passage,) = Chunker(embedder, 0).split(Document("d1", "Title", text))

    assert (passage.text, passage.tokens) == (text, 60)


def test_a_whole_document_that_does_not_fit_is_named_with_its_tokens(embedder: Embedder) -> None:
    with pytest.raises(CorpusError, match=r"'d1' has 67 tokens .* reads 64"):
        list(Chunker(embedder, 0).split(Document("d1", "Title", " ".join(SENTENCES[:11]))))


def test_an_overlong_title(embedder: Embedder) -> None:
    with pytest.raises(CorpusError, match=r"title of document 'd1' alone has 60 tokens"):
        list(Chunker(embedder).split(Document("d1", "word " * 60, "text " * 60)))


def test_blank_text(embedder: Embedder) -> None:
    with pytest.raises(CorpusError, match="has no text"):
        list(Chunker(embedder).split(Document("d1", "Title", " \n ")))


def test_an_unknown_tokenizer_counts_four_characters_a_token(make_embedder: MakeEmbedder) -> None:
    chunker = Chunker(make_embedder(remote=True), 10)

    passages = list(chunker.split(Document("d1", "", "Abc def ghi jkl. " * 8)))

    assert [len(passage.text) for passage in passages] == [33, 33, 33, 33]
    assert passages[0].tokens == 9


def test_a_tokenizer_that_truncates_and_pads_still_counts_all(embedder: Embedder) -> None:
    tokenizer = embedder.tokenizer
    assert tokenizer
    tokenizer.enable_truncation(4)
    tokenizer.enable_padding(length=16)

    assert token_counter(tokenizer)("one two three four five six") == 6
    assert len(tokenizer.encode("one two three four five six").ids) == 16


def test_a_run_of_letters_is_no_single_token(embedder: Embedder) -> None:
    passages = list(Chunker(embedder, 20).split(Document("d1", "", "x" * 1000)))

    assert [len(passage.text) for passage in passages] == [320, 320, 320, 40]
    assert [passage.tokens for passage in passages] == [20, 20, 20, 3]


def test_two_long_paragraphs_are_cut_in_linear_time(
    embedder: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_at: list[int] = []

    def count(text: str) -> int:
        looked_at.append(len(text))
        return len(text.split())

    monkeypatch.setattr("hopyard.indexes.passages.chunking.token_counter", lambda _: count)
    paragraph = " ".join(SENTENCES * 50)

    list(Chunker(embedder, 20).split(Document("d1", "", f"{paragraph}\n{paragraph}")))

    assert sum(looked_at) < 2 * 10 * len(paragraph)


def test_a_passage_keeps_its_id_when_another_part_changes(embedder: Embedder) -> None:
    paragraphs = [" ".join(SENTENCES[start : start + 3]) for start in range(0, 12, 3)]
    chunker = Chunker(embedder, 20)

    before = list(chunker.split(Document("d1", "", "\n\n".join(paragraphs))))
    paragraphs[1] = "Something else stands here now, and it is about as long as before."
    after = list(chunker.split(Document("d1", "", "\n\n".join(paragraphs))))

    same = [old.id == new.id for old, new in zip(before, after, strict=True)]
    assert same == [True, False, True, True]


def test_the_same_text_twice_gets_a_number() -> None:
    digits = text_hash("again")[:8]

    assert list(passage_ids("d", ["again", "once", "again"])) == [
        f"d#{digits}",
        f"d#{text_hash('once')[:8]}",
        f"d#{digits}-2",
    ]


@given(st.lists(st.sampled_from(["a", "b", "c"]), min_size=1))
def test_passage_ids_are_unique(texts: list[str]) -> None:
    assert len(set(passage_ids("d", texts))) == len(texts)


def test_passages_know_their_pages(embedder: Embedder) -> None:
    pages = ["One two three. Four five six.", "Seven eight nine.", "", "Ten. Eleven. Twelve."]
    text = "".join(f"{page}\n\n\f" for page in pages)
    document = Document("d1", "", text)

    passages = list(Chunker(embedder, 8).split(document))
    whole = list(Chunker(embedder, 0).split(document))

    assert [(passage.text, passage.pages) for passage in passages] == [
        ("One two three. Four five six.", "1"),
        ("Seven eight nine.", "2"),
        ("Ten. Eleven. Twelve.", "4"),
    ]
    assert [(passage.text.split(), passage.pages) for passage in whole] == [
        (" ".join(pages).split(), "1-4")
    ]
    assert [passage.id for passage in passages] == list(
        passage_ids("d1", (passage.text for passage in passages))
    )


def test_a_passage_across_a_page_break_has_both_pages(embedder: Embedder) -> None:
    text = "\f" + "Begin here and go\n\n\fon there. End." + "\f"
    [passage] = Chunker(embedder).split(Document("d1", "", text, {"page": 9}))
    assert (passage.text, passage.pages) == ("Begin here and go\n\non there. End.", "2-3")


def test_a_document_that_is_a_page_says_so_itself(embedder: Embedder) -> None:
    document = Document("d1", "", " ".join(SENTENCES), {"page": 9})
    assert {passage.pages for passage in Chunker(embedder, 20).split(document)} == {"9"}
    [passage] = Chunker(embedder).split(Document("d2", "", "No page."))
    assert passage.pages == ""


def test_the_header_takes_its_part_of_the_window(make_embedder: MakeEmbedder) -> None:
    embedder = make_embedder(window=24)
    count = token_counter(embedder.tokenizer)
    metadata = {"source": "Wired", "author": "Ann Ash"}
    document = Document("d1", "A title", " ".join(SENTENCES), metadata)

    passages = list(Chunker(embedder, fields=("source", "author")).split(document))

    assert {passage.header for passage in passages} == {"Wired, Ann Ash"}
    assert max(count(passage.embedded_text) for passage in passages) <= 24
    assert passages[0].embedded_text.startswith("A title\nWired, Ann Ash\nSentence number 0")


def test_a_header_that_leaves_no_room_is_left_out(make_embedder: MakeEmbedder) -> None:
    embedder = make_embedder(window=24)
    long = Document("d1", "A title", " ".join(SENTENCES), {"author": "Ann " * 20})
    assert {each.header for each in Chunker(embedder, fields=("author",)).split(long)} == {""}
    whole = Document("d2", "A title", "One two three. " * 5, {"author": "Ann B. Ash"})
    [passage] = Chunker(embedder, 0, fields=("author",)).split(whole)
    assert passage.header == ""


def test_fields_change_the_fingerprint_where_they_change_a_header(embedder: Embedder) -> None:
    plain, headed = Chunker(embedder), Chunker(embedder, fields=("author",))
    with_author, without = Document("d", "T", "x", {"author": "Ann"}), Document("d", "T", "x")
    assert plain.fingerprint(without) == headed.fingerprint(without)
    assert plain.fingerprint(with_author) != headed.fingerprint(with_author)


def test_a_fingerprint_is_that_of_the_text_in_one_piece(embedder: Embedder) -> None:
    """Written down in every index: another one would have all documents cut again."""
    document = Document(
        "d1", 'A "title"', "Line “one”.\n\fTab\t\U0001d11e", {"b": 1, "a": "x"}, "src"
    )
    parts = [document.title, document.text, "src", {"b": 1, "a": "x"}, "fake 64 20", "pages"]
    assert Chunker(embedder, 20).fingerprint(document) == text_hash(
        json.dumps(parts, sort_keys=True)
    )


@pytest.mark.parametrize("markup", ["text", "markdown"])
def test_a_long_text_is_cut_as_one_in_memory(
    markup: Markup, embedder: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hopyard.indexes.corpus.long_text.STRETCH", 200)
    rows = "".join(f"| tea {number} | {number} kg |\n" for number in range(30))
    text = "".join(
        f"# Part {number}\n\n{' '.join(SENTENCES)}\n\n| a | b |\n|---|---|\n{rows}\n\f"
        for number in range(3)
    )
    short = Document("d1", "T", text, markup=markup)
    long = Document("d1", "T", LongText([text[:7], text[7:]]), markup=markup)
    chunker = Chunker(embedder, 20)

    passages = list(chunker.split(long))

    assert passages == list(chunker.split(short))
    assert chunker.fingerprint(long) == chunker.fingerprint(short)
    assert [each.pages for each in passages] == sorted(each.pages for each in passages)
    assert {"1", "2", "3"} <= {each.pages for each in passages}
    assert sum(each.text.count("tea 29 ") for each in passages) == 3
    if markup == "markdown":
        assert {each.section for each in passages} == {"Part 0", "Part 1", "Part 2"}
        assert all("| a | b |" in each.text for each in passages if "tea" in each.text)


def test_a_long_text_is_no_single_passage(embedder: Embedder) -> None:
    document = Document("d1", "T", LongText(["word " * 1000]))
    with pytest.raises(CorpusError, match="has 313 tokens with its title"):
        list(Chunker(embedder, 0).split(document))
    assert len(list(Chunker(embedder, 20).split(document))) == 50
