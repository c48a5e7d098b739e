"""An index without an entity graph says so."""

from __future__ import annotations

from starlette.testclient import TestClient


def test_an_index_without_an_entity_graph_says_what_to_build(client: TestClient) -> None:
    assert client.get("/api/status").json()["entities"] is False
    refused = client.get("/api/entities")
    assert (refused.status_code, "--with entity-graph" in refused.text) == (400, True)
