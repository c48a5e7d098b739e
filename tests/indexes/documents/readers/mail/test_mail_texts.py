"""The texts of mails: encodings, base64, headers that programs write wrongly, dates.

Faults that users of other tools reported: mailparser 71 and 351, mail-parser 29 and 86, cpython
79728, MSGReader 211, php-imap 198, Unstructured 801, zulip 23188, django-mailbox 34, fs2-mail 37,
mailarchive 3515, eml-parse-js 47, eml_parser 24.
"""

from __future__ import annotations

from base64 import b64encode, encodebytes

import pytest

from ..conftest import Read

HEAD = b"From: Ann <ann@x.org>\r\nDate: Tue, 05 Mar 2024 00:30:00 +0100\r\n"


def mail(text: bytes, kind: str = "text/plain; charset=utf-8", more: bytes = b"") -> bytes:
    head = HEAD + more + b"MIME-Version: 1.0\r\nContent-Transfer-Encoding: 8bit\r\n"
    return head + f"Content-Type: {kind}\r\n\r\n".encode() + text


def parts(*blocks: str) -> bytes:
    return "".join(f"--b\r\n{block}\r\n" for block in blocks).encode() + b"--b--\r\n"


@pytest.mark.parametrize(
    ("subject", "title"),
    [
        ("Prüfung der Schleuse".encode("cp1252"), "Prüfung der Schleuse"),
        ("发信方已撤回邮件：测试测试".encode("gb18030"), "发信方已撤回邮件：测试测试"),
        ("Договор о поставке зерна".encode("cp1251"), "Договор о поставке зерна"),
        (b"[SPAM]=?utf-8?B?VGhlIGZpcnN0?=", "[SPAM]The first"),
        (b"=?UTF-8?Q?TT_6543?=\r\n =?UTF-8?Q?0619_=E2=80=93_New?=", "TT 65430619 – New"),
    ],
)
def test_subjects_in_other_encodings(read: Read, subject: bytes, title: str) -> None:
    content, _, _ = read("a.eml", mail(b"Text.", more=b"Subject: " + subject + b"\r\n"))
    assert content.title == title


@pytest.mark.parametrize(
    ("kind", "encoding"),
    [
        ("text/plain", "cp1252"),
        ("text/plain; charset=x-unknown", "cp1252"),
        ("text/plain; charset=us-ascii", "utf-8"),
        ("text/plain; charset=utf-8", "cp1252"),
        ("text/plain; charset=iso-8859-1", "utf-8"),
        ("text/plain; charset=iso-8859-1", "cp1252"),
        ("text/html", "utf-8"),
    ],
)
def test_bodies_whose_encoding_is_wrong_or_not_named(read: Read, kind: str, encoding: str) -> None:
    body = "Grüße aus Köln – der Kaffee in München kostet 5 €."
    given = f"<meta charset='{encoding}'><p>{body}</p>" if kind == "text/html" else body
    _, text, _ = read("a.eml", mail(given.encode(encoding), kind))
    assert text == body


@pytest.mark.parametrize(
    ("kind", "body", "shown"),
    [
        # The boundary of the head is not that of the body: the parts cannot be told apart.
        ("multipart/mixed; boundary=z", parts("\r\nThe gate is shut."), "The gate is shut."),
        (
            "multipart/report; boundary=b",
            parts(
                "\r\nNot delivered.",
                "Content-Type: message/delivery-status\r\n\r\nStatus: 5.1.1",
                "Content-Type: text/rfc822-headers\r\n\r\nSubject: Order 4471",
            ),
            "Not delivered.\n\nStatus: 5.1.1\n\nSubject: Order 4471",
        ),
        (
            "multipart/mixed; boundary=b",
            parts("Content-Type: text/enriched\r\n\r\nRich words."),
            "Rich words.",
        ),
    ],
)
def test_parts_of_other_kinds_are_text(read: Read, kind: str, body: bytes, shown: str) -> None:
    _, text, _ = read("a.eml", mail(body, kind), whole="=z" not in kind)
    assert shown in text


def test_a_mail_tells_its_date_in_both_zones_and_who_got_a_copy(read: Read) -> None:
    more = b"To: Ben <ben@x.org>\r\nCc: Cleo <c@x.org>, d@x.org\r\n"
    content, text, _ = read("a.eml", b"\xef\xbb\xbf" + mail(b"Text.", more=more))
    assert text == "Text."
    assert content.metadata == {
        "author": "Ann <ann@x.org>",
        "to": "Ben <ben@x.org>",
        "cc": "Cleo <c@x.org>, d@x.org",
        "date": "2024-03-05T00:30:00+01:00",
        "date_utc": "2024-03-04T23:30:00+00:00",
    }


@pytest.mark.parametrize(
    ("head", "date"),
    [
        (b"Date: 2024-03-05 10:30\r\n", "2024-03-05 10:30"),
        (b"Received: from a; Tue, 5 Mar 2024 10:30:00 -0000\r\n", "2024-03-05T10:30:00"),
    ],
)
def test_dates_of_mails_in_other_places(read: Read, head: bytes, date: str) -> None:
    content, _, _ = read("a.eml", b"From: a@x.org\r\n" + head + b"\r\nText.")
    assert content.metadata["date"] == date


