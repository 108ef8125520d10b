"""Reads models.toml: what each model is, how its library builds it, and what inputs it takes."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10
    import tomli as tomllib

CATEGORIES = (
    "computer vision",
    "natural language processing",
    "audio",
    "multimodal",
    "scientific computing",
    "other",
)


@dataclass(frozen=True)
class Model:
    name: str
    category: str
    task: str
    package: str  # distribution that ships the architecture
    license: str
    model: str  # dotted name of the class or function that builds it
    inputs: dict[str, Any]  # argument name -> input node, in forward's order
    arguments: dict[str, Any] = field(default_factory=dict)  # of `model`; {new = "pkg.Class", ...} stands for an object
    exact: list[str] = field(default_factory=list)  # inputs that keep the values drawn for the trace: a graph's edges
    dtype: str = "float32"
    script: bool = False  # compiled with its control flow instead of traced
    operators: str = ""  # package to import for operators that PyTorch itself lacks
    meta: bool = False  # too large to build: parameters are never allocated

    def __post_init__(self) -> None:
        if self.category not in CATEGORIES:
            raise ValueError(f"{self.name}: category {self.category!r} is not one of {', '.join(CATEGORIES)}")


def load_registry() -> dict[str, Model]:
    with Path(__file__).with_name("models.toml").open("rb") as file:
        tables = tomllib.load(file)
    return {name: Model(name=name, **table) for name, table in tables.items()}
