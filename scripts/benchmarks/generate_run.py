"""Writes the folder of a run with as many results as wanted, as graphnet bench would have: drawn, not measured.

usage: generate_run.py FOLDER [--samples N] [--compilers N] [--trials N] [--seed N]
"""

import argparse
import hashlib
import json
import math
import random
from pathlib import Path
from typing import Any

CATEGORIES = ["computer vision", "natural language processing", "audio", "multimodal", "scientific computing", "other"]
COMPILERS = ["inductor", "torchscript", "onnxruntime", "openvino", "tvm", "xla", "tensorrt", "cinn"]
FAILURES = [
    ("compile", "exception", "InductorError: LoweringException: AssertionError in lowering of aten.bmm.default"),
    ("compile", "time-out", "the stage took longer than 1800 s"),
    ("run", "signal", "signal SIGSEGV (Segmentation fault)"),
    ("compile", "unsupported operator", "aten::view_as_complex has no lowering"),
]


def unit(sample: int, compiler: str, trials: int, draw: random.Random) -> dict[str, Any]:
    category = CATEGORIES[sample % len(CATEGORIES)]
    name = f"{category.split()[0]}/model-{sample // 3:05}-subgraph-{sample % 3}"
    eager = 10 ** draw.gauss(-2.3, 0.7)
    speedup = math.exp(draw.gauss(0.02 + 0.08 * COMPILERS.index(compiler), 0.25))
    path = f"samples/{name}"
    line: dict[str, Any] = {
        "sample": name,
        "compiler": compiler,
        "status": "correct",
        "strictest_level": min(5, max(-10, round(draw.gauss(-5, 2)))),
        "speedup": speedup,
        "verdict": draw.choices(["converged", "capped", "noisy", "contended"], [90, 6, 2, 2])[0],
        "stage": None,
        "cause": None,
        "message": "",
        "degenerate": "",
        "compile_seconds": 10 ** draw.gauss(1, 0.3),
        "seconds": 12 + 10 * draw.random(),
        "path": path,
        "identity": hashlib.sha256(name.encode()).hexdigest(),
        "group": f"package.Model{sample // 3}",
        "category": category,
        "dtypes": ["float32", "int64"] if sample % 5 else ["float16", "float32"],
        "log": f"logs/{name.replace('/', '-')}-{compiler}.log",
        "reproduce": f"graphnet bench {path} --compiler {compiler}",
        "measurements": {},
    }
    if draw.random() < 0.06:
        stage, cause, message = draw.choice(FAILURES)
        line |= {"status": "failed", "strictest_level": None, "speedup": None, "verdict": "", "compile_seconds": 0.0}
        return line | {"stage": stage, "cause": cause, "message": message}
    rows = []
    for i in range(trials):
        reference = eager * math.exp(draw.gauss(0, 0.02))
        rows.append([reference, reference / (speedup * math.exp(draw.gauss(0, 0.01))), i % 2 == 0])
    timing = {
        "reference_seconds": eager,
        "candidate_seconds": eager / speedup,
        "low": speedup * 0.994,
        "high": speedup * 1.006,
        "confidence": 0.957,
        "disturbed": [0],
        "trials": rows,
        "verdict": line["verdict"],
    }
    line["measurements"] = {"worker": {"reference": {"degenerate": ""}, "timing": timing}}
    return line


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--samples", type=int, default=3000)
    parser.add_argument("--compilers", type=int, default=5, choices=range(1, len(COMPILERS) + 1))
    parser.add_argument("--trials", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    draw = random.Random(options.seed)
    compilers = COMPILERS[: options.compilers]
    options.folder.mkdir(parents=True)
    run = {
        "graphnet": 1,
        "version": "0.1.0",
        "started": "2027-01-12T09:30:02Z",
        "machine": {"processor": "generated", "threads": 2, "device": "cpu", "framework": "none"},
        "threads": 2,
        "compilers": [{"name": name, "options": {}, "label": name} for name in compilers],
        "samples": [f"samples/{i}" for i in range(options.samples)],
    }
    (options.folder / "run.json").write_text(json.dumps(run, indent=2) + "\n")
    with (options.folder / "results.jsonl").open("w") as results:
        for sample in range(options.samples):
            for compiler in compilers:
                results.write(json.dumps(unit(sample, compiler, options.trials, draw)) + "\n")


if __name__ == "__main__":
    main()
