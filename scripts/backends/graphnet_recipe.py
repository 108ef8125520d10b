"""Recipes that fix every element of a tensor: constant, arange, values, stored; and view, which shares another tensor's
elements. The forms are described in include/graphnet/graph/recipe.h. Recipes that draw are not made here: a compiler
needs the types of weights, not their contents.
"""

from __future__ import annotations

import json
import math
import mmap
import re
import struct
from dataclasses import dataclass
from pathlib import Path

import torch

_RECIPE = re.compile(r"(\w+)\((.*)\)", re.DOTALL)

_SAFETENSORS_DTYPES = {
    "F16": torch.float16,
    "BF16": torch.bfloat16,
    "F32": torch.float32,
    "F64": torch.float64,
    "C64": torch.complex64,
    "C128": torch.complex128,
    "BOOL": torch.bool,
    "U8": torch.uint8,
    "U16": torch.uint16,
    "U32": torch.uint32,
    "U64": torch.uint64,
    "I8": torch.int8,
    "I16": torch.int16,
    "I32": torch.int32,
    "I64": torch.int64,
    "F8_E4M3": torch.float8_e4m3fn,
    "F8_E5M2": torch.float8_e5m2,
}


@dataclass(frozen=True)
class View:
    base: int  # id of the weight whose storage is shared
    offset: int  # elements after that weight's first one


def split_recipe(recipe: str) -> tuple[str, list[str]]:
    match = _RECIPE.fullmatch(recipe)
    if match is None:
        raise ValueError(f"{recipe!r} is no recipe such as constant(1.0)")
    return match[1], match[2].split(",") if match[2] else []


def parse_view(recipe: str) -> View | None:
    if not recipe.startswith("view("):
        return None
    _, (base, offset) = split_recipe(recipe)
    return View(int(base.removeprefix("%")), int(offset))


def parse_constant(recipe: str) -> int | float | None:
    """The c of constant(c)."""
    if not recipe.startswith("constant("):
        return None
    _, (number,) = split_recipe(recipe)
    return _number(number)


def is_exact(recipe: str) -> bool:
    return recipe.startswith(("constant(", "arange(", "values(", "stored("))


def _number(text: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        return float(text)


def _expand(runs: list[str]) -> list[int | float]:
    numbers: list[int | float] = []
    for run in runs:
        count, star, value = run.partition("*")
        numbers.extend([_number(value)] * int(count) if star else [_number(run)])
    return numbers


def _from_numbers(numbers: list[int | float], shape: tuple[int, ...], dtype: torch.dtype) -> torch.Tensor:
    if dtype.is_complex:
        pairs = zip(numbers[0::2], numbers[1::2], strict=True)
        return torch.tensor([complex(real, imaginary) for real, imaginary in pairs], dtype=dtype).reshape(shape)
    return torch.tensor(numbers, dtype=dtype).reshape(shape)


def _arange(start: int | float, step: int | float, shape: tuple[int, ...], dtype: torch.dtype) -> torch.Tensor:
    index_dtype = torch.float64 if isinstance(start, float) or isinstance(step, float) else torch.int64
    index = torch.arange(math.prod(shape), dtype=index_dtype)
    return (index * step + start).to(dtype).reshape(shape)


def _stored(path: Path, name: str) -> torch.Tensor:
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        (header_bytes,) = struct.unpack_from("<Q", data)
        entry = json.loads(data[8 : 8 + header_bytes])[name]
        begin, end = (8 + header_bytes + offset for offset in entry["data_offsets"])
        contents = bytearray(data[begin:end])
    dtype = _SAFETENSORS_DTYPES[entry["dtype"]]
    if not contents:
        return torch.empty(entry["shape"], dtype=dtype)
    return torch.frombuffer(contents, dtype=dtype).reshape(entry["shape"])


def make_exact(recipe: str, shape: tuple[int, ...], dtype: torch.dtype, name: str, weights_file: Path) -> torch.Tensor:
    """The contiguous CPU tensor of an exact recipe. `name` is the value's name ("%12") in the weights file."""
    kind, arguments = split_recipe(recipe)
    match kind:
        case "constant":
            return torch.full(shape, _number(arguments[0]), dtype=dtype)
        case "arange":
            return _arange(_number(arguments[0]), _number(arguments[1]), shape, dtype)
        case "values":
            return _from_numbers(_expand(arguments), shape, dtype)
        case "stored":
            return _stored(weights_file, name).to(dtype)
    raise ValueError(f"{recipe!r} does not fix the elements")
