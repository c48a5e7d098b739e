"""Characters of fonts that have symbols in the places of letters.

Source: Adobe's table of the font Symbol; the proposal of Wingdings to Unicode (L2/11-052).
"""

from __future__ import annotations

from typing import Final

_FIRST: Final = 0x21
_SYMBOL: Final = (
    "!∀#∃%&∍()*+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπ"
    "θρστυϖωξψζ{|}~                                 €ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵ"
    "ℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪ 〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭"
)
_WINGDINGS: Final = (
    "🖉✂✁👓🕭🕮🕯🕿✆🖂🖃📪📫📬📭🗀🗁🗎🗏🗐🗄⌛🖮🖰🖲🖳🖴🖫🖬✇✍🖎✌🖏👍👎☜☞☝☟🖐☺😐☹💣🕱🏳🏱✈☼🌢❄🕆✞🕈✠"
    "✡☪☯🕉☸♈♉♊♋♌♍♎♏♐♑♒♓🙰🙵●🔾■□🞐❑❒🞟⧫◆❖⬩⌧⮹⌘🏵🏶🙶🙷▯🄋➀➁➂➃➄➅➆➇➈➉🄌➊➋➌➍➎"
    "➏➐➑➒➓🙢🙠🙡🙣🙞🙜🙝🙟∙•⬝⭘🞆🞈🞊🞋🔿▪◻🟁🟅★🟋🟏🟓🟑⯐⌖⯎⯏⯑✪✰🕐🕑🕒🕓🕔🕕🕖🕗🕘🕙🕚🕛⮰⮱⮲⮳⮴⮵"
    "⮶⮷🙪🙫🙕🙔🙗🙖🙐🙑🙒🙓⌫⌦⮘⮚⮙⮛⮈⮊⮉⮋🡨🡪🡩🡫🡬🡭🡯🡮🡸🡺🡹🡻🡼🡽🡿🡾⇦⇨⇧⇩⬄⇳⬁⬀⬃⬂🢬🢭🗶✓🗷🗹"
)
_TICKS: Final = {0x4F + place: sign for place, sign in enumerate("🗴🗸🗵☑⮽☒⮾⮿")}
_TABLES: Final = {
    "symbol": dict(enumerate(_SYMBOL, _FIRST)),
    "wingdings": dict(enumerate(_WINGDINGS, _FIRST)),
    "wingdings 2": _TICKS,
    "wingdings 3": {},
    "webdings": {0x61: "✔", 0x63: "□", 0x67: "■", 0x72: "🗙"},
}


def symbol(code: int, font: str) -> str:
    """The character that a font has at a place; "" where it is not known."""
    private = 0xE000 <= code <= 0xF8FF
    table = _TABLES.get(font.casefold())
    if table is None or not (private or code <= 0xFF):
        return "" if private else chr(code)
    return table.get(code & 0xFF, "").strip()


def in_font(text: str, font: str | None) -> str:
    """A text in a font, whose letters may be symbols; U+FFFD for those that are not known."""
    if not font or font.casefold() not in _TABLES:
        return text
    return "".join(
        letter if letter.isspace() else symbol(ord(letter), font) or "\ufffd" for letter in text
    )
