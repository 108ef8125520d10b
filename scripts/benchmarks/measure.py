"""Runs whole processes, start to end, and measures them."""

import os
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Measurement:
    seconds: float  # wall time, from starting the process to its end
    cpu_seconds: float  # of the process and its children
    peak_bytes: int  # resident memory of the largest process among it and its children
    output: str


def measure(command: Sequence[str | Path], cpus: int | None = None) -> Measurement:
    """Runs a command, on the first `cpus` processors where given. Fails where it fails."""
    allowed = sorted(os.sched_getaffinity(0))[:cpus]
    words = [str(word) for word in command]
    start = time.perf_counter()
    process = subprocess.Popen(
        words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, preexec_fn=lambda: os.sched_setaffinity(0, allowed)
    )
    assert process.stdout is not None
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"benchmark: {' '.join(words)} ended with {process.returncode}")
    return Measurement(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, output.decode())


def print_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Prints a table in Markdown, its columns aligned."""
    widths = [max(len(line[i]) for line in [header, *rows]) for i in range(len(header))]
    for line in [header, ["-" * width for width in widths], *rows]:
        print("| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) + " |")
