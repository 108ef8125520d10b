"""A sample's graph.json as a torch.fx module.

The text form is described in include/graphnet/graph/text.h. Every operator call becomes one call of torch.ops; weights
become parameters and constants buffers, named after their value ("%12" -> "w12"). The module takes the graph's input
tensors (and weights that are asked to be inputs) and returns its output tensors as a flat tuple, in order.
"""

from __future__ import annotations

import json
import math
import operator
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from graphnet_recipe import parse_constant, parse_view

FORMAT_VERSION = 1

_LAYOUTS = {
    "strided": torch.strided,
    "sparse": torch.sparse_coo,
    "sparse_csr": torch.sparse_csr,
    "mkldnn": torch._mkldnn,
    "jagged": torch.jagged,
}
_MEMORY_FORMATS = {
    "contiguous": torch.contiguous_format,
    "preserve": torch.preserve_format,
    "channels_last": torch.channels_last,
    "channels_last_3d": torch.channels_last_3d,
}
_TYPE = re.compile(r"(\w+)\[([\d,]*)\](?:\{([\d,]*)\})?")


@dataclass(frozen=True)
class TensorType:
    dtype: torch.dtype
    shape: tuple[int, ...]
    strides: tuple[int, ...]

    @property
    def element_count(self) -> int:
        return math.prod(self.shape)

    def empty(self, device: torch.device) -> torch.Tensor:
        return torch.empty_strided(self.shape, self.strides, dtype=self.dtype, device=device)


@dataclass(frozen=True)
class Value:
    """An input, a weight or a constant: a tensor that exists before the first call."""

    id: int
    name: str
    type: TensorType
    recipe: str
    is_constant: bool = False  # its recipe fixes its contents

    @property
    def buffer_name(self) -> str:
        return f"w{self.id}"


@dataclass(frozen=True)
class Call:
    operator: str  # full name: "aten::add.Tensor"
    arguments: list[Any]  # as in the text form
    results: list[list[int] | int | None]  # ids of the tensors at each return


@dataclass(frozen=True)
class Graph:
    inputs: list[Value]
    weights: list[Value]
    constants: list[Value]
    schemas: dict[str, Any]  # full name -> the recorded schema
    calls: list[Call]
    outputs: list[int]  # ids of the output tensors, in order; may name one twice


def parse_dtype(name: str) -> torch.dtype:
    dtype = getattr(torch, name, None)
    if not isinstance(dtype, torch.dtype):
        raise ValueError(f"this torch has no dtype {name}")
    return dtype


def _contiguous_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    strides: list[int] = []
    step = 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return tuple(reversed(strides))


def parse_type(text: str) -> TensorType:
    match = _TYPE.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is no tensor type such as float32[2,3]")
    dtype, shape_text, strides_text = match.groups()
    shape = tuple(int(size) for size in shape_text.split(",") if size)
    strides = _contiguous_strides(shape)
    if strides_text is not None:
        strides = tuple(int(stride) for stride in strides_text.split(",") if stride)
    return TensorType(parse_dtype(dtype), shape, strides)


def _parse_id(text: str) -> int:
    if not text.startswith("%"):
        raise ValueError(f"{text!r} is no value such as %4")
    return int(text[1:])


def _parse_value(node: dict[str, Any], is_constant: bool = False) -> Value:
    return Value(_parse_id(node["value"]), node.get("name", ""), parse_type(node["type"]), node["recipe"], is_constant)


def _parse_result(node: Any) -> list[int] | int | None:
    if node is None:
        return None
    if isinstance(node, list):
        return [_parse_id(text.partition(" ")[0]) for text in node]
    return _parse_id(node.partition(" ")[0])


def _output_ids(node: Any) -> Iterator[int]:
    """The tensors of an output tree, depth first."""
    if isinstance(node, str):
        yield _parse_id(node)
    elif isinstance(node, list):
        for item in node:
            yield from _output_ids(item)
    elif isinstance(node, dict) and "tuple" in node:
        yield from _output_ids(node["tuple"])
    elif isinstance(node, dict) and "dict" in node:
        for _, item in node["dict"]:
            yield from _output_ids(item)


