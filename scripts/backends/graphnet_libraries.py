"""Libraries of operators outside torch that a sample needs: Python packages, and files that the user gives."""

from __future__ import annotations

import importlib
import importlib.util
import json
import sysconfig
from collections.abc import Collection
from pathlib import Path

import torch
from graphnet_graph import find_operator


class MissingLibraryError(Exception):
    """A library of operators that a sample needs is not here."""


def _import_package(name: str) -> None:
    importlib.import_module(name.replace("-", "_"))


def _is_installed(module: str) -> bool:
    """Whether the module is a package among the installed ones: importing any other runs code that no one installed, or
    a module of Python's own, for the mere name of it."""
    found = importlib.util.find_spec(module)
    locations = found.submodule_search_locations if found else None
    installed = {Path(sysconfig.get_path(kind)).resolve() for kind in ("purelib", "platlib")}
    installed.add(Path(torch.__file__).resolve().parent.parent)
    return bool(locations) and Path(next(iter(locations))).resolve().parent in installed


def _load_given(file_or_package: str) -> None:
    if Path(file_or_package).is_file():
        torch.ops.load_library(str(Path(file_or_package).resolve()))
    else:
        _import_package(file_or_package)


def import_operator_libraries(sample: Path, given: Collection[str] = ()) -> None:
    """Registers the operators of the given libraries (files or Python packages), and of the packages that the sample
    names. A file of the sample's choice is never loaded."""
    for library in given:
        try:
            _load_given(library)
        except Exception as error:
            raise MissingLibraryError(f"--op-library {library} cannot be loaded into Python: {error}") from error
    for library in json.loads((sample / "sample.json").read_text(encoding="utf-8")).get("libraries", []):
        name = library["name"]
        if all(_is_registered(operator_name) for operator_name in library["operators"]):
            continue
        reason = "it is no installed Python package"
        if name.replace("-", "_").isidentifier() and _is_installed(name.replace("-", "_")):
            try:
                _import_package(name)
                continue
            except ImportError as error:
                reason = str(error)
        raise MissingLibraryError(
            f"an operator library of the sample is missing: give {name} with --op-library ({reason})"
        )


def _is_registered(full_name: str) -> bool:
    try:
        find_operator(full_name)
    except ValueError:
        return False
    return True
