"""The input specifications of graphnet (`1x3x224x224`, `2x10:int64@0..5`, ...) as PyTorch values.

SPEC = SHAPE[:DTYPE][@RULE], or VALUE:int, VALUE:float, VALUE:bool, VALUE:str, none. A node of the JSON form is a SPEC,
a number, true, false, null, a list, {"tuple": [...]}, {"string": "..."} or {"dict": {...}}.
"""

from __future__ import annotations

import re
from typing import Any

import torch

DTYPES = {
    name: getattr(torch, name)
    for name in ("float32 float16 bfloat16 float64 int64 int32 int16 int8 uint8 bool complex64 complex128".split())
}
SHAPE = re.compile(r"scalar|\d+(x\d+)*")
RANGE = re.compile(r"(-?[\d.]+?)\.\.(-?[\d.]+)")
CALL = re.compile(r"(\w+)(?:\((.*)\))?")
PLAIN = {"int": int, "float": float, "str": str, "bool": lambda text: text == "true"}


def make_inputs(nodes: dict[str, Any], seed: int) -> dict[str, Any]:
    """Values for the named inputs of a model; the same seed gives the same values."""
    generator = torch.Generator().manual_seed(seed)
    return {name: make_value(node, generator) for name, node in nodes.items()}


def exact_spec(tensor: torch.Tensor) -> str:
    """The spec of a tensor of integers with exactly its values."""
    shape = "x".join(str(size) for size in tensor.shape) or "scalar"
    dtype = str(tensor.dtype).removeprefix("torch.")
    return f"{shape}:{dtype}@values({','.join(str(value) for value in tensor.flatten().tolist())})"


def make_value(node: Any, generator: torch.Generator) -> Any:
    if isinstance(node, str):
        return _make_from_spec(node, generator)
    if isinstance(node, list):
        return [make_value(item, generator) for item in node]
    if isinstance(node, dict):
        ((kind, content),) = node.items()
        if kind == "tuple":
            return tuple(make_value(item, generator) for item in content)
        if kind == "string":
            return content
        if kind == "dict":
            return {key: make_value(item, generator) for key, item in content.items()}
        raise ValueError(f"unknown input kind {kind!r}: use tuple, string or dict")
    return node


def _make_from_spec(spec: str, generator: torch.Generator) -> Any:
    if spec == "none":
        return None
    head, _, rule = spec.partition("@")
    shape, _, dtype = head.partition(":")
    plain_bool = dtype == "bool" and shape in ("true", "false")
    if dtype in ("int", "float", "str") or plain_bool:
        return PLAIN[dtype](shape)
    if not SHAPE.fullmatch(shape):
        raise ValueError(f"bad shape in input {spec!r}: expected a form such as 1x3x224x224 or scalar")
    if dtype and dtype not in DTYPES:
        raise ValueError(f"unknown dtype in input {spec!r}: use one of {', '.join(DTYPES)}")
    size = [] if shape == "scalar" else [int(part) for part in shape.split("x")]
    return _make_tensor(size, DTYPES[dtype or "float32"], rule, generator)


def _make_tensor(size: list[int], dtype: torch.dtype, rule: str, generator: torch.Generator) -> torch.Tensor:
    is_integer = not (dtype.is_floating_point or dtype.is_complex or dtype == torch.bool)
    rule = rule or ("bernoulli(0.5)" if dtype == torch.bool else "0..2" if is_integer else "normal")
    if bounds := RANGE.fullmatch(rule):
        low, high = bounds.groups()
        if is_integer:
            return torch.randint(int(low), int(high), size, generator=generator, dtype=dtype)
        name, numbers = "uniform", [float(low), float(high)]
    else:
        call = CALL.fullmatch(rule)
        if not call:
            raise ValueError(f"unknown input rule {rule!r}")
        name = call.group(1)
        numbers = [float(number) for number in (call.group(2) or "").split(",") if number]
    if name == "normal":
        mean, deviation = numbers or (0.0, 1.0)
        wide = torch.complex64 if dtype.is_complex else torch.float32
        return (torch.randn(size, generator=generator, dtype=wide) * deviation + mean).to(dtype)
    if name == "uniform":
        low, high = numbers
        return (torch.rand(size, generator=generator) * (high - low) + low).to(dtype)
    if name == "bernoulli":
        return (torch.rand(size, generator=generator) < numbers[0]).to(dtype)
    if name in ("ones", "zeros"):
        return torch.full(size, float(name == "ones")).to(dtype)
    if name == "constant":
        return torch.full(size, numbers[0], dtype=torch.float64).to(dtype)
    if name == "values":
        return torch.tensor(numbers, dtype=torch.float64).reshape(size).to(dtype)
    if name == "arange":
        start, step = numbers or (0.0, 1.0)
        count = torch.Size(size).numel()
        return (torch.arange(count, dtype=torch.float64) * step + start).reshape(size).to(dtype)
    raise ValueError(f"unknown input rule {rule!r}")
