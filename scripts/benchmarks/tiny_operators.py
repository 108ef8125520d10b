"""A model of 1,000 operators on a 4 x 4 tensor: as a TorchScript file, and run eagerly by Python.

usage: tiny_operators.py save FILE | tiny_operators.py eager SECONDS
"""

import json
import statistics
import sys
import time

import torch

REPETITIONS = 125  # of eight operators
WARM_UP = 50


class TinyOperators(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for _ in range(REPETITIONS):
            y = torch.relu(x)
            y = y + x
            y = torch.mul(y, 0.5)
            y = y.transpose(0, 1)
            y = torch.sigmoid(y)
            y = y - x
            y = torch.tanh(y)
            x = y.reshape(4, 4)
        return x


def save(file: str) -> None:
    torch.jit.trace(TinyOperators(), torch.ones(4, 4)).save(file)


def eager(seconds: float) -> None:
    model = TinyOperators().eval()
    x = torch.ones(4, 4)
    times: list[float] = []
    with torch.inference_mode():
        for _ in range(WARM_UP):
            model(x)
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            start = time.perf_counter()
            model(x)
            times.append(time.perf_counter() - start)
    print(json.dumps({"operators": 8 * REPETITIONS, "seconds_per_call": statistics.median(times)}))


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["save", file]:
            save(file)
        case ["eager", seconds]:
            eager(float(seconds))
        case _:
            sys.exit(__doc__)
