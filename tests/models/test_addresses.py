"""Names of models with and without the address of their server."""

from __future__ import annotations

import pytest

from hopyard.models.names import is_own_server, with_address, without_address


@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("openai:local", "http://127.0.0.1:8080/v1"),
        ("openai:local", "https://user:secret@gateway.example.org/v1/"),
        ("openai:local", "http://localhost"),
        ("openai:local", "http://vllm/v1"),
        ("openai:local", "http://[::1]:9/v1"),
        ("ollama:llama3.1:8b", "gpu7"),
        ("ollama:llama3.1:8b", "gpu.example.org:11434"),
    ],
)
def test_the_address_is_taken_off_again(name: str, address: str) -> None:
    assert with_address(name, address) != name
    assert without_address(with_address(name, address)) == name


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("google_vertexai:claude-sonnet-4@20250514", "google_vertexai:claude-sonnet-4@20250514"),
        ("google_vertexai:m@default", "google_vertexai:m@default"),
        ("openai:gpt-4.1-mini@3f0c5d1e9a72", "openai:gpt-4.1-mini"),
        ("MyModel@3f0c5d1e9a72", "MyModel@3f0c5d1e9a72"),
        ("builtin/smollm2-135m@0.1+90e4c1", "builtin/smollm2-135m@0.1+90e4c1"),
        ("openai:gpt-4.1-mini", "openai:gpt-4.1-mini"),
    ],
)
def test_a_version_is_part_of_the_name(name: str, model: str) -> None:
    assert without_address(name) == model


@pytest.mark.parametrize(
    ("address", "own"),
    [
        ("http://127.0.0.1:8080/v1", True),
        ("localhost:1234", True),
        ("https://eu.api.openai.com/v1", False),
        ("", False),
    ],
)
def test_a_server_of_the_users_own(address: str, own: bool) -> None:
    assert is_own_server(address) is own
