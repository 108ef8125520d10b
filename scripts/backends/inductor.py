"""Compiles samples with AOTInductor: a worker with the method "compile".

    compile {sample, package, device, threads, options, op_libraries, log, cache, temporary} ->
            {package, package_bytes, seconds: {import, rebuild, export, compile}, peak_memory_bytes}
    prepare {device, threads, options} -> {seconds}
    describe {device, options} -> {available, reason, framework, version, seconds: {import}}

torch is imported once; each compile runs in a fresh fork, so that a compiler that crashes or leaks costs one answer.
What a compile takes must not depend on the ones before it: each has a kernel cache of its own ("cache", a folder that
does not exist yet). What all have in common is made by "prepare", for one device and set of options, by compiling a
graph of one operator: the checks of the processor's vector instructions, of whose cache each compile's begins as a
copy, and precompiled headers, which Inductor keeps in the temporary folder of this process.
Errors are of the kind "usage" for an option that there is not, and of the stage "load" where the sample cannot be
rebuilt for want of an operator library; all others are the compiler's.
Weights stay outside the package: whoever loads it hands them over. Here they are uninitialised tensors that nothing
reads, which take addresses but, on the CPU, no memory. (Fake tensors would not do: Inductor tells constants apart by
their addresses, and merges those of one shape.) Constants that the graph fixes have their real contents.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

_START = time.perf_counter()

from graphnet_protocol import Channel, Method, Report, RequestError, answer, serve  # noqa: E402

CHANNEL = Channel()  # before torch, which may print

import torch  # noqa: E402
import torch._inductor  # noqa: E402
import torch._inductor.config as inductor_config  # noqa: E402
from graphnet_graph import (  # noqa: E402
    Graph,
    Value,
    build_module,
    read_graph,
)
from graphnet_libraries import MissingLibraryError, import_operator_libraries  # noqa: E402
from graphnet_recipe import is_exact, make_exact, parse_view  # noqa: E402
from torch._inductor import cpp_builder  # noqa: E402

VERSION = "0.1.0"
IMPORT_SECONDS = time.perf_counter() - _START

# Inductor writes the contents of constants of at most this many elements into the code. Weights are unknown here, so
# weights of that size become arguments of the package, after the graph's inputs; the package's metadata lists them.
INLINED_ELEMENTS = 8
WEIGHT_INPUTS_KEY = "graphnet_weight_inputs"

# All other weights are given to the loaded package by name.
FIXED_OPTIONS: dict[str, Any] = {"aot_inductor.package_constants_in_so": False}
# Compile time is a result: nothing of an earlier run may answer.
DEFAULT_OPTIONS: dict[str, Any] = {"fx_graph_cache": False, "fx_graph_remote_cache": False}

_prepared: dict[str, Path] = {}  # kernel caches, by preparation_key()


def parse_options(options: dict[str, Any]) -> dict[str, Any]:
    """Options of torch._inductor.config; text ("true", "4") takes the type of the option's default."""
    known = inductor_config.get_config_copy()
    parsed = {}
    for name, value in options.items():
        if name not in known:
            raise RequestError("usage", f"torch._inductor.config has no option {name}", "compile")
        if isinstance(value, str) and not isinstance(known[name], str):
            with contextlib.suppress(ValueError):  # an option whose default is None may be text
                value = json.loads(value.lower() if value.lower() in ("true", "false") else value)
        if name in FIXED_OPTIONS or name == "aot_inductor.metadata" or (name == "freezing" and value):
            raise RequestError("usage", f"option {name} cannot be set: weights stay outside the package", "compile")
        parsed[name] = value
    return parsed


def make_buffer(value: Value, sample: Path, device: torch.device) -> torch.Tensor:
    """A constant with its contents, or the place of a weight."""
    buffer = value.type.empty(device)
    if value.is_constant and is_exact(value.recipe):
        weights_file = sample / "weights.safetensors"
        buffer.copy_(make_exact(value.recipe, value.type.shape, value.type.dtype, f"%{value.id}", weights_file))
    return buffer


def small_weights(graph: Graph) -> list[Value]:
    return [
        weight
        for weight in graph.weights
        if weight.type.element_count <= INLINED_ELEMENTS and parse_view(weight.recipe) is None
    ]


def rebuild(sample: Path, device: torch.device, libraries: Collection[str]) -> tuple[torch.fx.GraphModule, Graph]:
    import_operator_libraries(sample, libraries)
    graph = read_graph(sample / "graph.json")
    module = build_module(
        graph, device, lambda value: make_buffer(value, sample, device), weight_inputs=small_weights(graph)
    )
    return module, graph


