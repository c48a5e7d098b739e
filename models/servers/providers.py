"""The providers that LangChain knows, and the one that a mistyped name means."""

from __future__ import annotations

from difflib import get_close_matches
from types import ModuleType

from hopyard.state.errors import UsageError

__all__ = ("check_provider",)


def check_provider(setting: str, spec: str, langchain: ModuleType) -> None:
    """Refuse a provider that LangChain does not know and that looks like a slip of one.

    Args:
        setting: What the name is given for, `model` or `embedding`.
        spec: `provider:NAME`.
        langchain: LangChain's module of chat or embedding models.

    Raises:
        UsageError: The provider is nearly a known one; the sentence names that one.
    """
    known = ["builtin", "ollama", "recorded", *getattr(langchain, "_BUILTIN_PROVIDERS", ())]
    provider, _, name = spec.partition(":")
    if provider in known:
        return
    if meant := get_close_matches(provider.lower().replace("-", "_"), known, n=1):
        raise UsageError(
            f"The {setting} {spec!r} has the unknown provider {provider!r}; did you mean "
            f"{f'{meant[0]}:{name}'!r}?"
        )
