"""A small corpus for tests: eight documents about bridges, one of them long."""

from __future__ import annotations

from typing import Final

from hopyard.indexes.corpus.records import Document

__all__ = ("DOCUMENTS", "LEDGERS", "RECIPES")

_TEXTS: Final = {
    "iron-bridge": "The Iron Bridge was opened in 1781. It crosses the River Severn.",
    "stone-bridge": "The Stone Bridge was completed in 1146. It crosses the Danube at Regensburg.",
    "severn": "The Severn is the longest river in Great Britain. It is 354 kilometres long.",
    "danube": "The Danube flows through ten countries. It is 2,850 kilometres long.",
    "regensburg": "Regensburg is a city in Bavaria. Its cathedral was begun in 1273.",
    "abraham-darby": "Abraham Darby III cast the ribs of the Iron Bridge in Coalbrookdale.",
    "coalbrookdale": "Coalbrookdale is a village in Shropshire. Coke was first used there in 1709.",
    "garden": "Gardens need water. " + "Every garden has a gate and a wall and a path. " * 60,
}

DOCUMENTS: Final = tuple(
    Document(id=name, title=name.replace("-", " ").title(), text=text)
    for name, text in _TEXTS.items()
)
"""Each has an id that is also its passage's: the tests build with `chunk_tokens=0`."""

LEDGERS: Final = tuple(
    Document(
        id=f"ledger-{number}",
        title=f"Ledger {number}",
        text=f"The ledger of Quay Street for week {number} was signed by Otto Brandt.",
    )
    for number in range(1, 251)
)
"""More documents than a search looks at before it ranks, all near to one question."""

RECIPES: Final = tuple(
    Document(id=f"recipe-{name}", title=name.title(), text=text)
    for name, text in {
        "soup": "Chop two onions, add stock and boil.",
        "bread": "Knead flour, yeast and salt; bake for an hour.",
        "jam": "Plums from Kent need half their weight of sugar.",
        "tea": "Pour it on when it boils.",
    }.items()
)
"""Documents that have nothing to do with the ledgers."""
