"""The steps of scripts/check_gpu: build, device tests, validate, bench."""

import json
import os
import signal
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpu_report import Report

TESTS = "AnyDevice.*:WorkerOnAnyDevice.*"  # those that hold on every device
UNIT_TIMEOUT = 120  # seconds that a stage of a sample may take
TIMING_SECONDS = 1.0


@dataclass(frozen=True)
class Target:
    root: Path
    build: Path
    python: str
    device: str
    libraries: list[Path]  # that bring the device
    compilers: list[str]
    samples: list[Path]

    def program(self) -> str:
        return str(self.build / "bin" / "graphnet")

    def device_options(self) -> list[str]:
        options = ["--device", self.device]
        for library in self.libraries:
            options += ["--op-library", str(library)]
        return options


@dataclass(frozen=True)
class Ended:
    code: int | None  # None: its time was up
    output: str  # stdout
    errors: str  # stderr


def build(target: Target, report: Report) -> None:
    dependencies = target.root / ".deps"
    configure = ["cmake", "-S", str(target.root), "-B", str(target.build), "-G", "Ninja"]
    configure += ["-DCMAKE_BUILD_TYPE=Release", f"-DGRAPHNET_PYTHON={target.python}"]
    if (dependencies / "usr").is_dir():
        configure.append(f"-DGRAPHNET_DEPS_DIR={dependencies}")
    targets = ["programs", "graphnet_device_tests"]
    for command in (configure, ["cmake", "--build", str(target.build), "--parallel", "--target", *targets]):
        ended = _run(command, report)
        if ended.code != 0:
            report.fail(" ".join(command[:2]), _why(ended))
            return


def run_tests(target: Target, report: Report) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "tests.json"
        command = [str(target.build / "tests" / "graphnet_device_tests")]
        ended = _run(
            [*command, f"--gtest_filter={TESTS}", f"--gtest_output=json:{file}"],
            report,
            {"GRAPHNET_TESTED_DEVICE": target.device},
        )
        tests = _tests(json.loads(file.read_text())) if file.exists() else []
    report.set("tests", tests)
    for test in tests:
        if not test["passed"]:
            report.fail(test["name"], test["message"])
    if not tests or (ended.code != 0 and all(test["passed"] for test in tests)):
        report.fail("graphnet_device_tests", _why(ended))


def _tests(result: dict[str, Any]) -> list[dict[str, Any]]:
    tests = []
    for suite in result["testsuites"]:
        for test in suite["testsuite"]:
            messages = [failure["failure"] for failure in test.get("failures", [])]
            tests.append(
                {
                    "name": f"{suite['name']}.{test['name']}",
                    "passed": not messages,
                    "seconds": float(test["time"].removesuffix("s")),
                    "message": "\n".join(messages),
                }
            )
    return tests


def validate(target: Target, report: Report) -> None:
    samples = [str(sample) for sample in target.samples]
    command = [target.program(), "validate", *samples, *target.device_options(), "--timeout", str(UNIT_TIMEOUT)]
    ended = _run([*command, "--json"], report)
    document = json.loads(ended.output) if ended.output else {}
    results = [
        {"sample": result["sample"], "passed": result["passed"], "message": result["message"]}
        for result in document.get("results", [])
    ]
    report.set("validate", results)
    for result in results:
        if not result["passed"]:
            report.fail(result["sample"], result["message"])
    if len(results) < len(samples):
        report.fail("graphnet validate", _why(ended))


def bench(target: Target, report: Report) -> None:
    samples = [str(sample) for sample in target.samples]
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        command = [target.program(), "bench", *samples, *target.device_options()]
        command += ["--compiler", ",".join(target.compilers), "-o", str(run)]
        command += ["--timeout", str(UNIT_TIMEOUT), "--timing-seconds", str(TIMING_SECONDS)]
        ended = _run(command, report)
        journal = run / "results.jsonl"
        units = [json.loads(line) for line in journal.read_text().splitlines()] if journal.exists() else []
    keys = ("sample", "compiler", "status", "stage", "cause", "message", "speedup", "strictest_level")
    keys += ("compile_seconds", "measurements")
    report.set("bench", [{key: unit.get(key) for key in keys} for unit in units])
    for unit in units:
        if unit["status"] != "correct":
            report.fail(f"{unit['sample']} with {unit['compiler']}", f"{unit['status']}: {unit['message']}")
    if len(units) < len(samples) * len(target.compilers):
        report.fail("graphnet bench", f"{len(units)} units have a result. {_why(ended)}")


def _why(ended: Ended) -> str:
    how = "its time was up" if ended.code is None else f"it ended with {ended.code}"
    return f"{how}\n{ended.output[-1000:]}\n{ended.errors[-1000:]}"


def _run(command: list[str], report: Report, more_environment: dict[str, str] | None = None) -> Ended:
    """Runs a program in the time that is left, then interrupts it (twice: graphnet first finishes what it is at), then
    kills it with what it has started."""
    environment = {**os.environ, **(more_environment or {})}
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        env=environment,
        start_new_session=True,
    )
    in_time = True
    for limit, stop in ((report.left(), signal.SIGINT), (1.0, signal.SIGINT), (10.0, signal.SIGKILL)):
        try:
            output, errors = process.communicate(timeout=limit)
            return Ended(process.returncode if in_time else None, output, errors)
        except subprocess.TimeoutExpired:
            in_time = False
            os.killpg(process.pid, stop)
    output, errors = process.communicate()
    return Ended(None, output, errors)
