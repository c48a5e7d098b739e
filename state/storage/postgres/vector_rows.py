"""The tables of vectors in Postgres, who may read a row, and the search in a generation."""

from __future__ import annotations

from hashlib import sha256
from typing import Final

from hopyard.state.settings.rights import EVERYONE

READER: Final = "hopyard_reader"
"""The role that reads only the rows of its groups."""
SEARCHED: Final = 200
"""`hnsw.ef_search`, the rows that the graph compares: docs/scale.md has recall and times."""
_HELD: Final = "NULLIF(current_setting('hopyard.groups', true), '')"
BEGIN: Final = f"""
SELECT (SELECT oldest FROM index_vectors WHERE (name, dimension) = (%(name)s, %(dimension)s)),
set_config('search_path', concat_ws(', ', current_setting('search_path'), (
    SELECT quote_ident(nspname) FROM pg_extension JOIN pg_namespace AS space
    ON space.oid = extnamespace WHERE extname = 'vector'
)), true),
set_config('hnsw.ef_search', '{SEARCHED}', true),
set_config('hnsw.iterative_scan', 'relaxed_order', true),
set_config('hopyard.groups', %(groups)s, true),
set_config('role', coalesce((
    SELECT rolname::text FROM pg_roles
    WHERE rolname = '{READER}' AND pg_has_role(oid, 'MEMBER') AND %(groups)s <> ''
), current_setting('role')), true)
"""
TABLES: Final = f"""
CREATE TABLE {{vectors}} (
    row BIGINT PRIMARY KEY,
    readers INTEGER NOT NULL,
    embedding halfvec({{dimension}}) NOT NULL
);
CREATE INDEX ON {{vectors}} (readers);
CREATE TABLE {{rows}} (
    row BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    digest BYTEA NOT NULL,
    readers INTEGER NOT NULL,
    added BIGINT NOT NULL,
    removed BIGINT
);
ALTER TABLE {{vectors}} ENABLE ROW LEVEL SECURITY;
CREATE POLICY readable ON {{vectors}} FOR SELECT USING (readers = ANY (ARRAY(
    SELECT id FROM index_readers WHERE name = {{name}} AND (
        NOT EXISTS (
            SELECT FROM pg_roles WHERE rolname = '{READER}' AND pg_has_role(oid, 'USAGE')
        ) OR {_HELD} IS NOT NULL AND jsonb_array_length(groups) > 0 AND NOT EXISTS (
            SELECT FROM jsonb_array_elements(groups) AS needed WHERE NOT needed ?| array_append(
                ARRAY(SELECT jsonb_array_elements_text({_HELD}::jsonb)), '{EVERYONE}'
            )
        )
    )
)))
"""
GRANT: Final = f"""
DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = '{READER}') THEN
        GRANT SELECT ON {{vectors}} TO {READER};
        GRANT SELECT (row, added, removed) ON {{rows}} TO {READER};
        IF NOT has_table_privilege('{READER}', 'index_readers', 'SELECT') THEN
            -- Only once: two builds that change the rights of one table fail.
            GRANT SELECT ON index_readers TO {READER};
        END IF;
    END IF;
END $$
"""
NEAREST: Final = """
SELECT row, -(embedding <#> %(question)s::halfvec) FROM {vectors} JOIN {rows} AS kept USING (row)
WHERE added <= %(generation)s AND (removed IS NULL OR removed > %(generation)s)
ORDER BY embedding <#> %(question)s::halfvec LIMIT %(limit)s
"""


def vector_table(name: str, dimension: int) -> str:
    """The table of an index's vectors."""
    return f"index_vectors_{sha256(f'{name}/{dimension}'.encode()).hexdigest()[:12]}"
