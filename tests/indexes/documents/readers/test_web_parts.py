# ruff: noqa: E501 - markup in long lines
"""Web pages: what a browser shows is kept, in order, and only menus and banners are left out.

Among the cases are faults that users of other tools reported: trafilatura 58, 531, 599, 829, 837 and
890, html-to-markdown 200 and 477, yari 4205, Unstructured 110 and 1543, turbohtml 384.
"""

from __future__ import annotations

import re
import time
from typing import Any

import pytest

from ..case_tables import cases
from ..zips import lines

Read = Any

SHOWN = """
# order and blocks
<p>a</p>loose <b>text</b><p>b ⇒ a ¦ loose **text** ¦ b
<header>Head</header><address>Quay 4</address><fieldset><legend>Who</legend>Ann</fieldset> ⇒ Head ¦ Quay 4 ¦ Who ¦ Ann
<h2>Title <small>sub</small></h2><div>text <div>inner</div> tail</div> ⇒ ## Title sub ¦ text ¦ inner ¦ tail
<p>one<br>two<br/>three ⇒ one ¦ two ¦ three
<dl><dt>Berth<dd>A place to moor.<dd>A bed.</dl> ⇒ Berth ¦ :   A place to moor. ¦ :   A bed.
<pre>a  b⏎  c</pre> ⇒ ``` ¦ a  b ¦   c ¦ ```
H<sub>2</sub>O, 10<sup>6</sup>, <abbr title='long'>EU</abbr>, <q>said</q> ⇒ H2O, 10^6, EU, "said"
<p>10<sup>6</sup> and 50<sup>[1]</sup> ⇒ 10^6 and 50[1]
<p>Donau&shy;dampf&#173;schiff ⇒ Donaudampfschiff
<div>Ann<div>writes</div>on</div> ⇒ Ann ¦ writes ¦ on
bare<p>one<br>two</p> ⇒ bare ¦ one ¦ two
<dl><dt>lock</dt><dd>nested: <dl><dt>gate</dt><dd>shut</dd></dl><p>After it</p></dd></dl> ⇒ lock ¦ :   nested: ¦     gate ¦     :   shut ¦     After it
<p>a<p>b<ul><li>c</ul><p>d<h2>e</h2> ⇒ a ¦ b ¦ - c ¦ d ¦ ## e
<div><p>a<div>b</div></div><p>c ⇒ a ¦ b ¦ c
# lists
<ol start=3><li>c<li value=7>g<li>h</ol> ⇒ 3. c ¦ 7. g ¦ 8. h
<ol type=a><li>x<li>y</ol> ⇒ a. x ¦ b. y
<ol reversed><li>two<li>one</ol> ⇒ 2. two ¦ 1. one
<ol type=I start=4><li>x</ol> ⇒ IV. x
<div><label>13</label><li>Live <b>system</b></div> ⇒ 13 ¦ - Live **system**
<div>x<li>a</li>⏎<li>b</li>y<li>c</div> ⇒ x ¦ - a ¦ - b ¦ y ¦ - c
<menu><li>a<li>b</menu> ⇒ - a ¦ - b
<ul>a<b>c</b></ul> ⇒ a**c**
<ul><li><input type=checkbox checked> Rope<li><input type=checkbox> Paint</ul> ⇒ - [x] Rope ¦ - [ ] Paint
<ul>List of quays:<li>one<li>two</ul> ⇒ List of quays: ¦ - one ¦ - two
<ol><!-- none --><li>one</li>and more<li>two</ol> ⇒ 1. one and more ¦ 2. two
<ul><li>a<li>b<ul><li>c<li>d</ul><li>e</ul> ⇒ - a ¦ - b ¦   - c ¦   - d ¦ - e
<ol><li>one<li>two</li><ol><li>inner</ol></ol><ul><li>a</li><ul><li>b</ul><li>c</ul> ⇒ 1. one ¦ 2. two ¦    1. inner ¦ - a ¦   - b ¦ - c
# fields
<p><label>Town <input value=Lund></label> <textarea>typed</textarea> ⇒ Town Lund typed
<select><optgroup label=g><option>a<option selected>b<option>c</select> ⇒ b
<p>Paid?<input type=radio checked>Yes<input type=radio>No ⇒ Paid?[x] Yes [ ] No
<meter value=3>3 of 5</meter><datalist><option>z</datalist> ⇒ 3 of 5
<label>Town</label> <input value=Lund> <select><option>a<option selected>b</select> ⇒ Town Lund b
<main><p><input type=radio> No<button>Send it</button></p></main> ⇒ [ ] No Send it
<label>Name</label><input value=Ann><select><option>x<option selected>y</select><textarea>note 7</textarea>kg ⇒ Name Ann y note 7 kg
<form><label>Name <input value='Ada'></label><label>City <select><option>Graz</select></label><label>Note</label></form><p>Depth<svg><text>40 m</text></svg>at the quay</p> ⇒ Name Ada City Graz Note ¦ Depth 40 m at the quay
# pictures, formulas, readings
<p>See <img alt='a map of pier 4' src=x><img alt='IMG_1.jpg'><img alt=''> ⇒ See [a map of pier 4]
<svg><title>icon</title><text>Depth</text><text>7 m</text></svg> ⇒ Depth 7 m
<p>E=<math><msup><mi>x</mi><mn>2</mn></msup></math> ⇒ E=x^2
<math><semantics><mi>x</mi><annotation encoding='application/x-tex'>x_1</annotation></semantics></math> ⇒ x_1
<math><mfrac><mn>1</mn><mi>ab</mi></mfrac><mo>+</mo><msub><mi>k</mi><mn>3</mn></msub></math> ⇒ 1/ab+k_3
<ruby>漢<rt>かん</rt>字<rt>じ</rt></ruby> ⇒ 漢字(かんじ)
<ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp></ruby> ⇒ 漢(かん)
<p dir=rtl>שלום <bdo dir=ltr>A-7</bdo> ⇒ שלום A-7
<p>One</p><svg><title>Icon</title><text>480 kg</text></svg> ⇒ One ¦ 480 kg
# hidden and unfolded
<div style='display:none'>The second fare.</div><div hidden>Closed on Mondays.</div> ⇒ The second fare. ¦ Closed on Mondays.
<button aria-expanded=false>How much?</button><div class=collapse>Nine euros</div> ⇒ How much? ¦ Nine euros
<div role=tablist><button role=tab>Adults</button></div><div role=tabpanel>Nine</div> ⇒ Adults ¦ Nine
<details><summary>Fee?</summary><p>31 euros.</details> ⇒ Fee? ¦ 31 euros.
<noscript>Fares rise in May.</noscript><noscript>Please enable JavaScript.</noscript>x ⇒ Fares rise in May. ¦ x
<div><template shadowrootmode=open><p>shown</p></template><template>not</template></div> ⇒ shown
<div><template shadowmode=open>saved by Chrome</template></div> ⇒ saved by Chrome
<iframe srcdoc='&lt;p&gt;in frame&lt;/p&gt;'></iframe>x ⇒ in frame ¦ x
<?php echo ?><!-- no --><![if !IE]>kept<![endif]> ⇒ kept
# tables
<table><caption>Fares</caption><colgroup><col><tr><th>A<th>B<tr><td>1<td>2</table> ⇒ Fares ¦ | A | B | ¦ | --- | --- | ¦ | 1 | 2 |
<table><tr><th>A<tr><td>c<br>d<tr><td><ul><li>a<li>b</ul></table> ⇒ | A | ¦ | --- | ¦ | c d | ¦ | - a - b |
<table><tr><th>A<th>B<tr><td>1<td><table><tr><td>in<td>2<tr><td>on<td>3</table></table> ⇒ | A | B | ¦ | --- | --- | ¦ | 1 | in, 2; on, 3 |
<table><tr><td><h2>News</h2><table><tr><th>A<th>B<tr><td>1<td>2</table><td>beside</table> ⇒ ## News ¦ | A | B | ¦ | --- | --- | ¦ | 1 | 2 | ¦ beside
<table role=presentation><tr><td>one<td>two<tr><td>three</table> ⇒ one ¦ two ¦ three
<table>loose<tr><td>a<td>b<tr><td>1<td>2</table> ⇒ loose ¦ | a | b | ¦ | --- | --- | ¦ | 1 | 2 |
<table><tr><th>A<th>B<th>C<tr><td rowspan=2>1<td>2<td>3<tr><td>4<td>5</table> ⇒ | A | B | C | ¦ | --- | --- | --- | ¦ | 1 | 2 | 3 | ¦ | 1 | 4 | 5 |
<table><thead><tr><th rowspan=2>Plant<th colspan=2>2024<tr><th>MWh<th>Cost</thead><tr><td>Dune<td>11<td>21</table> ⇒ | Plant | 2024 MWh | 2024 Cost | ¦ | --- | --- | --- | ¦ | Dune | 11 | 21 |
<table><tr><td>A<td>B<td>C<tr><td colspan=2>whole<td>3</table> ⇒ | A | B | C | ¦ | --- | --- | --- | ¦ | whole |  | 3 |
<table><tr><th>A<tr><th>B<th>C<tr><td>1<td>2</table> ⇒ | A B | C | ¦ | --- | --- | ¦ | 1 | 2 |
<TABLE><TR><TD>A<TD>B</TR><TR><TD><o:p><P></o:p></P></TD><TD>Seen</TD></TABLE><P></P> ⇒ | A | B | ¦ | --- | --- | ¦ |  | Seen |
<table><thead><tr><th>A<th>B</thead><tfoot><tr><td>Sum<td>7</tfoot><tbody><tr><td>x<td>3<tr><td>y<td>4</table> ⇒ | A | B | ¦ | --- | --- | ¦ | x | 3 | ¦ | y | 4 | ¦ | Sum | 7 |
<div role=table><div role=rowgroup><div role=row><span role=columnheader>Berth</span><span role=columnheader>Fee</span></div></div><div role=row><span role=cell>A</span><span role=cell>5</span></div></div> ⇒ | Berth | Fee | ¦ | --- | --- | ¦ | A | 5 |
<table><tr><td>Mon</td><td><ul><li>10 AM<li>8 PM</ul></td></tr><tr><td><p><b>Tue</b></p></td><td>Closed</td></tr></table> ⇒ | Mon | - 10 AM - 8 PM | ¦ | --- | --- | ¦ | **Tue** | Closed |
<table><tr><th>Site<th>Quay<tr><td>Rostock<td>1,150 m<tr><td>Kiel<td>900 m</table> ⇒ | Site | Quay | ¦ | --- | --- | ¦ | Rostock | 1,150 m | ¦ | Kiel | 900 m |
<table><thead><tr><th>A<th>B<tbody><tr><td>1<td>2<tr><td>3<td>4</table> ⇒ | A | B | ¦ | --- | --- | ¦ | 1 | 2 | ¦ | 3 | 4 |
<table><tr><td><a href=/>Home</a></td><td><h1>Gears</h1><p>Mount a gear.<p>If it turns at rate <i>r</i>, the next turns at -3<i>r</i> and the last at 3<i>r</i>/2. It is slow.</td></tr></table> ⇒ Home ¦ # Gears ¦ Mount a gear. ¦ If it turns at rate *r*, the next turns at -3*r* and the last at 3*r*/2. It is slow.
<table><tr><th colspan=2>Plants<br>Range: old</th></tr><tr><td>Do<wbr>main:</td><td><p>Euka</p><p>rya</p><ul><li>a<li>b</ul></td></tr></table> ⇒ | Plants Range: old | Plants Range: old | ¦ | --- | --- | ¦ | Domain: | Euka  rya   - a - b |
<table><tr><td>x<td>The art of <a href=y>war</a> on design</table><p>z ⇒ | x | The art of war on design | ¦ | --- | --- | ¦ z
"""


