"""The tables of the corpus store."""

from __future__ import annotations

from typing import Final

__all__ = ("OF_DOCUMENTS", "SCHEMA", "VERSIONED")

VERSIONED: Final = ("documents", "passages")
"""The tables whose rows say which generation added and which removed them."""

OF_DOCUMENTS: Final = ("continuations", "boxes", "readings")
"""The tables whose rows belong to a row of `documents`: to its id, and the generation of it."""

SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS documents (
    id TEXT NOT NULL,
    title TEXT NOT NULL,
    text TEXT NOT NULL,
    metadata TEXT NOT NULL,
    source TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    added INTEGER NOT NULL,
    removed INTEGER
);
CREATE TABLE IF NOT EXISTS passages (
    id TEXT NOT NULL,
    document_id TEXT NOT NULL,
    position INTEGER NOT NULL,
    title TEXT NOT NULL,
    text TEXT NOT NULL,
    content_hash TEXT NOT NULL,
    tokens INTEGER NOT NULL,
    added INTEGER NOT NULL,
    removed INTEGER,
    header TEXT NOT NULL DEFAULT '',
    pages TEXT NOT NULL DEFAULT '',
    section TEXT NOT NULL DEFAULT ''
);
CREATE TABLE IF NOT EXISTS continuations (
    document_id TEXT NOT NULL,
    added INTEGER NOT NULL,
    number INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (document_id, added, number)
);
CREATE TABLE IF NOT EXISTS boxes (
    document_id TEXT NOT NULL,
    added INTEGER NOT NULL,
    page INTEGER NOT NULL,
    boxes BLOB NOT NULL,
    PRIMARY KEY (document_id, added, page)
);
CREATE TABLE IF NOT EXISTS readings (
    document_id TEXT NOT NULL,
    added INTEGER NOT NULL,
    reading TEXT NOT NULL,
    PRIMARY KEY (document_id, added)
);
CREATE TABLE IF NOT EXISTS vectors (
    namespace TEXT NOT NULL,
    content_hash TEXT NOT NULL,
    embedding TEXT NOT NULL,
    vector BLOB NOT NULL,
    PRIMARY KEY (namespace, content_hash, embedding)
);
CREATE TEMPORARY TABLE used (
    namespace TEXT NOT NULL,
    content_hash TEXT NOT NULL,
    PRIMARY KEY (namespace, content_hash)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS builds (generation INTEGER PRIMARY KEY, began TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS generations (oldest INTEGER NOT NULL);
INSERT INTO generations SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM generations);

CREATE INDEX IF NOT EXISTS passages_document ON passages (document_id);
CREATE INDEX IF NOT EXISTS passages_content ON passages (content_hash);
""" + "".join(
    f"""
CREATE INDEX IF NOT EXISTS {table}_id ON {table} (id);
CREATE INDEX IF NOT EXISTS {table}_added ON {table} (added);
CREATE INDEX IF NOT EXISTS {table}_removed ON {table} (removed) WHERE removed IS NOT NULL;
CREATE UNIQUE INDEX IF NOT EXISTS {table}_live ON {table} (id) WHERE removed IS NULL;
"""
    for table in VERSIONED
)
