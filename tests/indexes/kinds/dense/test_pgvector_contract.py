"""Vectors in Postgres keep each promise of an index kind."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar

import pytest
from postgres_server import PostgresServer

from hopyard.indexes.building.recipe import OpenCaller
from hopyard.indexes.corpus import shared
from hopyard.indexes.corpus.chunked import LISTING, write_listing
from hopyard.indexes.corpus.mirror import Mirror
from hopyard.indexes.kind import KINDS
from hopyard.state.settings.index_address import index_address
from hopyard.testing import IndexKindContract


class TestPgVector(IndexKindContract):
    kind = KINDS["dense"]
    settings: ClassVar = {"dense": {"store": "pgvector"}}
    volatile = ("store.json", "vector-rows.npy")

    @pytest.fixture(autouse=True)
    def database(self, postgres: PostgresServer) -> None:
        self.place = postgres.place()

    async def build(
        self,
        directory: Path,
        caller: OpenCaller,
        documents: Any = None,
        **options: Any,
    ) -> Any:
        """Build in a directory that belongs to an index of the database."""
        mirror = Mirror(
            index_address(f"{self.place}&index={sha256(str(directory).encode()).hexdigest()[:9]}"),
            directory.parent,
        )
        mirror.build = directory
        shared._mirrors[directory] = mirror
        directory.mkdir(parents=True, exist_ok=True)
        if not (directory / LISTING).exists():
            write_listing(directory, 0, {})
        if told := options.get("progress"):  # the contract ends with the manifest
            options["progress"] = lambda *stage: stage[0] == "publish" or told(*stage)
        return await super().build(directory, caller, documents, **options)
