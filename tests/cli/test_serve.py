"""The address that `hopyard serve` prints: a browser on this machine opens it."""

from __future__ import annotations

from pathlib import Path

import pytest

from hopyard.cli.serve import _address

from .conftest import Run


@pytest.mark.parametrize(
    ("host", "token", "address"),
    [
        ("127.0.0.1", "", "http://127.0.0.1:8420/"),
        ("docs.example.org", "a+b&c", "http://docs.example.org:8420/?token=a%2Bb%26c"),
        ("0.0.0.0", "abc", "http://127.0.0.1:8420/?token=abc"),  # noqa: S104
        ("::", "abc", "http://[::1]:8420/?token=abc"),
        ("::1", "", "http://[::1]:8420/"),
    ],
)
def test_the_address_is_one_that_the_server_serves(host: str, token: str, address: str) -> None:
    assert _address(host, 8420, token) == address


def test_people_have_no_token_for_all_beside_them(
    hopyard: Run, index: Path, tmp_path: Path
) -> None:
    people = tmp_path / "people.toml"
    people.write_text('[ann]\ntoken = "the token of Ann"\ngroups = "hr"')
    ended = hopyard("serve", "--index", index, "--token", "abc", "--people", people)
    assert "--token or --people" in ended.error
