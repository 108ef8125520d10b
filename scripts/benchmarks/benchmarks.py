"""Measures graphnet against the limits that it promises to keep. Run it through scripts/benchmarks/run.

Every figure is the median of whole processes, start to end, after one that is not counted (the files are then in the
page cache).
"""

import argparse
import json
import shutil
import statistics
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from measure import measure, print_table
from supervisor import measure_units

HERE = Path(__file__).resolve().parent
GIB = 1 << 30
MIB = 1 << 20
FEW_UNITS, ALL_UNITS = 1_000, 10_000  # of a run whose worker does nothing


@dataclass(frozen=True)
class Setup:
    build: Path  # the build folder
    models: Path  # dense TorchScript files
    python: str  # with torch
    rounds: int
    folder: Path  # for what is written
    units: int  # of a run whose worker does nothing

    @property
    def graphnet(self) -> Path:
        return self.build / "bin" / "graphnet"


@dataclass(frozen=True)
class Row:
    what: str
    measured: str
    limit: str
    kept: bool

    def cells(self) -> list[str]:
        return [self.what, self.measured, self.limit, "yes" if self.kept else "NO"]


@dataclass(frozen=True)
class Figures:
    seconds: float  # medians
    cpu_seconds: float
    peak_bytes: int  # largest

    def wall_text(self) -> str:
        return f"{self.seconds:.2f} s ({self.cpu_seconds:.2f} s CPU)"


def repeated(command: Sequence[str | Path], rounds: int, cpus: int | None = None) -> Figures:
    measure(command, cpus)
    runs = [measure(command, cpus) for _ in range(rounds)]
    return Figures(
        statistics.median(run.seconds for run in runs),
        statistics.median(run.cpu_seconds for run in runs),
        max(run.peak_bytes for run in runs),
    )


def replay(setup: Setup) -> list[Row]:
    model = setup.folder / "tiny.pt"
    program = setup.build / "benchmarks" / "graphnet-benchmark-replay"
    tiny = HERE / "tiny_operators.py"
    measure([setup.python, tiny, "save", model])
    commands: dict[str, list[str | Path]] = {
        "replay": [program, model, "replay", "1"],
        "interpreter": [program, model, "interpreter", "1"],
        "python": [setup.python, tiny, "eager", "1"],
    }
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(setup.rounds):  # taking turns, so that a slow minute slows all
        for name, command in commands.items():
            result = json.loads(measure(command).output)
            assert result["operators"] >= 1000
            times[name].append(result["seconds_per_call"])
    seconds = {name: statistics.median(values) for name, values in times.items()}
    return [
        Row(
            f"replay of 1,000 tiny operators ({other}: {seconds[other] * 1e3:.3f} ms)",
            f"{seconds['replay'] * 1e3:.3f} ms, {seconds['replay'] / seconds[other]:.2f}x",
            f"{limit:.1f}x",
            seconds["replay"] <= limit * seconds[other],
        )
        for other, limit in [("interpreter", 1.1), ("python", 1.0)]
    ]


def weight_bytes(setup: Setup, sample: Path) -> int:
    return int(json.loads(measure([setup.graphnet, "show", sample, "--json"]).output)["bytes"]["weights"])


def extract_and_validate(setup: Setup) -> list[Row]:
    rows = []
    for name, extract_limit, validate_limit in [("resnet18", 1.0, 1.0), ("bert-base", 2.5, 4.0)]:
        samples = setup.folder / "extracted"
        commands: list[tuple[list[str | Path], float]] = [
            (["extract", "-q", setup.models / f"{name}.pt", "-o", samples], extract_limit),
            (["validate", "-q", samples / name], validate_limit),
        ]
        for command, limit in commands:
            figures = repeated([setup.graphnet, *command], setup.rounds)
            allowed = 2 * weight_bytes(setup, samples / name) + 0.4 * GIB
            what = f"{command[0]} {name}"
            rows.append(Row(f"{what}, wall", figures.wall_text(), f"{limit:.1f} s", figures.seconds <= limit))
            peak = figures.peak_bytes
            rows.append(
                Row(f"{what}, peak memory", f"{peak / GIB:.2f} GiB", f"{allowed / GIB:.2f} GiB", peak <= allowed)
            )
    return rows


