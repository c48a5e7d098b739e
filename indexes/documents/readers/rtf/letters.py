"""Code pages, signs and groups of Rich Text."""

from __future__ import annotations

import codecs
from typing import Final

from hopyard.indexes.text.english import word_set

CODE_PAGES: Final = {
    77: "mac_roman", 128: "cp932", 129: "cp949", 130: "johab", 134: "gb18030", 136: "cp950",
    161: "cp1253", 162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257",
    204: "cp1251", 222: "cp874", 238: "cp1250", 254: "cp437", 255: "cp850",
}  # fmt: skip
"""The code page of each character set of a font. Source: `\\fcharset` of the specification."""
MACHINES: Final = {"ansi": "cp1252", "mac": "mac_roman", "pc": "cp437", "pca": "cp850"}
SIGNS: Final = {
    "tab": "\t", "line": "\n", "emdash": "—", "endash": "–", "bullet": "•", "lquote": "‘",
    "rquote": "’", "ldblquote": "“", "rdblquote": "”", "emspace": " ", "enspace": " ",
    "qmspace": " ", "zwj": "\u200d", "zwnj": "\u200c", "nestcell": ", ", "nestrow": "; ",
}  # fmt: skip
ESCAPES: Final = {"~": " ", "_": "-", "\t": "\t"}
SILENT: Final = word_set(
    """
    colortbl stylesheet info pict nonshppict shppict fldinst objdata objclass objname generator
    listtable listoverridetable revtbl rsidtbl themedata colorschememapping datastore latentstyles
    xmlnstbl filetbl atnid atnauthor atntime atnicn atnref atnparent atndate atrfstart atrfend
    bkmkstart bkmkend shprslt nonesttables sp pn pnseclvl template passwordhash userprops docvar
    wgrffmtfilter mmathPr tc xe ftnsep ftnsepc ftncn aftnsep aftnsepc aftncn panose falt fontemb
    background nesttableprops
    """
)
"""Groups without text of the document."""


def known_page(page: str) -> str:
    """A code page that Python knows; Windows-1252 in place of others."""
    try:
        return codecs.lookup({"cp0": "cp1252", "cp10000": "mac_roman"}.get(page, page)).name
    except LookupError:
        return "cp1252"