@pytest.mark.parametrize(("html", "shown"), cases(SHOWN))
def test_what_a_browser_shows(read: Read, html: str, shown: list[str]) -> None:
    assert lines(read("a.html", f"<html><body>{html}</body></html>".encode())[1]) == shown


FILLER = (
    "<p>" + "The quay is long and the water is deep enough for all ships of the line. " * 9 + "</p>"
)

KEPT = """
<div class="menu"><p>Soup, 7 euros<p>Herring, 9 euros</div> ⇒ Soup, 7 euros ¦ Herring, 9 euros
<div role="alert">The pier is closed until May.</div> ⇒ The pier is closed until May.
<aside>Dogs travel free.</aside> ⇒ Dogs travel free.
<div class="card-footer">Open from 9 to 17.</div> ⇒ Open from 9 to 17.
<dialog><p>Children pay nothing.</dialog> ⇒ Children pay nothing.
<form><label>Name <input value="Ann Ash"></label></form> ⇒ Name Ann Ash
<form>Days: <input type=checkbox>Mo<input type=checkbox>Tu<input type=checkbox>We<input type=checkbox>Th</form> ⇒ Days: [ ] Mo [ ] Tu [ ] We [ ] Th
<section id="sidebar-notes">Bring a coat.</section> ⇒ Bring a coat.
"""