def export(module: torch.fx.GraphModule, arguments: list[Value], device: torch.device) -> Any:
    with torch.no_grad():
        inputs = tuple(value.type.empty(device).zero_() for value in arguments)
        return torch.export.export(module, inputs, strict=False)


def cause_of(error: BaseException) -> str:
    """The cause of a failed compile as outcomes name it."""
    name = type(error).__name__
    lack_of_memory = ("can't allocate memory", "out of memory", "std::bad_alloc", "Cannot allocate memory")
    if isinstance(error, (MemoryError, torch.OutOfMemoryError)) or any(text in str(error) for text in lack_of_memory):
        return "out of memory"
    if isinstance(error, NotImplementedError) or name in (
        "MissingOperatorWithoutDecomp",
        "MissingOperatorWithDecomp",
        "UnsupportedOperatorException",
        "UnsupportedFakeTensorException",
        "DynamicOutputShapeException",
        "DataDependentOutputException",
        "GuardOnDataDependentSymNode",
    ):
        return "unsupported operator"
    return "exception"


def message_of(error: Exception) -> str:
    """The type and the text; of a long one the head and, since tracebacks tell their cause last, more of the tail."""
    message = f"{type(error).__name__}: {error}".strip()
    head, tail = 1500, 3000
    return message if len(message) <= head + tail else f"{message[:head]}\n...\n{message[-tail:]}"


def compile_failure(error: Exception) -> RequestError:
    message = message_of(error)
    if isinstance(error, MissingLibraryError):
        return RequestError("environment", str(error), "load", "not installed")
    if type(error).__name__ in ("InvalidCxxCompiler", "CppCompileNotAvailable"):
        return RequestError("environment", f"AOTInductor needs a C++ compiler (g++): {message}", "compile")
    return RequestError("unsupported", message, "compile", cause_of(error))


def parse_device(text: str) -> torch.device:
    """The device that graphnet found: "cpu", "cuda:0". Not "auto": looking for an accelerator would start it in this
    process, and then no fork of it could use it."""
    if text == "auto":
        raise RequestError("usage", "a compile needs the very device, such as cpu or cuda:0, not auto", "compile")
    return torch.device(text)


def compile_program(program: Any, package: Path, params: dict[str, Any], weight_inputs: list[Value]) -> None:
    options: dict[str, Any] = {**DEFAULT_OPTIONS, **parse_options(params.get("options", {})), **FIXED_OPTIONS}
    options["aot_inductor.metadata"] = {WEIGHT_INPUTS_KEY: ",".join(str(weight.id) for weight in weight_inputs)}
    torch._inductor.aoti_compile_and_package(program, package_path=str(package), inductor_configs=options)


