"""`local` over a graph with descriptions and strengths that a model wrote."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from building import build
from model_server import WordEmbedder

from hopyard.graphs.local import graph
from hopyard.indexes.corpus.records import Document
from hopyard.models.embeddings import register_embedder
from hopyard.nodes.resources import Resources, config_with
from hopyard.state.settings.fields import Context
from hopyard.testing import ScriptedChat

DOCUMENTS = [
    Document("curie", "Curie", "Marie Curie found radium in Paris. She saw Radium Hall."),
    Document("metal", "Radium", "Radium is a metal. Marie Curie named Radium."),
]
SETTINGS = {"builder": "model", "descriptions": True}


def _fact(relation: str, target: str, strength: int) -> dict[str, Any]:
    parts = {"subject": "Marie Curie", "relation": relation, "object": target}
    description = f"Marie Curie {relation} {target}, strength {strength}."
    return {"sentence": 1, **parts, "description": description, "strength": strength}


def elements(name: str, messages: list[dict[str, Any]]) -> dict[str, Any]:
    """Two facts with different strengths, and a description of each entity."""
    if name == "Answer":
        return {"thought": "", "answer": "radium", "passages": [1]}
    curie = "Title: Curie" in str(messages[-1]["content"])
    about = {"name": "Marie Curie", "type": "person", "description": "A scientist."}
    return {
        "entities": [about],
        "facts": [_fact("worked in", "Paris", 2), _fact("saw", "Radium Hall", 9)] if curie else [],
    }


async def test_descriptions_come_first_then_strong_facts(tmp_path: Path) -> None:
    """The stronger fact is nearer to the question too; both facts have the same degrees."""
    register_embedder(WordEmbedder.name, WordEmbedder())
    chat = ScriptedChat(elements)
    chat.register()
    context = Context.model_validate(
        {
            "index": str(tmp_path / "index"),
            "model": "scripted",
            "embedding": "words",
            "entity_graph": SETTINGS,
        }
    )
    with Resources(tmp_path / "home") as resources:
        build(
            DOCUMENTS,
            directory=tmp_path / "index",
            embedder=WordEmbedder(),
            chunk_tokens=0,
            kinds=("dense", "entity-graph"),
            settings=context,
            caller=lambda: resources.caller("scripted"),
        )
        asked: Any = {"question": "What was it that Marie Curie saw?"}
        output = await graph.ainvoke(asked, config_with(resources), context=context)
    shown = chat.requests[-1].turn.partition("Facts:\n")[2].partition("\n\nPassages:")[0]
    number = [unit["id"] for unit in output["evidence"]].index("curie") + 1
    said = next(line for line in shown.splitlines() if line.startswith(f"[{number}]"))
    assert "Marie Curie (person): A scientist." in shown
    order = [said.index(text) for text in ("scientist", "strength 9", "strength 2")]
    assert order == sorted(order)
