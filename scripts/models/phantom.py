"""Parameters without storage: one element, expanded to the parameter's shape with stride 0.

A TorchScript file of a model with such parameters keeps shapes, dtypes and code in about 100 KB, whatever the model's
size. graphnet reads a stride-0 parameter as "a dense one of this shape" and draws its values itself. Buffers keep
their values, since tables of positions, frequencies and masks are part of the model; the statistics of batch
normalization are the exception: they are learned, like a parameter.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import nn


@contextmanager
def parameters_on_meta() -> Iterator[None]:
    """Modules built inside allocate no parameters; their buffers are real."""
    register = nn.Module.register_parameter

    def register_on_meta(module: nn.Module, name: str, parameter: nn.Parameter | None) -> None:
        register(module, name, parameter)
        if parameter is not None:
            module._parameters[name] = nn.Parameter(parameter.to("meta"), requires_grad=parameter.requires_grad)

    nn.Module.register_parameter = register_on_meta
    try:
        yield
    finally:
        nn.Module.register_parameter = register


def make_phantom(model: nn.Module) -> None:
    """Replaces the parameters of `model` by stride-0 ones; tied parameters stay tied."""
    replaced: dict[int, nn.Parameter] = {}
    originals = []  # keeps the ids in `replaced` from being used again
    for module in model.modules():
        for name, parameter in module._parameters.items():
            if parameter is None or parameter.numel() <= 1:
                continue
            if id(parameter) not in replaced:
                originals.append(parameter)
                replaced[id(parameter)] = nn.Parameter(_phantom(name, parameter.detach()), requires_grad=False)
            module._parameters[name] = replaced[id(parameter)]
        if isinstance(module, nn.RNNBase):  # holds its parameters a second time
            module._flat_weights = [getattr(module, name) for name in module._flat_weights_names]
        if isinstance(module, nn.modules.batchnorm._BatchNorm) and module.running_mean is not None:
            module.running_mean = _phantom("running_mean", module.running_mean)
            module.running_var = _phantom("running_var", module.running_var)


def _phantom(name: str, parameter: torch.Tensor) -> torch.Tensor:
    value = _representative(name, parameter)
    return torch.full((1,), value, dtype=parameter.dtype).expand(parameter.shape)


def _representative(name: str, parameter: torch.Tensor) -> float:
    """The value of a constant parameter; else one with which values neither grow nor vanish while tracing."""
    if not parameter.is_meta:
        first = parameter.flatten()[0]
        if bool((parameter == first).all()):
            return first.item()
    if parameter.dim() >= 2:
        return 1.0 / parameter[0].numel()  # a matrix of these averages its input
    return 1.0 if name.endswith("weight") else 0.0
