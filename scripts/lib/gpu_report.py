"""The report of scripts/check_gpu: a JSON file that grows with each step, and what it says of the machine.

{"check_gpu": 1, "started": "2026-12-01T09:30:02Z", "seconds": 401.2, "device": "cuda", "passed": false,
 "machine": {"gpus": ["NVIDIA H200, 580.65.06, 143771 MiB"], "processor", "cores", "memory_gib", "python", "torch",
             "compiler", "cmake", "ninja", "revision"},
 "steps": [{"name": "build", "seconds": 180.3, "failures": 0}, ..],
 "failures": [{"step": "bench", "what": "other/deepfm with inductor", "message": ".."}, ..],
 "tests": [{"name", "passed", "seconds", "message"}, ..],
 "validate": [{"sample", "passed", "message"}, ..],
 "bench": [{"sample", "compiler", "status", "stage", "cause", "message", "speedup", "strictest_level",
            "compile_seconds", "measurements"}, ..]}
"""

import contextlib
import json
import os
import platform
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SHOWN = 2000  # characters of a message


class Report:
    def __init__(self, path: Path, device: str, seconds: float) -> None:
        self._path = path
        self._start = time.monotonic()
        self._limit = seconds
        self._step = ""
        started = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        self._content: dict[str, Any] = {
            "check_gpu": 1,
            "started": started,
            "seconds": 0.0,
            "device": device,
            "passed": False,
            "machine": {},
            "steps": [],
            "failures": [],
            "tests": [],
            "validate": [],
            "bench": [],
        }

    def left(self) -> float:
        """Seconds that all further steps may take together."""
        return max(0.0, self._limit - (time.monotonic() - self._start))

    def set(self, part: str, value: Any) -> None:
        self._content[part] = value

    def fail(self, what: str, message: str) -> None:
        message = message.strip()
        if len(message) > SHOWN:
            message = "..." + message[-SHOWN:]
        self._content["failures"].append({"step": self._step, "what": what, "message": message})
        first_line = message.splitlines()[-1] if message else ""
        print(f"check_gpu: {self._step}: {what}: {first_line}", flush=True)

    @contextlib.contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Runs a step; what it throws is one of its failures. The file is written after each."""
        print(f"check_gpu: {name} ({self.left():.0f} s left)", flush=True)
        self._step = name
        start = time.monotonic()
        failures = len(self._content["failures"])
        try:
            yield
        except Exception as error:  # the next steps run all the same
            self.fail(name, f"{type(error).__name__}: {error}")
        failures = len(self._content["failures"]) - failures
        seconds = round(time.monotonic() - start, 3)
        self._content["steps"].append({"name": name, "seconds": seconds, "failures": failures})
        self._write()

    def finish(self) -> int:
        failures = len(self._content["failures"])
        self._content["passed"] = failures == 0
        self._write()
        print(f"check_gpu: {failures} failures, {self._content['seconds']} s, report in {self._path}", flush=True)
        return 1 if failures else 0

    def _write(self) -> None:
        self._content["seconds"] = round(time.monotonic() - self._start, 3)
        self._path.parent.mkdir(parents=True, exist_ok=True)
        partial = self._path.with_name(self._path.name + ".part")
        partial.write_text(json.dumps(self._content, indent=1) + "\n")
        partial.replace(self._path)


def describe_machine(report: Report, root: Path, python: str) -> None:
    torch = (
        "import json, torch\n"
        "about = {'torch': torch.__version__, 'cuda': torch.version.cuda, 'devices': torch.cuda.device_count()}\n"
        "print(json.dumps(about))"
    )
    torch_text = _first_line([python, "-c", torch])
    report.set(
        "machine",
        {
            "gpus": _lines(["nvidia-smi", "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader"]),
            "processor": _processor(),
            "cores": os.cpu_count(),
            "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
            "system": platform.platform(),
            "python": _first_line([python, "--version"]),
            "torch": json.loads(torch_text) if torch_text else None,
            "compiler": _first_line(["g++", "--version"]),
            "cmake": _first_line(["cmake", "--version"]),
            "ninja": _first_line(["ninja", "--version"]),
            "revision": _first_line(["git", "-C", str(root), "rev-parse", "HEAD"]),
        },
    )
    if not torch_text:
        report.fail("torch", f"{python} cannot import torch")


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def _lines(command: list[str]) -> list[str]:
    """What a program prints; nothing where it fails or is not there."""
    try:
        finished = subprocess.run(command, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired):
        return []
    return finished.stdout.strip().splitlines() if finished.returncode == 0 else []


def _first_line(command: list[str]) -> str:
    return next(iter(_lines(command)), "")
