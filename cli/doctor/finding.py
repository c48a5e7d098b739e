"""A line of `hopyard doctor`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hopyard.state.errors import HopyardError


@dataclass(frozen=True)
class Finding:
    """One thing looked at.

    Attributes:
        needed: Whether Hopyard cannot work without it as it is set up.
    """

    name: str
    ok: bool
    detail: str
    cure: str = ""
    needed: bool = True


def finding_of(name: str, look: Callable[[], str], cure: str = "") -> Finding:
    """The finding of a look, which returns what it found or raises an error."""
    try:
        return Finding(name, True, look())
    except HopyardError as error:
        return Finding(name, False, str(error), cure)
    except OSError as error:
        return Finding(name, False, f"{error.strerror}: {error.filename}", cure)
