"""Texts at which an embedding model may stumble."""

from __future__ import annotations

LONG = "The canal was widened twice before the railway came. " * 60
ODD = [
    "",
    " \n\t",
    "?",
    "한국의 수도는 서울이며, 한강이 도시를 가로지른다.",
    "Ein Käfer überquert die Straße nach São Paulo.",
    "日本の首都は東京です。",
    "🚀 liftoff 🚀",
    "[MASK] [CLS] [PAD] <b>bold</b>",
    "supercalifragilisticexpialidocious" * 20,
    LONG,
    "한글 " * 400,
]