class SmallModule(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + 1


def compile_small(params: dict[str, Any], report: Report) -> dict[str, Any]:
    torch.set_num_threads(int(params.get("threads", torch.get_num_threads())))
    inputs = (torch.zeros(64, 64, device=parse_device(params.get("device", "cpu"))),)
    with torch.no_grad():
        program = torch.export.export(SmallModule(), inputs, strict=False)
    compile_program(program, Path(params["cache"]) / "small.pt2", params, [])
    return {}


def preparation_key(params: dict[str, Any]) -> str:
    return json.dumps([params.get(name) for name in ("device", "threads", "options")], sort_keys=True)


def prepare(params: dict[str, Any], report: Report) -> dict[str, Any]:
    """Makes what the compiles of one kind share, once. Where that fails, they tell why."""
    if preparation_key(params) in _prepared:
        return {"seconds": 0.0}
    report.stage("prepare")
    start = time.perf_counter()
    cache = Path(os.environ["TORCHINDUCTOR_CACHE_DIR"]) / f"prepared-{len(_prepared)}"
    cache.mkdir(parents=True)
    with contextlib.suppress(RequestError):
        run_in_fork(compile_small, {**params, "cache": str(cache)}, report)
    _prepared[preparation_key(params)] = cache
    return {"seconds": time.perf_counter() - start}


def compile_sample(params: dict[str, Any], report: Report) -> dict[str, Any]:
    sample = Path(params["sample"])
    package = Path(params["package"])
    device = parse_device(params.get("device", "cpu"))
    parse_options(params.get("options", {}))  # wrong ones show before anything is done
    torch.set_num_threads(int(params.get("threads", torch.get_num_threads())))
    seconds = {"import": IMPORT_SECONDS}

    def timed(stage: str, action: Callable[[], Any]) -> Any:
        report.stage(stage)
        start = time.perf_counter()
        value = action()
        seconds[stage] = time.perf_counter() - start
        return value

    try:
        module, graph = timed("rebuild", lambda: rebuild(sample, device, params.get("op_libraries", [])))
        weight_inputs = small_weights(graph)
        program = timed("export", lambda: export(module, [*graph.inputs, *weight_inputs], device))
        timed("compile", lambda: compile_program(program, package, params, weight_inputs))
    except RequestError:
        raise
    except Exception as error:
        traceback.print_exc()  # into the unit's log
        raise compile_failure(error) from error
    return {
        "package": str(package),
        "package_bytes": package.stat().st_size,
        "seconds": seconds,
        "peak_memory_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    }


def die_with_parent(parent: int) -> None:
    """A server that is killed takes its running compile along. (graphnet ends what the compile itself started.)"""
    pr_set_pdeathsig = 1
    ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)  # the server was gone before it could be watched


def run_child(method: Method, params: dict[str, Any], writer: int, parent: int) -> None:
    """Everything the compiler prints goes to the unit's log."""
    die_with_parent(parent)
    importlib.import_module("torch._inductor.codecache")  # chooses the headers' folder: this process's temporary one
    if log := params.get("log"):
        descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        os.dup2(descriptor, 1)
        os.dup2(descriptor, 2)
    if cache := params.get("cache"):
        if prepared := _prepared.get(preparation_key(params)):
            shutil.copytree(prepared, cache)
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = cache
    if temporary := params.get("temporary"):
        os.environ["TMPDIR"] = temporary
        tempfile.tempdir = temporary
    answer(None, method, params, lambda message: os.write(writer, json.dumps(message).encode() + b"\n"))
    sys.stderr.flush()


def run_in_fork(method: Method, params: dict[str, Any], report: Report) -> dict[str, Any]:
    reader, writer = os.pipe()
    server = os.getpid()
    child = os.fork()
    if child == 0:
        os.close(reader)
        try:
            run_child(method, params, writer, server)
        finally:
            os._exit(0)
    os.close(writer)
    last: dict[str, Any] = {}
    with os.fdopen(reader) as lines:
        for line in lines:
            last = json.loads(line)
            match last:
                case {"event": "stage"}:
                    report.stage(last["stage"])
                case {"event": "warning"}:
                    report.warning(last["message"])
                case _:
                    break  # the answer; a process that the compiler left behind may keep the pipe open
    _, status = os.waitpid(child, 0)
    if "result" in last:
        return last["result"]
    if "error" in last:
        fields = last["error"]
        stage = "load" if fields.get("stage") == "load" else "compile"
        raise RequestError(fields["kind"], fields["message"], stage, fields.get("cause", ""))
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        name = signal.Signals(-code).name
        raise RequestError("unsupported", f"the compiling process was killed by {name}", "compile", "signal")
    raise RequestError("unsupported", f"the compiling process ended with exit code {code}", "compile", "exit code")


def compile_in_fork(params: dict[str, Any], report: Report) -> dict[str, Any]:
    return run_in_fork(compile_sample, params, report)


def problem_on(device: torch.device) -> str:
    """Why AOTInductor cannot compile for the device here; empty where it can."""
    try:
        cpp_builder.get_cpp_compiler()
    except Exception as error:
        return f"AOTInductor needs a C++ compiler, such as Debian's g++: {error}"
    if device.type == "cpu":
        return ""
    try:
        importlib.import_module("triton")
    except Exception as error:
        install = f"{sys.executable} -m pip install triton"
        return f"AOTInductor needs Triton on {device.type} ({type(error).__name__}: {error}): {install}"
    return ""


def version_on(device: torch.device) -> str:
    """All that decides what is compiled from a graph: torch's build and the compilers that it uses."""
    compiler = subprocess.run(
        [cpp_builder.get_cpp_compiler(), "--version"], capture_output=True, text=True, check=False
    )
    parts = [f"torch {torch.__version__}", str(torch.version.git_version), compiler.stdout.partition("\n")[0]]
    if device.type != "cpu":
        parts.append(f"triton {importlib.import_module('triton').__version__}")
    return ", ".join(parts)


def describe(params: dict[str, Any], report: Report) -> dict[str, Any]:
    parse_options(params.get("options", {}))
    device = parse_device(params.get("device", "cpu"))
    reason = problem_on(device)
    return {
        "available": not reason,
        "reason": reason,
        "framework": f"torch {torch.__version__}",
        "version": "" if reason else version_on(device),
        "seconds": {"import": IMPORT_SECONDS},
    }


def main() -> None:
    warnings.simplefilter("ignore", FutureWarning)
    with tempfile.TemporaryDirectory(prefix="graphnet-inductor-") as cache:
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = cache  # of this process; a compile may be given one of its own
        methods = {"compile": compile_in_fork, "describe": describe, "prepare": prepare}
        serve(CHANNEL, "graphnet inductor", VERSION, f"torch {torch.__version__}", methods)


if __name__ == "__main__":
    main()
