"""Writes the TorchScript files of some or all models of the registry, and checks that each loads and runs."""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path

from registry import load_registry

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
OUTPUT = ROOT / "build" / "models"
GRAPHNET = ROOT / "build" / "release" / "bin" / "graphnet"

# The folder of samples for each task category.
FOLDERS = {
    "computer vision": "vision",
    "natural language processing": "language",
    "audio": "audio",
    "multimodal": "multimodal",
    "scientific computing": "science",
    "other": "other",
}


def run(script: str, *arguments: str | Path) -> tuple[bool, str]:
    """Runs one script of this folder; whether it succeeded, and the last line that it printed."""
    command = [sys.executable, str(HERE / script), *map(str, arguments)]
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    lines = result.stdout.strip().splitlines()
    return result.returncode == 0, lines[-1] if lines else f"exit code {result.returncode}"


def extract(graphnet: Path, file: Path, folder: Path, operators: str) -> bool:
    """Makes a sample of a TorchScript file; graphnet itself says what went wrong."""
    libraries = ["--op-library", operators] if operators else []
    return subprocess.run([str(graphnet), "extract", str(file), "-o", str(folder), *libraries]).returncode == 0


def main() -> int:
    registry = load_registry()
    parser = argparse.ArgumentParser(prog="scripts/models/build", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="models to write (default: all)")
    parser.add_argument("-o", "--output", type=Path, default=OUTPUT, metavar="DIR", help="where to (build/models)")
    parser.add_argument("--list", action="store_true", help="list the models and write nothing")
    parser.add_argument("--dense", action="store_true", help="with the initial weights: files as large as the models")
    parser.add_argument("--samples", type=Path, metavar="DIR", help="extract a sample of each below this folder")
    parser.add_argument(
        "--graphnet", type=Path, default=GRAPHNET, metavar="PROGRAM", help="for --samples (build/release)"
    )
    options = parser.parse_args()
    if unknown := [name for name in options.names if name not in registry]:
        parser.error(f"unknown model {', '.join(unknown)}: see --list")
    models = [registry[name] for name in options.names or registry]
    if options.list:
        for model in models:
            print(f"{model.name:24} {model.dtype:9} {model.category:28} {model.task:32} {model.model}")
        return 0
    options.output.mkdir(parents=True, exist_ok=True)
    failures = 0
    for model in models:
        start = time.monotonic()
        file = options.output / f"{model.name}.pt"
        succeeded, line = run("trace_model.py", model.name, file, *(["--dense"] if options.dense else []))
        if succeeded:
            operators = ["--import", model.operators] if model.operators else []
            succeeded, checked = run("check_file.py", file, *operators)
            line = f"{line}  {checked.removeprefix(model.name).strip()}"
        print(
            f"{model.name:24} {'' if succeeded else 'FAILED: '}{line}  ({time.monotonic() - start:.0f} s)", flush=True
        )
        if succeeded and options.samples:
            succeeded = extract(options.graphnet, file, options.samples / FOLDERS[model.category], model.operators)
        failures += not succeeded
    print(f"{len(models) - failures} of {len(models)} models done: {options.output}", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
