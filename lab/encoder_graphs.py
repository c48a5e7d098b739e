"""Write `models/builtin/e5.onnx` and `minilm.onnx`: the layers of the built-in embedding models.

    python -m lab.encoder_graphs

A file holds the graph alone. Each weight in it is a name and a shape; the modules `e5` and `minilm`
of `models/builtin` hand the values to onnxruntime. So neither PyTorch nor this module is needed to
embed a text.

Both models are BERT (Devlin et al. 2019), then the mean over the tokens, scaled to length 1
(Reimers and Gurevych 2019). E5 multiplies integers of 8 bits. onnxruntime's own quantization gives
all tokens of a batch one scale, so that a text's vector would depend on the others; here each token
has its own scale.

E5's vectors all point one way: the cosine of unrelated passages is .76 (median of HotpotQA). So the
graph takes off `centre`, the mean vector of our own passages and names, and scales to length 1
again. Then it is .15, and thresholds mean what they mean for other models.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final

import numpy as np
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

from hopyard.models.builtin import e5, minilm
from hopyard.models.embedder import Vector

__all__ = ("CENTRE", "e5_graph", "minilm_graph")

HEADS: Final = 12
WIDTH: Final = 384
INNER_WIDTH: Final = 1536
POSITIONS: Final = 512
HIDDEN: Final = -1e30
"""Added to the attention score of a padding token."""
ZERO: Final = 128
"""The integer that stands for 0 in a token; 127 above it stands for its largest number."""
CENTRE: Final = "centre"
"""The constant that is taken off E5's vectors."""
OWN_TEXTS: Final = ("examples/solar_system/corpus.jsonl", "lab/gate_written/*/corpus.jsonl")
NAME: Final = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+(?: [A-Z][a-z]+)*")
NAMES: Final = 400
OPSET: Final = 20
"""The first with Gelu."""
IR_VERSION: Final = 9


class _Graph:
    """Nodes and constants so far. A tensor is known by its name."""

    def __init__(self, norm_epsilon: float) -> None:
        self.nodes: list[NodeProto] = []
        self.tensors: list[TensorProto] = []
        self._norm_epsilon = norm_epsilon

    def add(self, kind: str, *inputs: str, name: str = "", **attributes: Any) -> str:
        """Apply an operator of ONNX; returns its output."""
        output = name or f"{kind}{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [output], **attributes))
        return output

    def constant(self, value: Any, kind: type = np.int64) -> str:
        """A constant with this value."""
        name = f"constant{len(self.tensors)}"
        self.tensors.append(numpy_helper.from_array(np.asarray(value, kind), name))
        return name

    def weight(self, name: str, *shape: int, kind: int = TensorProto.FLOAT) -> str:
        """A weight of the model, by its name."""
        tensor = TensorProto(name=name, dims=shape, data_type=kind)
        tensor.data_location = TensorProto.EXTERNAL
        tensor.external_data.add(key="location", value="weights")
        self.tensors.append(tensor)
        return name

    def linear(self, x: str, width: int, layers: dict[str, int]) -> list[str]:
        """Linear layers of one input: [n, t, width] to [n, t, new width] each."""
        found = []
        for name, new_width in layers.items():
            rows = self.weight(f"{name}.weight", new_width, width)
            product = self.add("MatMul", x, self.add("Transpose", rows, perm=[1, 0]))
            found.append(self.add("Add", product, self.weight(f"{name}.bias", new_width)))
        return found

    def norm(self, x: str, name: str) -> str:
        """Layer normalisation of the last axis."""
        scale, shift = (self.weight(f"{name}.{part}", WIDTH) for part in ("weight", "bias"))
        return self.add("LayerNormalization", x, scale, shift, epsilon=self._norm_epsilon)

    def model(self, name: str) -> ModelProto:
        """The finished model."""
        words = helper.make_tensor_value_info("words", TensorProto.FLOAT, ["n", "t", WIDTH])
        mask = helper.make_tensor_value_info("mask", TensorProto.INT64, ["n", "t"])
        vectors = helper.make_tensor_value_info("vectors", TensorProto.FLOAT, ["n", WIDTH])
        made = helper.make_graph(self.nodes, name, [words, mask], [vectors], self.tensors)
        versions = [helper.make_opsetid("", OPSET)]
        return helper.make_model(made, opset_imports=versions, ir_version=IR_VERSION)


class _IntegerGraph(_Graph):
    """A graph whose linear layers multiply integers."""

    def linear(self, x: str, width: int, layers: dict[str, int]) -> list[str]:
        flat = self.add("Reshape", x, self.constant([-1, width]))
        largest = self.add("ReduceMax", self.add("Abs", flat), self.constant([-1]), keepdims=0)
        scale = self.add("Mul", largest, self.constant(1 / (ZERO - 1), np.float32))
        zero = self.constant(ZERO, np.uint8)
        zeros = self.add("Expand", zero, self.add("Shape", scale))
        whole = self.add("QuantizeLinear", flat, scale, zeros, axis=0)
        of_token = self.add("Unsqueeze", scale, self.constant([1]))
        shape = self.add("Concat", self.add("Shape", "mask"), self.constant([-1]), axis=0)
        found = []
        for name, new_width in layers.items():
            columns = self.weight(f"{name}.weight", width, new_width, kind=TensorProto.INT8)
            product = self.add("MatMulInteger", whole, columns, zero)
            product = self.add("Mul", self.add("Cast", product, to=TensorProto.FLOAT), of_token)
            product = self.add("Mul", product, self.weight(f"{name}.scale", new_width))
            product = self.add("Add", product, self.weight(f"{name}.bias", new_width))
            found.append(self.add("Reshape", product, shape))
        return found