def read(setup: Setup) -> list[Row]:
    sample = setup.folder / "extracted" / "bert-base"
    if not sample.exists():
        measure([setup.graphnet, "extract", "-q", setup.models / "bert-base.pt", "-o", sample.parent])
    many = setup.folder / "many"
    for i in range(1000):
        shutil.copytree(sample, many / f"{i:03}" / "bert-base")
    program = setup.build / "benchmarks" / "graphnet-benchmark-read"
    figures = repeated([program, many], setup.rounds, cpus=1)
    what = "reading 1,000 samples of bert-base, one core"
    return [Row(what, figures.wall_text(), "2.0 s", figures.seconds <= 2.0)]


def bench(setup: Setup) -> list[Row]:
    samples = setup.folder / "extracted"
    if not (samples / "resnet18").exists():
        measure([setup.graphnet, "extract", "-q", setup.models / "resnet18.pt", "-o", samples])
    overheads = []
    for i in range(setup.rounds):
        run = setup.folder / f"run{i}"
        timing = ["--timing-seconds", "1"]  # what a unit costs beyond its stages does not depend on it
        compilers = ["--compiler", "eager,torchscript"]
        measure([setup.graphnet, "bench", "-q", samples / "resnet18", *compilers, *timing, "-o", run])
        for line in (run / "results.jsonl").read_text().splitlines():
            unit = json.loads(line)
            overheads.append(unit["seconds"] - sum(unit["measurements"]["worker"]["seconds"].values()))
    overhead = statistics.median(overheads)
    return [Row("bench unit, beyond its stages", f"{overhead:.2f} s", "0.5 s", overhead <= 0.5)]


def supervisor(setup: Setup) -> list[Row]:
    figures = measure_units(setup.build, setup.units)
    milliseconds = figures["milliseconds_a_unit"]
    early, peak = figures["peak_bytes_after_a_tenth_of_all"], figures["peak_bytes_while_all_run"]
    allowed = early + MIB
    units = f"{setup.units:,} units of a worker that does nothing"
    return [
        Row(f"{units}, each", f"{milliseconds:.1f} ms", "50 ms", milliseconds <= 50),
        Row(
            f"{units}, peak memory (after a tenth: {early / MIB:.1f} MiB)",
            f"{peak / MIB:.1f} MiB",
            f"{allowed / MIB:.1f} MiB",
            peak <= allowed,
        ),
    ]


def score(setup: Setup) -> list[Row]:
    run = setup.folder / "generated"
    measure([setup.python, HERE / "generate_run.py", run, "--samples", "20000", "--compilers", "5", "--trials", "30"])
    rows = []
    for name, more in [("score", []), ("report", ["-o", setup.folder / "generated.html"])]:
        figures = repeated([setup.graphnet, name, "-q", run, *more], setup.rounds)
        what = f"{name} of 100,000 results"
        rows.append(Row(f"{what}, wall", figures.wall_text(), "5.0 s", figures.seconds <= 5.0))
    return rows


BENCHMARKS = {
    "replay": replay,
    "extract": extract_and_validate,
    "read": read,
    "bench": bench,
    "supervisor": supervisor,
    "score": score,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(BENCHMARKS)} (default: all)")
    parser.add_argument("--build", type=Path, required=True, help="build folder")
    parser.add_argument("--models", type=Path, required=True, help="folder with dense resnet18.pt and bert-base.pt")
    parser.add_argument("--rounds", type=int, default=5, help="measured runs of each process (5)")
    parser.add_argument("--full", action="store_true", help=f"{ALL_UNITS:,} units in supervisor, not {FEW_UNITS:,}")
    parser.add_argument("--check", action="store_true", help="look at the arguments and end")
    options = parser.parse_args()
    if unknown := [name for name in options.names if name not in BENCHMARKS]:
        parser.error(f"unknown benchmark {', '.join(unknown)}")
    if options.check:
        return 0
    config = json.loads((options.build / "share" / "graphnet" / "config.json").read_text())
    with tempfile.TemporaryDirectory(prefix="graphnet-benchmark-") as folder:
        units = ALL_UNITS if options.full else FEW_UNITS
        setup = Setup(options.build, options.models, config["python"], options.rounds, Path(folder), units)
        rows = [row for name in options.names or BENCHMARKS for row in BENCHMARKS[name](setup)]
    print_table(["what", "measured", "limit", "kept"], [row.cells() for row in rows])
    return 0 if all(row.kept for row in rows) else 1


if __name__ == "__main__":
    raise SystemExit(main())
