"""Measures what a bench unit costs beside its work: a run of many units whose worker does nothing.

    supervisor.py --build BUILD [--units N]

Prints one JSON object: seconds of the run, milliseconds a unit, and the peak memory of graphnet for a tenth of the
units and for all of them, whose scores at the end need all results; and of the latter run, for a tenth of it and while
it had units to run, which should be the same. (The peak of a whole run is never less than this script's own, from
which the process is forked.)
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

SAMPLES = Path(__file__).resolve().parents[2] / "samples"


def smallest_sample(samples: Path) -> Path:
    return min((path.parent for path in samples.rglob("graph.json")), key=lambda f: (f / "graph.json").stat().st_size)


def make_installation(build: Path, folder: Path) -> Path:
    """graphnet with the worker that does nothing in the real one's place."""
    (folder / "bin").mkdir(parents=True)
    (folder / "share" / "graphnet").mkdir(parents=True)
    shutil.copy(build / "bin" / "graphnet", folder / "bin" / "graphnet")
    shutil.copy(build / "benchmarks" / "graphnet-benchmark-idle-worker", folder / "bin" / "graphnet-worker")
    config = {"torch_dir": "", "torch_version": "none", "python": sys.executable}
    (folder / "share" / "graphnet" / "config.json").write_text(json.dumps(config))
    return folder / "bin" / "graphnet"


def peak_memory(process_id: int) -> int:
    """Of a process until now, in bytes; 0 where it has just ended."""
    try:
        lines = Path(f"/proc/{process_id}/status").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:"))


def measure(graphnet: Path, samples: Path, run: Path, units: int) -> dict[str, float]:
    start = time.perf_counter()
    process = subprocess.Popen(
        [graphnet, "bench", samples, "--compiler", "eager", "-o", run],
        env={**os.environ, "TMPDIR": str(run.parent)},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    rows = 0
    peaks = []  # after each tenth of the units
    for line in process.stdout:
        rows += line.startswith("0")  # a sample's, when its unit has ended
        if rows < units and rows == (len(peaks) + 1) * (units // 10):
            peaks.append(peak_memory(process.pid))
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0 or rows != units:
        raise RuntimeError(f"graphnet ended with {process.returncode} and {rows} rows for {units} units")
    return {
        "seconds": time.perf_counter() - start,
        "peak_bytes_after_a_tenth": peaks[0],
        "peak_bytes_while_running": peaks[-1],
        "peak_bytes": usage.ru_maxrss * 1024,
    }


def measure_units(build: Path, units: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="graphnet-benchmark-") as name:
        folder = Path(name)
        graphnet = make_installation(build, folder / "installation")
        sample = smallest_sample(SAMPLES)
        results = {}
        for part, count in {"few": units // 10, "all": units}.items():
            for i in range(count):
                shutil.copytree(sample, folder / part / f"0{i:05}")
            results[part] = measure(graphnet, folder / part, folder / f"run-{part}", count)
    return {
        "units": units,
        "seconds": round(results["all"]["seconds"], 2),
        "milliseconds_a_unit": round(results["all"]["seconds"] / units * 1e3, 2),
        "peak_bytes_for_a_tenth": results["few"]["peak_bytes"],
        "peak_bytes": results["all"]["peak_bytes"],
        "peak_bytes_after_a_tenth_of_all": results["all"]["peak_bytes_after_a_tenth"],
        "peak_bytes_while_all_run": results["all"]["peak_bytes_while_running"],
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, required=True, help="build folder")
    parser.add_argument("--units", type=int, default=10_000)
    options = parser.parse_args()
    print(json.dumps(measure_units(options.build, options.units)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
