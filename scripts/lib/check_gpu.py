"""What scripts/check_gpu does: builds, tests, validates and benches on a device, and reports on all of it.

The steps know nothing of each other: each adds its part to the report, and its failures, and the next one runs.
"""

import argparse
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import gpu_steps
from gpu_report import Report, describe_machine

ROOT = Path(__file__).resolve().parents[2]

# Small ones of several kinds: embeddings, convolutions, FFTs on complex numbers, attention.
SAMPLES = ("other/deepfm", "vision/squeezenet1_1", "science/fno2d", "language/t5-small")
SAMPLES_ON_TEST_DEVICE = ("other/deepfm", "science/fno2d")


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="check_gpu", add_help=False)
    parser.add_argument("-o", "--output", type=Path, default=Path("check_gpu.json"))
    parser.add_argument("--python", default=os.environ.get("GRAPHNET_PYTHON"))
    parser.add_argument("--build", type=Path)
    parser.add_argument("--seconds", type=float, default=480)
    device = parser.add_mutually_exclusive_group()
    device.add_argument("--device", default="cuda")
    device.add_argument("--test-device", action="store_true")
    parser.add_argument("--samples", type=Path, nargs="+")
    return parser.parse_args()


def python_of(build: Path) -> str | None:
    """The Python that an existing build belongs to."""
    config = build / "share" / "graphnet" / "config.json"
    return json.loads(config.read_text())["python"] if config.exists() else None


def make_target(arguments: argparse.Namespace) -> gpu_steps.Target:
    build = (arguments.build or ROOT / "build" / "gpu").resolve()
    if arguments.test_device:
        library = build / "tests" / "device" / "libgraphnet_test_device.so"
        # Inductor has no code for this device.
        device, libraries, compilers, names = "test_device", [library], ["torchscript", "eager"], SAMPLES_ON_TEST_DEVICE
    else:
        device, libraries, compilers, names = arguments.device, [], ["inductor", "torchscript", "eager"], SAMPLES
    samples = arguments.samples or [ROOT / "samples" / name for name in names]
    python = arguments.python or python_of(build) or "python3"
    return gpu_steps.Target(ROOT, build, python, device, libraries, compilers, samples)


def main() -> int:
    arguments = parse_arguments()
    target = make_target(arguments)
    report = Report(arguments.output, target.device, arguments.seconds)
    steps: list[tuple[str, Callable[[gpu_steps.Target, Report], None]]] = [
        ("machine", lambda target, report: describe_machine(report, target.root, target.python)),
        ("build", gpu_steps.build),
        ("tests", gpu_steps.run_tests),
        ("validate", gpu_steps.validate),
        ("bench", gpu_steps.bench),
    ]
    for name, step in steps:
        if name == "build" and arguments.build is not None:
            continue
        with report.step(name):
            step(target, report)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
