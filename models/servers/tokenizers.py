"""Count the tokens of a prompt with the model's own tokenizer, where this computer has it.

| model | tokenizer |
|---|---|
| a Hugging Face repository, as vLLM names models | `tokenizer.json` of the local cache |
| OpenAI's | the encoding in `tiktoken`'s cache |
| any other | none: the estimate by script (`estimate_tokens`) |

Nothing is downloaded, and no server is asked. The server's count corrects either count
(`models.calls.sized_request`).

No estimate is right for all models: the tokenizers of GPT-4o, Qwen, DeepSeek and Mistral need
tokens for one text that differ by up to half, and for Greek, Hindi and Thai by more. Their tokens
for each token of the estimate, from the lowest to the highest of the four (15 languages of program
translations, 10 to 40 texts of up to 6,000 characters each; MuSiQue; our own Python; made tables):

| text | ratio | text | ratio |
|---|---|---|---|
| English | 0.83 to 0.89 | Chinese | 0.79 to 1.15 |
| German | 0.90 to 1.07 | Japanese | 0.75 to 0.80 |
| Polish | 1.13 to 1.24 | Korean | 0.72 to 0.84 |
| Turkish | 0.99 to 1.33 | Russian | 0.44 to 0.55 |
| Finnish | 1.15 to 1.39 | Arabic | 0.53 to 0.70 |
| Vietnamese | 0.85 to 1.20 | Hindi, Thai | 0.40 to 1.09 |
| Python | 1.00 to 1.05 | tables of numbers | 0.89 to 1.34 |

Between texts of one language and tokenizer the ratio varies by 1 to 16 % (standard deviation), so
the server's count of one prompt corrects the next to about a tenth.
"""

from __future__ import annotations

import logging
import os
import re
import tempfile
from collections.abc import Callable
from functools import lru_cache
from hashlib import sha1, sha256
from pathlib import Path
from typing import Final

from hopyard.models.names import without_address
from hopyard.state.text.tokens import tokens_of

_ADDRESS: Final = "https://openaipublic.blob.core.windows.net/encodings/{}.tiktoken"
"""The address from which `tiktoken` fetches a file. Its hash is the file's name in the cache."""
_ENCODINGS: Final = {
    "cl100k_base": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    "o200k_base": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
}
"""The SHA-256 of each file. `tiktoken` fetches a file with another hash."""
Counter = Callable[[str], int]
"""Counts the tokens of a text."""
_DIGIT: Final = re.compile("[0-9]")
_ACCENTED: Final = re.compile("[\u00c0-\u024f\u1e00-\u1eff]")
logger = logging.getLogger(__name__)


def estimate_tokens(text: str) -> int:
    """About how many tokens a text has, rather too many: by script, digits and accents.

    A digit is a token, as for Qwen, Mistral and Gemma; GPT, Llama 3 and DeepSeek join up to three.
    A letter with an accent is three quarters of one.
    """
    return tokens_of(text) + (3 * len(_DIGIT.findall(text)) + 2 * len(_ACCENTED.findall(text))) // 4


@lru_cache(maxsize=32)
def counter_of(identity: str) -> Counter:
    """A function that counts a text's tokens, special tokens left out. It may read a file.

    Args:
        identity: The model with its server's address (`ChatProvider.identity`).
    """
    provider, _, name = without_address(identity).partition(":")
    try:
        if "/" in name:
            return _hugging_face(name)
        if provider in {"openai", "azure_openai"}:
            return _openai(name)
    except Exception as error:  # Each library has its own errors for files that it cannot read.
        logger.info("no tokenizer of %s: %s", identity, error)
    return estimate_tokens


def _hugging_face(name: str) -> Counter:
    from huggingface_hub import try_to_load_from_cache
    from tokenizers import Tokenizer

    file = try_to_load_from_cache(name, "tokenizer.json")
    if not isinstance(file, str):
        raise FileNotFoundError(f"{name} is not in the cache")
    tokenizer = Tokenizer.from_file(file)
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)


def _openai(name: str) -> Counter:
    import tiktoken

    encoding = tiktoken.encoding_name_for_model(name)
    known, given = Path(tempfile.gettempdir(), "data-gym-cache"), os.environ
    folder = given.get("TIKTOKEN_CACHE_DIR", given.get("DATA_GYM_CACHE_DIR", str(known)))
    file = sha1(_ADDRESS.format(encoding).encode(), usedforsecurity=False).hexdigest()
    data = Path(folder, file).read_bytes() if folder else b""  # an empty name: no cache is used
    if sha256(data).hexdigest() != _ENCODINGS[encoding]:
        raise ValueError(f"{encoding} is not whole in the cache {folder!r}")
    encode = tiktoken.get_encoding(encoding).encode_ordinary
    return lambda text: len(encode(text))