def minilm_graph() -> ModelProto:
    """all-MiniLM-L6-v2, from the vectors of tokens and their mask to vectors of length 1."""
    graph = _Graph(1e-12)
    positions = graph.weight("embeddings.position_embeddings.weight", POSITIONS, WIDTH)
    segments = graph.weight("embeddings.token_type_embeddings.weight", 2, WIDTH)
    x = graph.add("Add", "words", _positions(graph, positions))
    x = graph.add("Add", x, graph.add("Gather", segments, graph.constant(0)))
    _layers(graph, x, 6, "vectors")
    return graph.model("all-MiniLM-L6-v2")


def e5_graph(centre: Vector) -> ModelProto:
    """multilingual-e5-small, from the vectors of tokens and their mask to vectors of length 1.

    Args:
        centre: [384] What is taken off each vector.
    """
    graph = _IntegerGraph(1e-12)
    positions = graph.weight("positions", POSITIONS, WIDTH)
    x = graph.add("Add", "words", _positions(graph, positions))
    _layers(graph, x, e5.LAYERS, "crowded")
    graph.tensors.append(numpy_helper.from_array(centre, CENTRE))
    spread = graph.add("Sub", "crowded", CENTRE)
    graph.add("LpNormalization", spread, name="vectors", axis=-1, p=2)
    return graph.model("multilingual-e5-small")


def _positions(graph: _Graph, positions: str) -> str:
    """The position of each token: [t, 384]."""
    length = graph.add("Shape", "mask", start=1, end=2)
    return graph.add("Slice", positions, graph.constant([0]), length, graph.constant([0]))


def _layers(graph: _Graph, x: str, layers: int, vectors: str) -> None:
    """All layers, and the mean over the tokens under the name `vectors`."""
    mask = graph.add("Cast", "mask", to=TensorProto.FLOAT)
    padding = graph.add("Sub", graph.constant(1, np.float32), mask)
    hidden = graph.add("Mul", padding, graph.constant(HIDDEN, np.float32))
    hidden = graph.add("Unsqueeze", hidden, graph.constant([1, 2]))  # [n, 1, 1, t]
    x = graph.norm(x, "embeddings.LayerNorm")
    for layer in range(layers):
        x = _layer(graph, x, hidden, f"encoder.layer.{layer}")
    _mean(graph, x, mask, vectors)


def _layer(graph: _Graph, x: str, hidden: str, name: str) -> str:
    """Attention and feed-forward network, each added to its input and normalised."""
    seen = _attention(graph, x, hidden, name)
    [seen] = graph.linear(seen, WIDTH, {f"{name}.attention.output.dense": WIDTH})
    x = graph.norm(graph.add("Add", x, seen), f"{name}.attention.output.LayerNorm")
    [inner] = graph.linear(x, WIDTH, {f"{name}.intermediate.dense": INNER_WIDTH})
    inner = graph.add("Gelu", inner)
    [outer] = graph.linear(inner, INNER_WIDTH, {f"{name}.output.dense": WIDTH})
    return graph.norm(graph.add("Add", x, outer), f"{name}.output.LayerNorm")


def _attention(graph: _Graph, x: str, hidden: str, name: str) -> str:
    """The part of each token that it sees of the others, all heads side by side: [n, t, 384]."""
    split = graph.constant([0, 0, HEADS, WIDTH // HEADS])
    parts = {f"{name}.attention.self.{part}": WIDTH for part in ("query", "key", "value")}
    query, key, value = (
        graph.add("Reshape", part, split) for part in graph.linear(x, WIDTH, parts)
    )
    query = graph.add("Transpose", query, perm=[0, 2, 1, 3])  # [n, heads, t, 32]
    key = graph.add("Transpose", key, perm=[0, 2, 3, 1])  # [n, heads, 32, t]
    value = graph.add("Transpose", value, perm=[0, 2, 1, 3])
    scale = graph.constant((WIDTH // HEADS) ** -0.5, np.float32)
    scores = graph.add("Mul", graph.add("MatMul", query, key), scale)  # [n, heads, t, t]
    shares = graph.add("Softmax", graph.add("Add", scores, hidden), axis=-1)
    seen = graph.add("Transpose", graph.add("MatMul", shares, value), perm=[0, 2, 1, 3])
    return graph.add("Reshape", seen, graph.constant([0, 0, WIDTH]))


def _mean(graph: _Graph, x: str, mask: str, vectors: str) -> None:
    """The mean over the tokens that are no padding, scaled to length 1: [n, 384]."""
    tokens = graph.constant([1])
    read = graph.add("Mul", x, graph.add("Unsqueeze", mask, graph.constant([2])))
    total = graph.add("ReduceSum", read, tokens, keepdims=0)
    mean = graph.add("Div", total, graph.add("ReduceSum", mask, tokens))
    graph.add("LpNormalization", mean, name=vectors, axis=-1, p=2)


def _own_centre() -> Vector:
    """The mean of E5's vectors of our own passages, and of the names in them: [384]."""
    e5.GRAPH_FILE.write_bytes(e5_graph(np.zeros(WIDTH, np.float32)).SerializeToString())
    files = [file for pattern in OWN_TEXTS for file in sorted(Path().glob(pattern))]
    rows = [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]
    texts = [f"{row['title']}\n{row['text']}" for row in rows]
    names = sorted({name for text in texts for name in NAME.findall(text)})[:NAMES]
    model = e5.E5Embedder()
    means = [
        model.embed_documents([model.instructions.passage + text for text in some]).mean(axis=0)
        for some in (texts, names)
    ]
    return np.asarray(sum(means) / 2, dtype=np.float32)


if __name__ == "__main__":
    minilm.GRAPH_FILE.write_bytes(minilm_graph().SerializeToString())
    e5.GRAPH_FILE.write_bytes(e5_graph(_own_centre()).SerializeToString())
