"""How far the speedups of `graphnet bench` can be trusted. Run it through scripts/benchmarks/timing.

Each part leaves its runs in a folder, so that parts can be run one by one; the table is made of what is there.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from measure import measure, print_table

Unit = dict[str, Any]  # a line of results.jsonl

SPIN = "import os, sys\nos.sched_setaffinity(0, {int(sys.argv[1])})\nwhile True: pass"


@dataclass(frozen=True)
class Setup:
    build: Path
    samples: list[Path]  # the smallest first
    repetitions: int
    seconds: float  # of timed trials a unit
    folder: Path

    def bench(self, name: str, samples: list[Path], compiler: str, seed: int = 0) -> None:
        """Makes the run of that name where it is not there."""
        if (self.folder / name / "finished").exists():
            return
        print(f"{name}: {len(samples)} samples with {compiler}", file=sys.stderr)
        graphnet = [self.build / "bin" / "graphnet", "bench", "-q", *samples, "--compiler", compiler]
        limits = ["--timing-seconds", str(self.seconds), "--seed", str(seed), "--float64", "off"]
        command = [str(word) for word in [*graphnet, *limits, "-o", self.folder / name]]
        # 1: some units failed. They are missing in the table.
        if (code := subprocess.run(command, stdin=subprocess.DEVNULL).returncode) not in (0, 1):
            raise SystemExit(f"benchmark: {' '.join(command)} ended with {code}; remove {self.folder / name}")
        (self.folder / name / "finished").touch()

    def sequential(self, name: str, samples: list[Path], repetitions: int) -> None:
        file = self.folder / f"{name}.json"
        if file.exists():
            return
        program = self.build / "benchmarks" / "graphnet-benchmark-sequential"
        print(f"{name}: {len(samples)} samples, {repetitions} times", file=sys.stderr)
        ratios = {
            str(sample): json.loads(measure([program, sample, str(repetitions)]).output)["ratios"] for sample in samples
        }
        file.write_text(json.dumps(ratios))


@contextmanager
def busy(processors: int) -> Iterator[None]:
    """Other programs that take whole processors."""
    chosen = sorted(os.sched_getaffinity(0))[-processors:]
    spinning = [subprocess.Popen([sys.executable, "-c", SPIN, str(processor)]) for processor in chosen]
    try:
        yield
    finally:
        for process in spinning:
            process.kill()
            process.wait()


def one_busy(setup: Setup) -> None:
    with busy(1):
        setup.bench("one-busy", setup.samples, "eager")
        setup.sequential("one-busy-sequential", setup.samples, 1)


def quiet(setup: Setup) -> None:
    setup.bench("quiet", setup.samples, "eager")
    setup.sequential("quiet-sequential", setup.samples, 1)


def slowdown(setup: Setup) -> None:
    setup.bench("slowdown", setup.samples, "eager:slowdown=0.02")


def spread(setup: Setup) -> None:
    for seed in range(setup.repetitions):
        setup.bench(f"spread-{seed}", setup.samples[:10], "eager", seed)
    setup.sequential("spread-sequential", setup.samples[:10], setup.repetitions)


def contention(setup: Setup) -> None:
    setup.bench("inductor-quiet", setup.samples[:10], "inductor")
    with busy(len(os.sched_getaffinity(0))):
        setup.bench("inductor-busy", setup.samples[:10], "inductor")


PARTS: dict[str, Callable[[Setup], None]] = {
    "quiet": quiet,
    "one-busy": one_busy,
    "slowdown": slowdown,
    "spread": spread,
    "contention": contention,
}


def units(folder: Path, name: str) -> dict[str, Unit]:
    """The timed units of a run, by the path of their sample."""
    file = folder / name / "results.jsonl"
    if not (folder / name / "finished").exists():
        return {}
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    return {line["path"]: line for line in lines if "worker" in line["measurements"]}


def timing(unit: Unit) -> dict[str, Any]:
    return unit["measurements"]["worker"]["timing"]


def sequential_ratios(folder: Path, name: str) -> dict[str, list[float]]:
    file = folder / f"{name}.json"
    return json.loads(file.read_text()) if file.exists() else {}


def deviation(values: list[float]) -> float:
    return statistics.stdev(values) if len(values) > 1 else 0.0


def summary(ratios: list[float]) -> str:
    return f"{min(ratios):.3f} to {max(ratios):.3f}, sd {100 * deviation(ratios):.1f} %"


def share(count: int, of: int) -> int:
    """A count out of 30, for as many units as there are."""
    return count * of // 30


Row = list[str]


def against_itself(folder: Path, name: str, title: str) -> Iterator[Row]:
    found = units(folder, name)
    if not found:
        return
    told = [timing(unit) for unit in found.values() if unit["verdict"] != "contended"]
    missed = sum(not t["low"] <= 1 <= t["high"] for t in told)
    contended = len(found) - len(told)
    allowed = max(share(3, len(found)), 1)
    measured = f"{missed} of {len(told)} miss 1.0, {contended} contended"
    if told:
        measured += f"; {summary([t['speedup'] for t in told])}"
    kept = bool(told) and missed <= allowed
    yield [f"eager against itself, {title}", measured, f"at most {allowed}", "yes" if kept else "NO"]
    if ratios := [ratio for values in sequential_ratios(folder, f"{name}-sequential").values() for ratio in values]:
        off = sum(abs(ratio - 1) > 0.01 for ratio in ratios)
        text = f"{off} of {len(ratios)} more than 1 % off; {summary(ratios)}"
        yield [f"five sequential trials a side, {title}", text, "-", "-"]


def slowed(folder: Path) -> Iterator[Row]:
    found = units(folder, "slowdown")
    if not found:
        return
    seen = sum(timing(unit)["high"] < 1 and unit["verdict"] != "contended" for unit in found.values())
    wanted = share(27, len(found))
    text = f"{seen} of {len(found)} called slower; {summary([timing(unit)['speedup'] for unit in found.values()])}"
    yield ["eager slowed by 2 %", text, f"at least {wanted}", "yes" if seen >= wanted else "NO"]


def spreads(folder: Path) -> Iterator[Row]:
    ratios: dict[str, list[float]] = {}
    for run in sorted(folder.glob("spread-*")):
        for path, unit in units(folder, run.name).items():
            ratios.setdefault(path, []).append(timing(unit)["speedup"])
    sequential = sequential_ratios(folder, "spread-sequential")
    for path, values in ratios.items():
        percent = 100 * deviation(values)
        text = f"sd {percent:.2f} % over {len(values)}"
        if path in sequential:
            text += f" (sequential {100 * deviation(sequential[path]):.1f} %)"
        yield [f"repetitions of {Path(path).name}", text, "1 %", "yes" if percent <= 1 else "NO"]


def contentions(folder: Path) -> Iterator[Row]:
    before, during = units(folder, "inductor-quiet"), units(folder, "inductor-busy")
    for path in before.keys() & during.keys():
        calm, unit = timing(before[path])["speedup"], during[path]
        change = timing(unit)["speedup"] / calm - 1
        text = f"{calm:.3f} quiet, {timing(unit)['speedup']:.3f} busy ({unit['verdict']})"
        kept = abs(change) <= 0.1 or unit["verdict"] == "contended"
        yield [f"inductor on {Path(path).name}, all cores busy", text, "10 % or contended", "yes" if kept else "NO"]


def table(folder: Path) -> list[Row]:
    return [
        *against_itself(folder, "quiet", "quiet"),
        *against_itself(folder, "one-busy", "one core busy"),
        *slowed(folder),
        *spreads(folder),
        *contentions(folder),
    ]


def smallest_samples(folder: Path, count: int) -> list[Path]:
    described = [(json.loads(file.read_text()), file.parent) for file in folder.rglob("sample.json")]
    return [path for _, path in sorted((sample["weight_bytes"], path) for sample, path in described)][:count]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}, table (default: all)")
    parser.add_argument("--build", type=Path, required=True, help="build folder")
    parser.add_argument("--samples", type=Path, default=Path("samples"), help="folder of samples (samples)")
    parser.add_argument("--count", type=int, default=30, help="samples, the smallest ones (30)")
    parser.add_argument("--repetitions", type=int, default=10, help="repetitions of each sample, for the spread (10)")
    parser.add_argument("--seconds", type=float, default=10, help="most seconds of timed trials a unit (10)")
    parser.add_argument("-o", "--output", type=Path, required=True, help="folder of the runs")
    options = parser.parse_args()
    if unknown := [part for part in options.parts if part not in (*PARTS, "table")]:
        parser.error(f"unknown part {', '.join(unknown)}")
    samples = smallest_samples(options.samples, options.count)
    setup = Setup(options.build, samples, options.repetitions, options.seconds, options.output)
    setup.folder.mkdir(parents=True, exist_ok=True)
    for part in options.parts or PARTS:
        if part != "table":
            PARTS[part](setup)
    rows = table(setup.folder)
    print_table(["what", "measured", "limit", "kept"], rows)
    return 0 if all(row[-1] != "NO" for row in rows) else 1


if __name__ == "__main__":
    raise SystemExit(main())