NAMED = b"From: Ann <ann@x.org>\r\nSubject: Rent\r\nDate: Tue, 05 Mar 2024 00:30:00 +0100\r\n"
QUAY = "Geschäft am Kai neun"
"""20 letters, 21 bytes: its base64 needs no padding."""


@pytest.mark.parametrize(
    ("name", "codec", "text"),
    [
        ("x-gbk", "gbk", "你好世界"),
        ("gb_2312-80", "gb2312", "你好世界"),
        ("iso-8859-8-i", "iso8859-8", "שלום עולם"),
        ("x-mac-roman", "mac_roman", "Müller"),
        ("cp-850", "cp850", "Müller"),
        ("x-windows-949", "cp949", "안녕하세요"),
    ],
)
def test_encodings_that_programs_name_in_their_own_way(
    read: Read, name: str, codec: str, text: str
) -> None:
    kind = f"Content-Type: text/plain; charset={name}\r\nContent-Transfer-Encoding: base64\r\n\r\n"
    assert read("a.eml", NAMED + kind.encode() + b64encode(text.encode(codec)))[1] == text


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (b64encode(QUAY.encode()) + b"\r\n____\r\nThe list", f"{QUAY}\n\n____\nThe list"),
        (
            b64encode(QUAY.encode()) + b"\r\nTo leave the list\r\nvisit x.org",
            f"{QUAY}\n\nTo leave the list\nvisit x.org",
        ),
        (b64encode(f"{QUAY}!".encode()).rstrip(b"=") + b"\r\n-- \r\nlist", f"{QUAY}!\n\n-- \nlist"),
        (b"".join(map(b64encode, (b"Rent ", b"is ", b"5 euros"))), "Rent is 5 euros"),
    ],
)
def test_base64_in_pieces_and_above_plain_lines(read: Read, body: bytes, text: str) -> None:
    kind = b"Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n"
    assert read("a.eml", NAMED + kind + body)[1] == text


@pytest.mark.parametrize(
    "mail",
    [
        b"\r\n\r\n" + NAMED + b"\r\nThe rent is due.",
        b"\xef\xbb\xbf" + NAMED + b"\r\nThe rent is due.",
        b"#! rnews 1042\r\n" + NAMED + b"\r\nThe rent is due.",
        NAMED + b'\r\n\r\nContent-type: multipart/mixed; \r\n\tboundary="0"\r\n\r\n--0\r\n'
        b"Content-type: text/plain\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n"
        b"The rent is =\r\ndue.\r\n--0--\r\n",
    ],
)
def test_headers_below_other_lines_and_in_two_pieces(read: Read, mail: bytes) -> None:
    content, text, _ = read("a.eml", mail)
    assert (content.title, content.metadata["author"]) == ("Rent", "Ann <ann@x.org>")
    assert text == "The rent is due."


LONG = "Der Kran über Gate 5 hebt 480 kg. Bitte räumen Sie den Kai bis 9 Uhr morgens."
PLAIN = "Subject: S\nFrom: ann@a.example\nContent-Type: text/plain; charset=utf-8"


@pytest.mark.parametrize(
    ("mail", "text"),
    [
        pytest.param(
            f"{PLAIN}\n\n{encodebytes(LONG.encode()).decode()}", LONG, id="base64 with no header"
        ),
        pytest.param(f"{PLAIN}\n\n{'QUJD' * 20}", "QUJD" * 20, id="a key in base64"),
        pytest.param(f"{PLAIN}\n\n{'0a8f' * 20}", "0a8f" * 20, id="a key"),
        pytest.param(
            f"{PLAIN}; format=flowed\n\nGate \n5 lifts.\n> quoted \n> on\n>> deep \n  code\nend \n"
            "-- \nAnn",
            "Gate 5 lifts.\n> quoted on\n>> deep \n code\nend \n-- \nAnn", id="flowed"),
        pytest.param(
            f"{PLAIN}; format=flowed; DelSp=yes\n\nDampf \nschiff and  \nmore\n",
            "Dampfschiff and more", id="flowed without the space"),
        pytest.param(f"{PLAIN}; format=Flowed\n\nGate \n5\n", "Gate 5", id="flowed in capitals"),
        pytest.param(
            "Subject: S\nMIME-Version: 1.0\nContent-Type: multipart/alternative; boundary=b\n\n"
            "--b\n\nYour program shows no pages.\n--b\nContent-Type: text/html\n\n"
            "<p>The fee of gate 5 is 40 euros.</p>\n--b--\n",
            "The fee of gate 5 is 40 euros.", id="a plain text that says other things"),
        pytest.param(
            "Subject: S\nContent-Type: text/calendar\n\nBEGIN:VEVENT\nSUMMARY:Tide\n"
            'ATTENDEE;CN="Ann Ash";PARTSTAT=DECLINED:MAILTO:ann@a.example\nSTATUS:CANCELLED\n'
            "RRULE:FREQ=WEEKLY;COUNT=3\nCOMMENT:I am ill\nEND:VEVENT\n",
            "Event: Tide\nAttendee: ann@a.example (Ann Ash, DECLINED)\nStatus: CANCELLED\n"
            "Repeats: FREQ=WEEKLY;COUNT=3\nComment: I am ill", id="an answer to an invitation"),
    ],
)  # fmt: skip
def test_mails(read: Read, mail: str, text: str) -> None:
    assert read("a.eml", mail.encode())[1] == text