@pytest.mark.parametrize(("kept", "shown"), cases(KEPT))
def test_parts_of_the_text_are_no_furniture(read: Read, kept: str, shown: list[str]) -> None:
    text = read("a.html", f"<html><body>{kept}{FILLER}</body></html>".encode())[1]
    assert lines(text)[:-1] == shown


@pytest.mark.parametrize(
    "dropped",
    [
        "<nav><a href=1>Home</a></nav>",
        '<div class="main-menu"><a href=1>Shop</a> <a href=2>Cart</a></div>',
        '<div class="cookie-banner">We use cookies.</div>',
        '<div role="dialog">Subscribe to our newsletter</div>',
        '<form action="/find"><input type=search placeholder=x><button>Go</button></form>',
        '<footer>Imprint</footer><div id="footer">Terms</div>',
        '<button>Share</button><span aria-hidden="true">×</span>',
        "<aside><a href=1>Other news</a></aside>",
    ],
)
def test_furniture_is_left_out(read: Read, dropped: str) -> None:
    text = read("a.html", f"<html><body>{dropped}{FILLER}</body></html>".encode())[1]
    assert text.startswith("The quay is long")


TABS = """<body><main><h1>Fares</h1><div role="tabpanel" hidden>Tickets for adults cost nine euros
and are sold on board.</div><h2><button aria-controls="x">When is the ferry full?</button></h2>
<p>On Sundays.</p><aside>Dogs travel free.</aside></main>
<form><input type="search"><button>Go</button></form><nav>Home</nav><footer>Imprint</footer></body>
"""


