"""Addresses of indexes in a database, and their passwords."""

from __future__ import annotations

import pytest

from hopyard.state.errors import UsageError
from hopyard.state.settings.given import read_given
from hopyard.state.settings.index_address import index_address


@pytest.mark.parametrize(
    "name",
    [
        "postgresql://me:se/same@host/db?index=x",
        "postgresql://me:se@same@host/db?index=x",
        "postgresql://me:1/same@host/db?index=x",
        "postgresql://me:se?same@host/db?index=x",
        "postgresql://me:same@host/db",
        "postgresql://me:same@host/db?index=",
        "postgresql://me:same@host/db?index=a/b",
    ],
)
def test_what_is_no_address_is_refused_without_its_password(name: str) -> None:
    with pytest.raises(UsageError, match=r"index=") as raised:
        read_given([("index", name)])
    assert "same" not in str(raised.value)


def test_another_server_does_not_get_the_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOPYARD_LEDGER", "postgresql://me:sesame@db.example.org/one")
    assert "sesame" in index_address("postgresql://me@db.example.org/two?index=x").database
    for other in (
        "postgresql://you@db.example.org/two?index=x",
        "postgresql://me@evil.example.org/two?index=x",
        "postgresql://me@db.example.org/two?host=evil.example.org&index=x",
        "postgresql://me@db.example.org/two?index=x&hostaddr=10.0.0.1",
        "postgresql://me@db.example.org/two?service=evil&index=x",
        "postgresql://me@db.example.org/two?%68ost=evil.example.org&index=x",
    ):
        assert "sesame" not in index_address(other).database


def test_the_parts_of_an_address() -> None:
    found = index_address("postgres://me:p%40w@[::1]:5432,other/db?index=a-1.b&sslmode=require")
    assert found.shown == "postgresql://me@[::1]:5432,other/db?sslmode=require&index=a-1.b"
    assert found.database == "postgresql://me:p%40w@[::1]:5432,other/db?sslmode=require"
    assert found.name == "a-1.b"
    hidden = index_address("postgresql://h/db?p%61ssword=sesame&index=x")
    assert (hidden.shown, index_address(hidden.shown)) == ("postgresql://h/db?index=x", hidden)
