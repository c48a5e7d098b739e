"""Servers that speak the providers' protocols, for the tests of model calls."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from protocols import ProtocolServer, Script

from hopyard.models.servers import abilities


@pytest.fixture(autouse=True)
def forget_abilities() -> Iterator[None]:
    yield
    abilities._known.clear()


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Start a server with some scripts, and point every provider's client at it."""
    servers: list[ProtocolServer] = []

    def start(*scripts: Script) -> ProtocolServer:
        server = ProtocolServer(list(scripts)).__enter__()
        servers.append(server)
        for name, value in server.environment().items():
            monkeypatch.setenv(name, value)
        return server

    yield start
    for server in servers:
        server.__exit__()