def test_hidden_tabs_questions_and_notes_are_text_and_furniture_is_not(read: Read) -> None:
    _, text, _ = read("a.html", TABS.encode())
    for words in ("nine euros", "When is the ferry full?", "On Sundays.", "Dogs travel free."):
        assert words in " ".join(text.split())
    assert not any(word in text for word in ("Home", "Imprint", "Go"))


def test_a_head_that_never_ends_costs_no_text(read: Read) -> None:
    html = b"<html><head><title>T</title><meta charset=utf-8><h1>Fares</h1><p>Nine euros.</p>"
    content, text, _ = read("a.html", html)
    assert (content.title, lines(text)) == ("T", ["# Fares", "Nine euros."])
    assert lines(read("a.html", b"<head><title>T</title><body><p>Nine euros.")[1]) == [
        "Nine euros."
    ]


def test_an_xml_declaration_is_no_text(read: Read) -> None:
    html = '<?xml version="1.0" encoding="utf-8"?><html><head><title/></head><body><p>Ahoy</html>'
    assert read("a.xhtml", html.encode())[1] == "Ahoy"


def test_cells_that_claim_many_rows_and_columns_take_no_minutes(read: Read) -> None:
    began = time.process_time()
    html = "<table>" + "<tr><td rowspan=9999 colspan=9999>x" * 600 + "</table>"
    _, text, _ = read("a.html", html.encode())
    assert text.count("x") > 600
    assert time.process_time() - began < 30


@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 10_000 + "w0",
        "w0 " + "<b>w0<table>" * 5000,
        "".join(f"<ul><li>w{number}" for number in range(600)) + "</ul>" * 600 + "<p>w600",
        "".join(f"<div>w{number}" for number in range(600)) + "<br>w600<script>x</script>",
    ],
)
def test_a_page_that_is_nested_without_end_keeps_its_words(read: Read, html: str) -> None:
    began = time.process_time()
    words = re.findall(r"\w\d+", read("a.html", html.encode())[1])
    assert list(dict.fromkeys(words)) == [f"w{number}" for number in range(len(set(words)))]
    assert len(set(words)) == len(set(re.findall(r"w\d+", html)))
    assert time.process_time() - began < 30
