"""The prefixes that embedding models expect before a text."""

from __future__ import annotations

import pytest

from hopyard.models.embedder import Instructions, instructions_for
from hopyard.models.embeddings import LangChainEmbedder


@pytest.mark.parametrize(
    ("name", "query", "passage"),
    [
        ("ollama:qwen3-embedding:0.6b", "Instruct: Given a web search query", ""),
        ("huggingface:Qwen/Qwen3-Embedding-8B", "Instruct: Given a web search query", ""),
        ("huggingface:intfloat/multilingual-e5-large", "query: ", "passage: "),
        ("huggingface:intfloat/e5-small-v2", "query: ", "passage: "),
        ("huggingface:intfloat/multilingual-e5-large-instruct", "Instruct: Given", ""),
        ("huggingface:intfloat/e5-mistral-7b-instruct", "Instruct: Given", ""),
        ("huggingface:BAAI/bge-small-en-v1.5", "Represent this sentence for searching", ""),
        ("ollama:bge-large", "Represent this sentence for searching", ""),
        ("huggingface:BAAI/bge-base-zh-v1.5", "为这个句子", ""),
        ("ollama:mxbai-embed-large", "Represent this sentence for searching", ""),
        ("ollama:snowflake-arctic-embed", "Represent this sentence for searching", ""),
        ("ollama:snowflake-arctic-embed2", "query: ", ""),
        ("ollama:nomic-embed-text", "search_query: ", "search_document: "),
        ("ollama:embeddinggemma", "task: search result | query: ", "title: none | text: "),
    ],
)
def test_models_that_want_an_instruction(name: str, query: str, passage: str) -> None:
    found = instructions_for(name)
    assert found.query.startswith(query)
    assert found.passage == passage


@pytest.mark.parametrize(
    "name",
    ["embedded", "ollama:bge-m3", "openai:text-embedding-3-small", "ollama:all-minilm", "fake5-x"],
)
def test_the_others_want_none(name: str) -> None:
    assert instructions_for(name) == Instructions()


def test_a_model_opened_by_name_says_what_it_wants() -> None:
    model = LangChainEmbedder("ollama:nomic-embed-text", None, "")  # type: ignore[arg-type]
    assert model.instructions == Instructions("search_query: ", "search_document: ")
