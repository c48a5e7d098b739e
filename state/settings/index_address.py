"""Indexes that are named by the address of a database; their passwords stay in this process."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeGuard
from urllib.parse import unquote

from hopyard.state.errors import UsageError

_SHAPE: Final = re.compile(
    r"postgres(?:ql)?://(?:(?P<user>[^:@/?]*)(?::(?P<password>[^@/?]*))?@)?"
    r"(?P<hosts>[^@/?]*)/(?P<database>[^@/?]+)(?:\?(?P<options>.*))?"
)
_HOSTS: Final = re.compile(r"(?:(?:[\w.%-]*|\[[\da-fA-F:.]+\])(?::\d+)?(?:,|$))*")
_NAME: Final = re.compile(r"\w[\w.-]{0,63}")
_SECRET: Final = ("password=", "sslpassword=")

_known: Final[dict[str, str]] = {}
"""The addresses with a password that this process was given, by what is shown of them."""


@dataclass(frozen=True)
class IndexAddress:
    """An index in a database.

    Attributes:
        database: The address of the database, with the password if one is known.
        shown: The whole address without a password: what settings, threads and messages have.
    """

    name: str
    database: str
    shown: str


def is_address(name: object) -> TypeGuard[str]:
    """Whether an index is named by an address, and not by a folder."""
    return isinstance(name, str) and name.startswith(("postgresql://", "postgres://"))


def index_address(text: str) -> IndexAddress:
    """Read the address of an index, `postgresql://USER@HOST/DATABASE?index=NAME`.

    An address without a password has that of the same address with one, or that of a variable with
    the same user and server. Otherwise libpq looks for one, as in `PGPASSFILE`.

    Raises:
        UsageError: It is no such address. The message has nothing of it, as it may have a password.
    """
    found = _SHAPE.fullmatch(text)
    if not found or not _HOSTS.fullmatch(found["hosts"]):
        raise UsageError(
            "The index is not the address of a Postgres database; write "
            "postgresql://USER@HOST/DATABASE?index=NAME, with special characters of a password "
            "percent-encoded (%40 for @)."
        )
    options = [option for option in (found["options"] or "").split("&") if option]
    names = [unquote(option[6:]) for option in options if option.startswith("index=")]
    if len(names) != 1 or not _NAME.fullmatch(names[0]):
        raise UsageError(
            "The address of an index ends with its name, as in postgresql://…/DATABASE?index=docs: "
            "letters, digits, '_', '-' and '.', 64 at most."
        )
    others = [option for option in options if not option.startswith("index=")]
    plain = [option for option in others if not unquote(option).startswith(_SECRET)]
    user = "" if found["user"] is None else f"{found['user']}@"
    server = f"postgresql://{user}{found['hosts']}/{found['database']}"
    shown = _with_options(server, [*plain, f"index={names[0]}"])
    password = found["password"] or ""
    if password or plain != others:
        _known[shown] = text
    elif shown in _known:
        return index_address(_known[shown])
    else:
        password = _password_for(found)
    if password:
        server = f"postgresql://{found['user']}:{password}@{found['hosts']}/{found['database']}"
    return IndexAddress(names[0], _with_options(server, others), shown)


def lasting_index(name: str) -> str:
    """The name of an index that means the same in every folder; "" stays ""."""
    return str(Path(name).absolute()) if name and not is_address(name) else name


def public_name(name: object) -> object:
    """The name of an index as settings keep it: an address without its password."""
    return index_address(name).shown if is_address(name) else name


def private_name(name: str) -> str:
    """The name of an index with its password, for another process of this program."""
    if not is_address(name):
        return name
    address = index_address(name)
    mark = "&" if "?" in address.database else "?"
    return f"{address.database}{mark}index={address.name}"


def _with_options(server: str, options: list[str]) -> str:
    return f"{server}?{'&'.join(options)}" if options else server


def _password_for(found: re.Match[str]) -> str:
    """The password of a variable's address with the same user and server; "" for none."""
    for variable in ("HOPYARD_INDEX", "HOPYARD_THREADS", "HOPYARD_LEDGER"):
        other = _SHAPE.fullmatch(os.environ.get(variable, ""))
        if found["user"] and other and _server(found) == _server(other):
            return other["password"] or ""
    return ""


def _server(found: re.Match[str]) -> tuple[object, ...]:
    """The user and server of an address; options may name another server than its beginning."""
    options = (found["options"] or "").split("&")
    return (
        found["user"],
        found["hosts"],
        *(each for each in options if unquote(each).startswith(("host", "port", "service"))),
    )
