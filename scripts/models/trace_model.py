"""Writes the TorchScript file of one model of the registry (one process a model, so that none affects another)."""

from __future__ import annotations

import argparse
import contextlib
import functools
import importlib
import importlib.metadata
import json
import warnings
from pathlib import Path
from typing import Any

import torch
from archive import strip_archive
from phantom import make_phantom, parameters_on_meta
from registry import Model, load_registry
from specs import DTYPES, exact_spec, make_inputs


def resolve(dotted: str) -> Any:
    """The object behind a dotted name, where the longest importable prefix is the module."""
    parts = dotted.split(".")
    for end in range(len(parts) - 1, 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:end]))
        except ModuleNotFoundError:
            continue
        for part in parts[end:]:
            found = getattr(found, part)
        return found
    raise ModuleNotFoundError(dotted)


def construct(argument: Any) -> Any:
    """Turns each table {new = "package.Class", name = value, ...} inside `argument` into the object it describes."""
    if isinstance(argument, list):
        return [construct(item) for item in argument]
    if not isinstance(argument, dict):
        return argument
    values = {name: construct(value) for name, value in argument.items()}
    return resolve(values.pop("new"))(**values) if "new" in values else values


def build(model: Model, dense: bool) -> torch.nn.Module:
    """The model as its library builds it, in evaluation mode; without `dense`, with parameters of stride 0."""
    torch.manual_seed(0)
    with parameters_on_meta() if model.meta else contextlib.nullcontext():
        module = resolve(model.model)(**construct(model.arguments))
    module = module.eval().requires_grad_(False)
    if model.dtype != "float32":
        module = module.to(DTYPES[model.dtype])
    if not dense:
        make_phantom(module)
    return module


def describe(model: Model) -> dict[str, Any]:
    drawn = trace_inputs(model)
    return {
        "name": model.name,
        "category": model.category,
        "task": model.task,
        "source": {
            "package": model.package,
            "version": importlib.metadata.version(model.package),
            "model": model.model,
            "license": model.license,
        },
        "inputs": model.inputs | {name: exact_spec(drawn[name]) for name in model.exact},
    }


def return_tuple(module: torch.nn.Module) -> None:
    """Makes `module` return a plain tuple where it returns a transformers ModelOutput, which a trace cannot hold."""
    original = module.forward

    @functools.wraps(original)  # keeps the argument names that the trace takes over
    def forward(*positional: Any, **named: Any) -> Any:
        output = original(*positional, **named)
        return output.to_tuple() if hasattr(output, "to_tuple") else output

    module.forward = forward


def trace_inputs(model: Model) -> dict[str, Any]:
    return make_inputs(model.inputs, seed=0)


def compile_model(model: Model, module: torch.nn.Module) -> torch.jit.ScriptModule:
    if model.script:
        return torch.jit.script(module)
    return_tuple(module)
    return torch.jit.trace(module, example_kwarg_inputs=trace_inputs(model), check_trace=False, strict=False)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", help="a name in models.toml")
    parser.add_argument("file", type=Path, help="the TorchScript file to write")
    parser.add_argument("--dense", action="store_true", help="keep the initial weights instead of stride-0 ones")
    options = parser.parse_args()
    model = load_registry()[options.name]
    warnings.filterwarnings("ignore")
    # One opaque operator would hide the layer that it stands for.
    torch.backends.mha.set_fastpath_enabled(False)
    with torch.inference_mode(False), torch.no_grad():
        module = build(model, options.dense)
        count = sum(parameter.numel() for parameter in module.parameters())
        script = compile_model(model, module)
    torch.jit.save(script, str(options.file), _extra_files={"graphnet.json": json.dumps(describe(model), indent=1)})
    if not options.dense:
        strip_archive(options.file)
    print(f"{count / 1e6:9.1f} M parameters, {options.file.stat().st_size / 1e3:8.0f} KB", flush=True)


if __name__ == "__main__":
    main()