def read_graph(path: Path) -> Graph:
    text = json.loads(path.read_text(encoding="utf-8"))
    if text["graphnet"] > FORMAT_VERSION:
        raise ValueError(f"{path} has format version {text['graphnet']}; this program reads {FORMAT_VERSION}")
    schemas = {}
    for line in text["operators"]:
        schema = torch._C.parse_schema(line)
        schemas[f"{schema.name}.{schema.overload_name}" if schema.overload_name else schema.name] = schema
    return Graph(
        inputs=[_parse_value(node) for node in text["inputs"]],
        weights=[_parse_value(node) for node in text["weights"]],
        constants=[_parse_value(node, is_constant=True) for node in text["constants"]],
        schemas=schemas,
        calls=[
            Call(name, arguments, [_parse_result(r) for r in results]) for name, arguments, results in text["calls"]
        ],
        outputs=list(_output_ids(text["output"])),
    )


def find_operator(full_name: str) -> Any:
    """The operator that "namespace::name.overload" names. Raises ValueError where there is none."""
    namespace, _, rest = full_name.partition("::")
    name, _, overload = rest.partition(".")
    try:
        return getattr(getattr(getattr(torch.ops, namespace), name), overload or "default")
    except AttributeError:
        raise ValueError(f"this torch has no operator {full_name}") from None


def _is_tensor_list(returned: Any) -> bool:
    return isinstance(returned.type, torch.ListType) and "Tensor" in str(returned.type)


def _written_roots(graph: Graph) -> set[int]:
    """Inputs, weights and constants that some call writes to, directly or through a view.

    A result with an alias annotation counts as a view of every annotated argument: at worst one copy too many.
    """
    root = {value.id: value.id for value in (*graph.inputs, *graph.weights, *graph.constants)}
    for weight in graph.weights:
        view = parse_view(weight.recipe)
        if view is not None:
            root[weight.id] = view.base
    roots: dict[int, set[int]] = {value: {base} for value, base in root.items()}
    written: set[int] = set()
    for call in graph.calls:
        schema = graph.schemas[call.operator]
        aliased: set[int] = set()
        for argument, declared in zip(call.arguments, schema.arguments, strict=True):
            if declared.alias_info is None:
                continue
            for value in _argument_ids(argument):
                aliased |= roots.get(value, set())
                if declared.alias_info.is_write:
                    written |= roots.get(value, set())
        if not aliased:
            continue
        for result in call.results:
            for value in result if isinstance(result, list) else [result]:
                if value is not None:
                    roots.setdefault(value, set()).update(aliased)
    return written


def _argument_ids(argument: Any) -> Iterator[int]:
    if isinstance(argument, str):
        yield _parse_id(argument)
    elif isinstance(argument, list):
        for element in argument:
            yield from _argument_ids(element)


def scalar_constant(value: Value) -> int | float | None:
    """The number that a 0-dim constant holds; None for any other value."""
    if not value.is_constant or value.type.shape or value.type.dtype.is_complex:
        return None
    return parse_constant(value.recipe)


