# ruff: noqa: E501 - markup in long lines
"""Kinds of things in Word files: their XML in short (`docxs.word`), and the Markdown of it.

Faults that users of other tools reported: docling 528, 3923, 3950 and 4185, mammoth.js 161 and 332,
python-mammoth 161 and 168, and those that cases name.
"""

from __future__ import annotations

import pytest

from ..case_tables import named_cases
from .conftest import ReadsAs
from .docxs import LETTERS, OUTLINE, Parts, docx, level, note, numbering, style

HEADER = "<tbl><tr><tc>File</tc><tc>K-4471</tc></tr></tbl><p>Harbour office</p>"
OFFICE = "http://schemas.openxmlformats.org/drawingml/2006"
DIAGRAM = f'''<d:dataModel xmlns:d="{OFFICE}/diagram" xmlns:a="{OFFICE}/main">
<d:pt><a:p><a:r><a:t>Plan</a:t></a:r></a:p></d:pt><d:pt><a:p><a:r><a:t>Build</a:t></a:r></a:p></d:pt>
</d:dataModel>'''
CHART = f'''<c:chart xmlns:c="{OFFICE}/chart" xmlns:a="{OFFICE}/main"><c:title>
<a:p><a:r><a:t>Catch</a:t></a:r></a:p></c:title><c:ser><c:tx><c:pt idx="0"><c:v>Cod</c:v></c:pt></c:tx>
<c:cat><c:pt idx="0"><c:v>May</c:v></c:pt><c:pt idx="1"><c:v>June</c:v></c:pt></c:cat>
<c:val><c:pt idx="1"><c:v>4.5</c:v></c:pt></c:val></c:ser></c:chart>'''
NEWER = """<cx:chartSpace xmlns:cx="urn:x"><cx:data id="0"><cx:strDim><cx:lvl><cx:pt>Start</cx:pt>
<cx:pt>Sales</cx:pt></cx:lvl></cx:strDim><cx:numDim><cx:lvl formatCode="#,##0"><cx:pt>1500</cx:pt>
<cx:pt>-20</cx:pt></cx:lvl></cx:numDim></cx:data><cx:series><cx:tx><cx:v>Cash</cx:v></cx:tx>
<cx:dataId val="0"/></cx:series></cx:chartSpace>"""
PARTS: dict[str, Parts] = {
    "boxes once": LETTERS,
    "headers and footers once": {
        **dict.fromkeys(("header1.xml", "header2.xml"), HEADER),
        "footer1.xml": '<p>Page <fldSimple instr="PAGE">1</fldSimple></p>',
    },
    "imported parts": {
        "aFChunk1.html": b"<html><body><p>Clause <b>88</b></p></body></html>",
        "aFChunk2.docx": docx("<p>Clause 89</p>"),
        "aFChunk3.mht": b"MIME-Version: 1.0\nContent-Type: multipart/related; boundary=B\n\n"
        b"--B\nContent-Type: text/html; charset=utf-8\n"
        b"Content-Transfer-Encoding: quoted-printable\n\n"
        b"<p>Clause=20=E2=82=AC90</p>\n--B--\n",
        "aFChunk4.rtf": b"{\\rtf1 Clause 91\\par}",
    },
    "superscripts": {
        "styles.xml": style("Raised", run_properties="<vertAlign val='superscript'/>")
    },
    "notes and comments": {
        "footnotes.xml": '<w:footnote w:type="separator" w:id="0"/>'
        + note("footnote", 2, "<r><footnoteRef/></r> Since May.", "No tax.")
        + note("footnote", 3, "* On Sundays."),
        "endnotes.xml": note("endnote", 5, "Council, 2026."),
        "comments.xml": note("comment", 0, "Check this.", author="Ann Ash")
        + note("comment", 1, "Done.", author="Bo"),
    },
    "a diagram and a chart": {"diagramData1.xml": DIAGRAM.encode(), "chart1.xml": CHART.encode()},
    "a newer chart": {"chartEx1.xml": NEWER.encode()},
    "numbers of headings by their styles": OUTLINE,
    "lists count on after other text, and begin again where they say so": LETTERS,
    "number formats": numbering(
        level(0, "upperRoman", "Part %1", start=4),
        level(1, "decimalZero", "%2"),
        level(2, "upperLetter", "%3", start=28),
        level(3, "ordinal", "%4", start=22),
        level(4, "bullet", "§"),
        level(5, "decimalEnclosedCircle", "%6", start=3),
        level(6, "chineseCounting", "第%7条", start=21),
        level(7, "decimal", "%1.%8", "<w:isLgl/>"),
        level(8, "none", ""),
    ),
    "levels that begin again only after some": numbering(
        level(0, "decimal", "%1"),
        level(1, "decimal", "%1.%2"),
        level(2, "decimal", "(%3)", '<w:lvlRestart w:val="1"/>'),
    ),
    "headings whose number is not shown": {
        **numbering(level(0, "none", "")),
        "styles.xml": style("heading 1", '<w:numPr><w:numId w:val="1"/></w:numPr>'),
    },
    "boxes to tick as bullets, and struck text": numbering(
        level(0, "bullet", "&#xF0A8;", '<w:rPr><w:rFonts w:ascii="Wingdings"/></w:rPr>'),
        level(1, "bullet", "☒"),
    ),
    "numbers alone in a column, headings in a header": LETTERS,
    "a list that begins inside": numbering(
        level(0, "decimal", "%1."), level(1, "lowerLetter", "%2)"), level(2, "bullet", "•")
    ),
    "lists and hyphens in cells, and a dropped capital": numbering(level(0, "decimal", "%1.")),
}
"""The parts beside the text, by the names of the cases."""
CASES = """
# boxes once
<p><r><mc:AlternateContent><mc:Choice Requires="wps"><drawing><a:graphic><a:graphicData><wps:wsp><wps:txbx><txbxContent><p>Gate 4 is shut.</p></txbxContent></wps:txbx></wps:wsp></a:graphicData></a:graphic></drawing></mc:Choice><mc:Fallback><pict><v:shape><v:textbox><txbxContent><p>Gate 4 is shut.</p></txbxContent></v:textbox></v:shape></pict></mc:Fallback></mc:AlternateContent></r></p>
<p>Keys: <r><drawing><a:graphic><a:graphicData><wps:wsp><wps:txbx><txbxContent><li>red</li><li>blue</li></txbxContent></wps:txbx></wps:wsp></a:graphicData></a:graphic></drawing></r>two.</p>
<p><r><pict><v:shape><v:textpath string="DRAFT"/></v:shape></pict></r></p>
⇒ Gate 4 is shut. ¦ Keys: two. ¦ a) red⏎b) blue ¦ DRAFT

# equations (microsoft/markitdown#289)
<p>So <m:oMath>x=<m:f><m:num>-b±<m:rad><m:radPr><m:degHide m:val="1"/></m:radPr><m:deg/><m:e><m:sSup><m:e>b</m:e><m:sup>2</m:sup></m:sSup>-4ac</m:e></m:rad></m:num><m:den>2a</m:den></m:f></m:oMath> holds.</p>
<p><m:oMathPara><m:oMath><m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>i=1</m:sub><m:sup>n</m:sup><m:e><m:sSub><m:e>k</m:e><m:sub>i</m:sub></m:sSub></m:e></m:nary>=<m:d><m:dPr><m:begChr m:val="["/><m:endChr m:val="]"/></m:dPr><m:e><m:m><m:mr><m:e>1</m:e><m:e>0</m:e></m:mr><m:mr><m:e>0</m:e><m:e>1</m:e></m:mr></m:m></m:e></m:d></m:oMath></m:oMathPara></p>
⇒ So x=(-b±√(b^2-4ac))/(2a) holds. ¦ ∑_(i=1)^n k_i=[1, 0; 0, 1]

# headers and footers once (Unstructured-IO/unstructured#2126)
<p>One</p><p><pPr><sectPr><headerReference type="default" r:id="header1"/></sectPr></pPr></p>
<p>Two</p>
<sectPr><headerReference type="default" r:id="header2"/><footerReference type="default" r:id="footer1"/></sectPr>
⇒ | File | K-4471 |⏎| --- | --- | ¦ Harbour office ¦ Page 1 ¦ One ¦ Two

# imported parts
<p>Before</p><altChunk r:id="aFChunk1"/><altChunk r:id="aFChunk2"/><altChunk r:id="aFChunk3"/>
<altChunk r:id="aFChunk4"/><p>After</p>
⇒ Before ¦ Clause **88** ¦ Clause 89 ¦ Clause €90 ¦ Clause 91 ¦ After

# superscripts
<p>5 × 10<r><rPr><vertAlign val="superscript"/></rPr><t>6</t></r> and 10<r><rPr><vertAlign val="superscript"/></rPr><t>-</t></r><r><rPr><vertAlign val="superscript"/><b/></rPr><t>3</t></r> Pa</p>
<p>m<r><rPr><rStyle val="Raised"/></rPr><t>2</t></r> s<r><rPr><position val="6"/></rPr><t>3</t></r> H<r><rPr><vertAlign val="subscript"/></rPr><t>2</t></r>O</p>
⇒ 5 × 10^6 and 10^-3 Pa ¦ m^2 s^3 H2O

# notes and comments (microsoft/markitdown#31)
<p>The fee is 50<r><rPr><vertAlign val="superscript"/></rPr><footnoteReference id="2"/></r> euros<r><endnoteReference id="5"/></r><r><commentReference id="0"/></r></p>
<p>Free*<r><footnoteReference customMarkFollows="1" id="3"/></r></p>
⇒ The fee is 50[1] euros[i] ¦ [1] Since May. ¦ No tax. ¦ [i] Council, 2026. ¦ Comment by Ann Ash: Check this. ¦ Free* ¦ * On Sundays. ¦ Comment by Bo: Done.

# tracked changes (developer0hye/office2pdf#1699, jgm/pandoc#3927)
<p>Pay <del id="1"><r><delText>in ten days</delText></r></del><ins id="2">at once</ins></p>
<p><pPr><rPr><moveFrom id="3"/></rPr></pPr><moveFrom id="3">Moved.</moveFrom></p>
<p><pPr><rPr><del id="4"/></rPr></pPr>One </p><p>paragraph.</p>
<p><moveTo id="5">Moved.</moveTo></p>
<tbl><tr><tc>a</tc><tc>b</tc></tr><tr><trPr><del id="6"/></trPr><tc>c</tc><tc>d</tc></tr><tr><tc>e</tc><tc>f</tc></tr></tbl>
⇒ Pay at once ¦ One paragraph. ¦ Moved. ¦ | a | b |⏎| --- | --- |⏎| e | f |

# wrapped runs (python-openxml/python-docx#328)
<p>Meet in <smartTag><smartTag>Oslo</smartTag></smartTag><customXml element="x"> on</customXml><hyperlink anchor="x"> Monday</hyperlink></p>
⇒ Meet in Oslo on Monday

# signs between letters (yfedoseev/office_oxide#152, docling-project/docling.rs#400)
<p><r><t>e</t><noBreakHyphen/><t>mail</t><tab/><t>har</t><softHyphen/><t>bour</t><cr/><t>two</t><br type="page"/><t>three</t></r><r><sym font="Symbol" char="F061"/></r></p>
⇒ e-mail harbour⏎two⏎threeα

# readings above letters (mwilliamson/python-mammoth#76)
<p><r><ruby><rubyPr/><rt>とうきょう</rt><rubyBase>東京</rubyBase></ruby></r></p>
⇒ 東京(とうきょう)

# a diagram and a chart (yfedoseev/office_oxide#271, mwilliamson/mammoth.js#147)
<p><r><drawing><dgm:relIds r:dm="diagramData1"/></drawing></r></p>
<p><r><drawing><c:chart r:id="chart1"/></drawing></r></p>
⇒ - Plan⏎- Build ¦ Catch ¦ |  | May | June |⏎| --- | --- | --- |⏎| Cod |  | 4.5 |

# a newer chart
<p><r><drawing><cx:chart r:id="chartEx1"/></drawing></r></p>
⇒ |  | Start | Sales |⏎| --- | --- | --- |⏎| Cash | 1,500 | -20 |

# tick boxes
<p><sdt><sdtPr><w14:checkbox><w14:checked w14:val="1"/></w14:checkbox></sdtPr><sdtContent>☒</sdtContent></sdt> Lactose</p>
<p><sdt><sdtPr><w14:checkbox><w14:checked w14:val="0"/></w14:checkbox></sdtPr><sdtContent>x</sdtContent></sdt> Nuts</p>
<p><r><fldChar fldCharType="begin"><ffData><checkBox><default val="0"/><checked/></checkBox></ffData></fldChar></r><r><instrText> FORMCHECKBOX </instrText></r><r><fldChar fldCharType="end"/></r> Diver</p>
<p><r><fldChar fldCharType="begin"><ffData><checkBox><default val="1"/></checkBox></ffData></fldChar></r><r><instrText> FORMCHECKBOX </instrText></r><r><fldChar fldCharType="end"/></r> Sailor</p>
<p><r><sym font="Wingdings" char="F0FE"/></r> Paid</p>
<p><r><rPr><rFonts ascii="Wingdings"/></rPr><t>o</t></r> Unpaid</p>
⇒ ☒ Lactose ¦ ☐ Nuts ¦ ☒ Diver ¦ ☒ Sailor ¦ 🗹 Paid ¦ □ Unpaid

# chosen entries
<p>Berth: <r><fldChar fldCharType="begin"><ffData><ddList><result val="1"/><listEntry val="North"/><listEntry val="South"/></ddList></ffData></fldChar></r><r><instrText> FORMDROPDOWN </instrText></r><r><fldChar fldCharType="end"/></r></p>
<p>Tide: <sdt><sdtPr><dropDownList lastValue="2"><listItem displayText="low" value="1"/><listItem displayText="high" value="2"/></dropDownList></sdtPr><sdtContent/></sdt></p>
<p>Day: <sdt><sdtPr><date fullDate="2026-03-09T00:00:00Z"/></sdtPr><sdtContent>9 March</sdtContent></sdt></p>
<p>Until: <sdt><sdtPr><date fullDate="2026-03-10T00:00:00Z"/></sdtPr><sdtContent/></sdt></p>
<p>Name: <r><fldChar fldCharType="begin"><ffData/></fldChar></r><r><instrText> FORMTEXT </instrText></r><r><fldChar fldCharType="separate"/></r>Kim<r><fldChar fldCharType="end"/></r></p>
⇒ Berth: South ¦ Tide: high ¦ Day: 9 March ¦ Until: 2026-03-10 ¦ Name: Kim

# fields
<p><r><fldChar fldCharType="begin"/></r><r><instrText> IF "x" = "x" "yes" "no" </instrText></r><r><fldChar fldCharType="separate"/></r><r><fldChar fldCharType="begin"/></r><r><instrText> MERGEFIELD name </instrText></r><r><fldChar fldCharType="separate"/></r>Kim<r><fldChar fldCharType="end"/></r><r><fldChar fldCharType="end"/></r></p>
<p><r><fldChar fldCharType="begin"/></r><r><instrText>TOC</instrText></r><r><fldChar fldCharType="separate"/></r>Scope 3</p>
<p>Terms 4<r><fldChar fldCharType="end"/></r></p>
<p><fldSimple instr="SEQ Table">7</fldSimple> boats</p>
⇒ Kim ¦ Scope 3 ¦ Terms 4 ¦ 7 boats

# fields that never begin or end (mwilliamson/python-mammoth#168)
<p>One<r><fldChar fldCharType="separate"/></r> two</p>
<p><r><fldChar fldCharType="end"/></r>three</p><p><r><fldChar fldCharType="begin"/></r>four</p>
⇒ One two ¦ three ¦ four

# numbers of headings by their styles
<p style="heading1">Scope</p><p style="heading1">Terms</p><p style="heading2">Price</p>
<p style="ClauseTitle">Payment</p><p style="heading1">End</p><p style="heading2">Notice</p>
⇒ # 1. Scope ¦ # 2. Terms ¦ ## 2.1 Price ¦ ## 2.2 Payment ¦ # 3. End ¦ ## 3.1 Notice

# lists count on after other text, and begin again where they say so
<li>repair</li><li>a new pump</li><p>Or:</p><li list="2">money</li><li list="3">first</li>
⇒ a) repair⏎b) a new pump ¦ Or: ¦ c) money⏎a) first

# number formats
<li>x</li><li level="1">x</li><li level="2">x</li><li level="3">x</li><li level="4">x</li>
<li level="5">x</li><li level="6">x</li><li level="7">x</li><li level="8">x</li>
⇒ Part IV x⏎  01 x⏎    BB x⏎      22nd x⏎        - x⏎          ③ x⏎            第二十一条 x⏎              4.1 x ¦ x

# levels that begin again only after some
<li>a</li><li level="1">b</li><li level="2">c</li><li level="1">d</li><li level="2">e</li>
<li>f</li><li level="2">g</li>
⇒ 1 a⏎  1.1 b⏎    (1) c⏎  1.2 d⏎    (2) e⏎2 f⏎    (1) g

# headings whose number is not shown (docling-project/docling#3759)
<p style="heading1">References</p>
⇒ # References

# boxes to tick as bullets, and struck text
<li>Ropes</li><li level="1">Sails</li>
<p>Fee: <r><rPr><strike/></rPr><t>40 </t></r><r><rPr><dstrike/></rPr><t>euros</t></r> 50 euros</p>
⇒ - ◻ Ropes⏎  - ☒ Sails ¦ Fee: ~~40 euros~~ 50 euros

# merged cells
<tbl><tr><tc>Zone</tc><tc>Day</tc><tc>Fee</tc></tr><tr><tc><tcPr><vMerge val="restart"/></tcPr>A</tc><tc>Weekday</tc><tc>10</tc></tr><tr><tc><tcPr><vMerge/></tcPr></tc><tc>Weekend</tc><tc>14</tc></tr><tr><tc>B</tc><tc><tcPr><gridSpan val="2"/></tcPr>closed</tc></tr></tbl>
⇒ | Zone | Day | Fee |⏎| --- | --- | --- |⏎| A | Weekday | 10 |⏎| A | Weekend | 14 |⏎| B | closed |  |

# header rows
<tbl><tr><tc><tcPr><gridSpan val="5"/></tcPr>Energy of all plants</tc></tr><tr><tc><tcPr><vMerge val="restart"/></tcPr>Plant</tc><tc><tcPr><gridSpan val="2"/></tcPr>2022</tc><tc><tcPr><gridSpan val="2"/></tcPr>2023</tc></tr><tr><tc><tcPr><vMerge/></tcPr></tc><tc>MWh</tc><tc>Cost</tc><tc>MWh</tc><tc>Cost</tc></tr><tr><tc>Dune</tc><tc>11</tc><tc>21</tc><tc>12</tc><tc>22</tc></tr></tbl>
<p>and</p>
<tbl><tr><trPr><tblHeader/></trPr><tc><tcPr><gridSpan val="2"/></tcPr>Fees</tc></tr><tr><trPr><tblHeader/></trPr><tc>Adult</tc><tc>Child</tc></tr><tr><tc>5</tc><tc>3</tc></tr><tr><trPr><gridBefore val="1"/></trPr><tc>4</tc></tr></tbl>
⇒ Energy of all plants ¦ | Plant | 2022 MWh | 2022 Cost | 2023 MWh | 2023 Cost |⏎| --- | --- | --- | --- | --- |⏎| Dune | 11 | 21 | 12 | 22 | ¦ and ¦ Fees ¦ | Adult | Child |⏎| --- | --- |⏎| 5 | 3 |⏎|  | 4 |

# a header that only looks like one
<tbl><tr><tc/><tc><tcPr><gridSpan val="2"/></tcPr>2022</tc><tc><tcPr><gridSpan val="2"/></tcPr>2023</tc></tr><tr><tc>Plant</tc><tc>MWh</tc><tc>Cost</tc><tc>MWh</tc><tc>Cost</tc></tr><tr><tc>Dune</tc><tc>11</tc><tc>21</tc><tc>12</tc><tc>22</tc></tr></tbl>
<p>and</p>
<tbl><tr><tc>Plant</tc><tc><tcPr><gridSpan val="2"/></tcPr>2024</tc></tr><tr><tc>Dune</tc><tc>11</tc><tc>21</tc></tr></tbl>
⇒ | Plant | 2022 MWh | 2022 Cost | 2023 MWh | 2023 Cost |⏎| --- | --- | --- | --- | --- |⏎| Dune | 11 | 21 | 12 | 22 | ¦ and ¦ | Plant | 2024 | 2024 |⏎| --- | --- | --- |⏎| Dune | 11 | 21 |

# numbers alone in a column, headings in a header
<tbl><tr><tc><p style="heading1">No.</p></tc><tc>Boat</tc></tr><tr><tc><li></li></tc><tc>Ida</tc></tr><tr><tc><li></li></tc><tc>Elsa</tc></tr></tbl>
⇒ | No. | Boat |⏎| --- | --- |⏎| a) | Ida |⏎| b) | Elsa |

# tables in tables
<tbl><tr><tc>Pier</tc><tc>Fees</tc></tr><tr><tc>East</tc><tc><p>From May:</p><tbl><tr><tc>Boat</tc><tc>5</tc></tr><tr><tc>Raft</tc><tc>3</tc></tr></tbl><p>daily</p></tc></tr></tbl>
<tbl><tr><tc><p style="heading1">Note</p><tbl><tr><tc>a</tc><tc>b</tc></tr><tr><tc>1</tc><tc>2</tc></tr></tbl></tc></tr></tbl>
⇒ | Pier | Fees |⏎| --- | --- |⏎| East | From May: Boat, 5; Raft, 3 daily | ¦ # Note ¦ | a | b |⏎| --- | --- |⏎| 1 | 2 |

# content controls around anything (jgm/pandoc#4415, thomas-villani/all2md#487)
<sdt><sdtContent><sdt><sdtContent><p>Author Kim</p></sdtContent></sdt></sdtContent></sdt>
<tbl><tr><tc>a</tc><tc>b</tc></tr><sdt><sdtContent><tr><tc>c</tc><tc>d</tc></tr></sdtContent></sdt><tr><tc>e</tc><sdt><sdtContent><tc>f</tc></sdtContent></sdt></tr></tbl>
⇒ Author Kim ¦ | a | b |⏎| --- | --- |⏎| c | d |⏎| e | f |

# a control with a picture
<sdt><sdtContent><p><r><drawing><wp:inline><wp:docPr id="1" name="Picture 1" descr="A crane"/></wp:inline></drawing></r></p><p>Cover</p></sdtContent></sdt>
<p>Text</p>
⇒ [A crane] ¦ Cover ¦ Text

# descriptions by programs
<p><r><drawing><wp:inline><wp:docPr id="1" name="Picture 1" descr="A pier&#10;&#10;Description automatically generated"/></wp:inline></drawing></r></p>
<p><r><drawing><wp:inline><wp:docPr id="1" name="Picture 1" descr="scan 1.png"/></wp:inline></drawing></r>Text</p>
⇒ [A pier] ¦ [scan] Text

# a list that begins inside
<li level="1">A</li><li level="2">B</li><li level="1">C</li><li>D</li>
⇒   a) A⏎    - B⏎  b) C⏎1. D

# a box in a cell
<tbl><tr><tc>Item</tc><tc>Fee</tc></tr><tr><tc><p><r><mc:AlternateContent><mc:Choice><drawing><wps:txbx><txbxContent><p>Crane 7</p></txbxContent></wps:txbx></drawing></mc:Choice><mc:Fallback><pict><v:textbox><txbxContent><p>Crane 7</p></txbxContent></v:textbox></pict></mc:Fallback></mc:AlternateContent></r></p></tc><tc>40</tc></tr></tbl>
⇒ | Item | Fee |⏎| --- | --- |⏎| Crane 7 | 40 |

# a row in a control
<tbl><tr><tc>Item</tc><tc>Fee</tc></tr><sdt><sdtContent><tr><tc>Rope</tc><tc>5</tc></tr></sdtContent></sdt><tr><sdt><sdtContent><tc>Bolt</tc></sdtContent></sdt><tc>6</tc></tr></tbl>
⇒ | Item | Fee |⏎| --- | --- |⏎| Rope | 5 |⏎| Bolt | 6 |

# a control within a line
<p>Fee: <sdt><sdtPr/><sdtContent>40 euros</sdtContent></sdt>.</p><p>After it.</p>
⇒ Fee: 40 euros. ¦ After it.

# a hyphen that may divide
<p>Dampf<r><softHyphen/></r>schiff</p><p>After it.</p>
⇒ Dampfschiff ¦ After it.

# a field that is normal
<p><r><fldChar fldCharType="begin"/></r><r><instrText>HYPERLINK http://x.example normal</instrText></r><r><fldChar fldCharType="separate"/></r>tide table<r><fldChar fldCharType="end"/></r> for May</p>
<p>After it.</p>
⇒ tide table for May ¦ After it.

# a field whose end is deleted
<p><r><fldChar fldCharType="begin"/></r><r><instrText>HYPERLINK "http://x.example"</instrText></r><r><fldChar fldCharType="separate"/></r>tides<del id="0"><r><fldChar fldCharType="end"/></r></del> of May</p>
<p>After it.</p>
⇒ tides of May ¦ After it.

# lists and hyphens in cells, and a dropped capital (MinerU 5357, docxtractr 33, docling 3355)
<p><pPr><framePr dropCap="drop"/></pPr>T</p><p>he quay opens.</p>
<tbl><tr><tc>Term</tc><tc>Rules</tc></tr><tr><tc><p><r><t>NCI</t><noBreakHyphen/><t>CTCAE</t></r></p></tc><tc><li>deliver</li><li>invoice</li></tc></tr></tbl>
⇒ The quay opens. ¦ | Term | Rules |⏎| --- | --- |⏎| NCI-CTCAE | 1. deliver 2. invoice |
"""


def test_each_part_belongs_to_a_case() -> None:
    assert PARTS.keys() <= {case.id for case in named_cases(CASES)}


@pytest.mark.parametrize(("name", "body", "shown"), named_cases(CASES))
def test_kinds(reads_as: ReadsAs, name: str, body: str, shown: list[str]) -> None:
    reads_as(body, PARTS.get(name, {}), "\n\n".join(shown))
