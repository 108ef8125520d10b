"""Loads TorchScript files and runs each on inputs made from its own graphnet.json: are the outputs finite?

Matrices of stride 0 are filled with random values first, as long as the model then fits a small machine: the outputs of
constant matrices would say little.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from specs import make_inputs

MAXIMUM_DRAWN = 1_000_000_000  # parameters


def tensors_in(value: Any) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from tensors_in(item)
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield from tensors_in(item)


def draw_weights(module: torch.jit.ScriptModule) -> None:
    generator = torch.Generator().manual_seed(0)
    for parameter in module.parameters():
        if parameter.dim() >= 2 and not any(parameter.stride()):
            values = torch.randn(parameter.shape, generator=generator) / parameter[0].numel() ** 0.5
            parameter.data = values.to(parameter.dtype)


def check(path: Path) -> str:
    """A line that describes the outputs; raises where the file does not load, run or give finite values."""
    extra = {"graphnet.json": ""}
    module = torch.jit.load(str(path), _extra_files=extra)
    description = json.loads(extra["graphnet.json"])
    inputs = make_inputs(description["inputs"], seed=1)
    names = [argument.name for argument in module.forward.schema.arguments][1:]
    if names[: len(inputs)] != list(inputs):
        raise ValueError(f"forward takes {names}, graphnet.json names {list(inputs)}")
    if sum(parameter.numel() for parameter in module.parameters()) <= MAXIMUM_DRAWN:
        draw_weights(module)
    with torch.no_grad():
        outputs = list(tensors_in(module(*inputs.values())))
    if not outputs:
        raise ValueError("no tensor among the outputs")
    for index, output in enumerate(outputs):
        if not torch.isfinite(output).all():
            raise ValueError(f"output {index} of {len(outputs)} is not finite")
    return " ".join(f"{str(output.dtype).removeprefix('torch.')}{list(output.shape)}" for output in outputs)


def first_line(error: Exception) -> str:
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--import", dest="modules", action="append", default=[], help="a package that brings operators")
    options = parser.parse_args()
    for module in options.modules:
        importlib.import_module(module)
    failures = 0
    warnings.filterwarnings("ignore")
    for path in options.files:
        try:
            print(f"{path.stem:28} {check(path)}", flush=True)
        except Exception as error:  # any failure of one file must not hide the others
            failures += 1
            print(f"{path.stem:28} FAILED: {first_line(error)}", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