class _Builder:
    def __init__(
        self,
        graph: Graph,
        device: torch.device,
        make_buffer: Callable[[Value], torch.Tensor],
        weight_inputs: Collection[Value],
    ) -> None:
        self.source = graph
        self.device = device
        self.make_buffer = make_buffer
        self.weight_inputs = weight_inputs
        self.target = torch.fx.Graph()
        self.root = torch.nn.Module()
        self.nodes: dict[int, torch.fx.Node] = {}

    def build(self) -> torch.fx.GraphModule:
        written = _written_roots(self.source)
        arguments = [(value, self.target.placeholder(f"x{value.id}")) for value in self.source.inputs]
        arguments += [(value, self.target.placeholder(value.buffer_name)) for value in self.weight_inputs]
        for value, node in arguments:
            self._define(value, node, written)
        for value in self.source.weights:
            if value.id not in self.nodes:
                self._define_weight(value, written)
        for value in self.source.constants:
            self._define_constant(value, written)
        for call in self.source.calls:
            self._add_call(call)
        self.target.output(tuple(self.nodes[value] for value in self.source.outputs))
        return torch.fx.GraphModule(self.root, self.target).eval()

    def _define(self, value: Value, node: torch.fx.Node, written: set[int]) -> None:
        """Every run starts from the same state: what the graph writes to is copied first."""
        if value.id in written:
            node = self.target.call_function(torch.ops.aten.clone.default, (node,))
        self.nodes[value.id] = node

    def _define_buffer(self, value: Value, written: set[int]) -> None:
        """Weights are parameters, of which compilers make no copies: calls never write to them here."""
        tensor = self.make_buffer(value)
        if value.is_constant:
            self.root.register_buffer(value.buffer_name, tensor)
        else:
            self.root.register_parameter(value.buffer_name, torch.nn.Parameter(tensor, requires_grad=False))
        self._define(value, self.target.get_attr(value.buffer_name), written)

    def _define_weight(self, value: Value, written: set[int]) -> None:
        view = parse_view(value.recipe)
        if view is None:
            self._define_buffer(value, written)
            return
        arguments = (self.nodes[view.base], value.type.shape, value.type.strides, view.offset)
        self.nodes[value.id] = self.target.call_function(torch.ops.aten.as_strided.default, arguments)

    def _define_constant(self, value: Value, written: set[int]) -> None:
        """A scalar becomes a call, so that a compiler sees its value as it sees literals in a model's code."""
        scalar = scalar_constant(value)
        if scalar is None:
            self._define_buffer(value, written)
            return
        keywords = {"dtype": value.type.dtype, "device": self.device}
        self.nodes[value.id] = self.target.call_function(torch.ops.aten.full.default, ([], scalar), keywords)

    def _add_call(self, call: Call) -> None:
        function = find_operator(call.operator)
        recorded = self.source.schemas[call.operator]
        given = {
            declared.name: self._argument(argument)
            for declared, argument in zip(recorded.arguments, call.arguments, strict=True)
        }
        positional: list[Any] = []
        keywords: dict[str, Any] = {}
        for declared in function._schema.arguments:
            if declared.name in given:
                value = given.pop(declared.name)
            elif declared.has_default_value():
                value = declared.default_value
            else:
                raise ValueError(f"{call.operator} needs argument {declared.name} in this torch; the graph has none")
            if declared.kwarg_only:
                keywords[declared.name] = value
            else:
                positional.append(value)
        if given:
            raise ValueError(f"{call.operator} has no argument {next(iter(given))} in this torch")
        node = self.target.call_function(function, tuple(positional), keywords)
        self._define_results(call, function._schema.returns, node)

    def _define_results(self, call: Call, returns: list[Any], node: torch.fx.Node) -> None:
        for index, result in enumerate(call.results):
            if result is None:
                continue
            element = node if len(returns) == 1 else self._item(node, index)
            if isinstance(result, list):
                for position, value in enumerate(result):
                    self.nodes[value] = self._item(element, position)
            else:
                self.nodes[result] = element

    def _item(self, node: torch.fx.Node, index: int) -> torch.fx.Node:
        return self.target.call_function(operator.getitem, (node, index))

    def _argument(self, argument: Any) -> Any:
        if isinstance(argument, str):
            return self.nodes[_parse_id(argument)]
        if isinstance(argument, list):
            return [self._argument(element) for element in argument]
        if not isinstance(argument, dict):
            return argument
        ((kind, value),) = argument.items()
        match kind:
            case "string":
                return value
            case "float":
                return float(value)
            case "complex":
                return complex(*(self._real(part) for part in value))
            case "dtype":
                return parse_dtype(value)
            case "layout":
                return _LAYOUTS[value]
            case "memory_format":
                return _MEMORY_FORMATS[value]
            case "device":
                return self.device if value == "sample" else torch.device("cpu")
        raise ValueError(f"unknown kind of argument: {kind}")

    @staticmethod
    def _real(part: Any) -> float:
        """One part of a complex number: a number, or {"float": "inf"}."""
        return float(part["float"] if isinstance(part, dict) else part)


def build_module(
    graph: Graph,
    device: torch.device,
    make_buffer: Callable[[Value], torch.Tensor],
    weight_inputs: Collection[Value] = (),
) -> torch.fx.GraphModule:
    """The graph as a module. `make_buffer` makes the tensor of a weight or constant; views of other weights are not
    asked for, they are cut out of their base inside the module. `weight_inputs` become arguments after the inputs."""
    return _Builder(graph, device, make_buffer, weight_inputs).build()
