"""The addresses of Postgres databases in the environment, for threads and ledger."""

from __future__ import annotations

import os
import re
from typing import Final

from hopyard.state.errors import UsageError
from hopyard.state.extras import require

THREADS_VARIABLE: Final = "HOPYARD_THREADS"
LEDGER_VARIABLE: Final = "HOPYARD_LEDGER"


def address_in(variable: str) -> str:
    """The address that a variable has, or "".

    Raises:
        UsageError: It is no address of a Postgres database, or the extra `postgres` is missing.
    """
    address = os.environ.get(variable, "")
    if not address:
        return ""
    unusable = UsageError(
        f"{variable} is not the address of a Postgres database; write "
        "postgresql://USER@HOST/DATABASE, with special characters of a password percent-encoded "
        "(%40 for @)."
    )
    if not address.startswith(("postgresql://", "postgres://")):
        raise unusable
    require(f"The variable {variable}", "postgres")
    import psycopg
    from psycopg.conninfo import conninfo_to_dict

    try:
        parts = conninfo_to_dict(address)
    except psycopg.Error:  # its text would name a part of the password
        raise unusable from None
    # A / or @ in a password ends it too early, and the rest would be shown as a name.
    port, name, host = (str(parts.get(part, "")) for part in ("port", "dbname", "host"))
    if not re.fullmatch(r"[\d,]*", port) or "@" in name or (host[:1] != "/" and "@" in host[1:]):
        raise unusable
    return address


def without_password(address: str) -> str:
    """An address for people to read: server and database, without password."""
    from psycopg.conninfo import conninfo_to_dict

    parts = {name: str(value) for name, value in conninfo_to_dict(address).items()}
    user, host, port = (parts.get(name, "") for name in ("user", "host", "port"))
    server = f"{user and user + '@'}{'' if host.startswith('/') else host}{port and ':' + port}"
    socket = f"?host={host}" if host.startswith("/") else ""
    return f"postgresql://{server}/{parts.get('dbname', '')}{socket}"
