"""Tests of scripts/backends: graphs rebuilt as torch.fx modules, recipes, the protocol, and one real compile."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

BACKENDS = Path(__file__).resolve().parents[2] / "scripts" / "backends"
sys.path.insert(0, str(BACKENDS))

import torch  # noqa: E402
from graphnet_graph import (  # noqa: E402
    Graph,
    Value,
    build_module,
    parse_type,
    read_graph,
)
from graphnet_libraries import MissingLibraryError, import_operator_libraries  # noqa: E402
from graphnet_recipe import is_exact, make_exact, parse_view  # noqa: E402

CPU = torch.device("cpu")


def schema_of(name: str) -> str:
    namespace, _, rest = name.partition("::")
    base, _, overload = rest.partition(".")
    return str(getattr(getattr(getattr(torch.ops, namespace), base), overload or "default")._schema)


def write_sample(
    folder: Path,
    inputs: list[str],
    weights: list[tuple[str, str]],
    constants: list[tuple[str, str]],
    calls: list[list[Any]],
    output: Any,
) -> Path:
    """Values are numbered in order: inputs by type, weights and constants by (type, recipe)."""
    values = [{"name": f"x{i}", "type": text, "recipe": "normal(0.0,1.0)"} for i, text in enumerate(inputs)]
    values += [{"name": f"p{i}", "type": text, "recipe": recipe} for i, (text, recipe) in enumerate(weights)]
    values += [{"type": text, "recipe": recipe} for text, recipe in constants]
    values = [{"value": f"%{i}", **value} for i, value in enumerate(values)]
    first_constant = len(inputs) + len(weights)
    graph = {
        "graphnet": 1,
        "inputs": values[: len(inputs)],
        "weights": values[len(inputs) : first_constant],
        "constants": values[first_constant:],
        "operators": [schema_of(name) for name in sorted({call[0] for call in calls})],
        "calls": calls,
        "output": output,
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "graph.json").write_text(json.dumps(graph))
    (folder / "sample.json").write_text("{}")
    return folder


class BufferMaker:
    """Exact constants, random weights, all kept by name."""

    def __init__(self) -> None:
        self.tensors: dict[str, torch.Tensor] = {}

    def __call__(self, value: Value) -> torch.Tensor:
        tensor = value.type.empty(CPU)
        if is_exact(value.recipe):
            tensor.copy_(make_exact(value.recipe, value.type.shape, value.type.dtype, "", Path()))
        else:
            tensor.normal_()
        self.tensors[value.buffer_name] = tensor
        return tensor


class GraphTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.make_buffer = BufferMaker()

    def module(self, *sample: Any) -> torch.fx.GraphModule:
        graph: Graph = read_graph(write_sample(self.folder, *sample) / "graph.json")
        return build_module(graph, CPU, self.make_buffer)

    def test_every_kind_of_argument(self) -> None:
        module = self.module(
            ["float32[2,3]"],
            [],
            [],
            [
                ["aten::clamp", ["%0", {"float": "-inf"}, 0.5], ["%1 float32[2,3]"]],
                ["aten::gelu", ["%1", {"string": "tanh"}], ["%2 float32[2,3]"]],
                ["aten::to.dtype", ["%2", {"dtype": "float64"}, False, True, None], ["%3 float64[2,3]"]],
                ["aten::clone", ["%3", {"memory_format": "contiguous"}], ["%4 float64[2,3]"]],
                [
                    "aten::full",
                    [[2, 3], 2, {"dtype": "float64"}, {"layout": "strided"}, {"device": "sample"}, False],
                    ["%5 float64[2,3]"],
                ],
                ["aten::mul.Scalar", ["%5", {"complex": [0.0, 1.0]}], ["%6 complex128[2,3]"]],
            ],
            {"tuple": ["%4", "%6"]},
        )
        x = torch.randn(2, 3)
        first, second = module(x)
        expected = torch.nn.functional.gelu(torch.clamp(x, max=0.5), approximate="tanh").double()
        self.assertTrue(torch.equal(first, expected))
        self.assertTrue(torch.equal(second, torch.full((2, 3), 2j, dtype=torch.complex128)))

    def test_lists_of_results_and_optional_tensors(self) -> None:
        module = self.module(
            ["float32[4,2]"],
            [],
            [("int64[2]", "values(1,0)")],
            [
                ["aten::split.Tensor", ["%0", 2, 0], [["%2 float32[2,2]", "%3 float32[2,2]"]]],
                ["aten::cat", [["%3", "%2"], 1], ["%4 float32[2,4]"]],
                ["aten::index.Tensor", ["%4", [None, "%1"]], ["%5 float32[2,2]"]],
                ["aten::max.dim", ["%5", -1, False], ["%6 float32[2]", "%7 int64[2]"]],
            ],
            {"tuple": [{"dict": [[{"string": "values"}, "%6"]]}, ["%7", "%5"], "%0", None, 3]},
        )
        x = torch.randn(4, 2)
        values, indices, picked, same = module(x)
        expected = torch.cat([x[2:], x[:2]], 1)[:, [1, 0]]
        self.assertTrue(torch.equal(picked, expected))
        self.assertTrue(torch.equal(values, expected.max(-1).values))
        self.assertTrue(torch.equal(indices, expected.max(-1).indices))
        self.assertIs(same, x)

    def test_every_run_starts_from_the_same_state(self) -> None:
        module = self.module(
            ["float32[3]"],
            [("float32[2,3]", "normal(0.0,1.0)")],
            [],
            [
                ["aten::select.int", ["%1", 0, 0], ["%2 float32[3]"]],
                ["aten::add_.Tensor", ["%2", "%0", 1], ["%2 float32[3]"]],
                ["aten::mul_.Tensor", ["%0", "%0"], ["%0 float32[3]"]],
                ["aten::add.Tensor", ["%2", "%0", 1], ["%3 float32[3]"]],
            ],
            "%3",
        )
        x = torch.randn(3)
        original = x.clone()
        weight = self.make_buffer.tensors["w1"].clone()
        (first,), (second,) = module(x), module(x)
        self.assertTrue(torch.equal(first, weight[0] + original + original * original))
        self.assertTrue(torch.equal(first, second))
        self.assertTrue(torch.equal(x, original))
        self.assertTrue(torch.equal(self.make_buffer.tensors["w1"], weight))

    def test_tied_weights_are_cut_out_of_their_base(self) -> None:
        module = self.module(
            ["float32[2]"],
            [("float32[4,2]", "normal(0.0,1.0)"), ("float32[2,4]{1,2}", "view(%1,0)"), ("float32[2]", "view(%1,2)")],
            [],
            [["aten::add.Tensor", ["%0", "%3", 1], ["%4 float32[2]"]], ["aten::t", ["%2"], ["%5 float32[4,2]"]]],
            {"tuple": ["%4", "%5"]},
        )
        x = torch.randn(2)
        row, base = module(x)
        weight = self.make_buffer.tensors["w1"]
        self.assertTrue(torch.equal(row, x + weight[1]))
        self.assertTrue(torch.equal(base, weight))

    def test_an_unknown_operator_is_named(self) -> None:
        graph = read_graph(
            write_sample(self.folder, ["float32[2]"], [], [], [["aten::relu", ["%0"], ["%1 float32[2]"]]], "%1")
            / "graph.json"
        )
        graph.schemas["aten::nonsense"] = graph.schemas["aten::relu"]
        object.__setattr__(graph.calls[0], "operator", "aten::nonsense")
        with self.assertRaisesRegex(ValueError, "aten::nonsense"):
            build_module(graph, CPU, self.make_buffer)


class OperatorLibraryTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def sample(self, library: str, operator_name: str) -> Path:
        entry = {"name": library, "sha256": "", "operators": [operator_name]}
        (self.folder / "sample.json").write_text(json.dumps({"libraries": [entry]}))
        return self.folder

    def test_a_missing_file_is_named_with_the_flag_that_gives_it(self) -> None:
        with self.assertRaisesRegex(MissingLibraryError, "give libmine.so with --op-library"):
            import_operator_libraries(self.sample("libmine.so", "mine::twice"))

    def test_a_missing_package_is_named_with_the_flag_that_gives_it(self) -> None:
        with self.assertRaisesRegex(MissingLibraryError, "give no_such_package with --op-library"):
            import_operator_libraries(self.sample("no_such_package", "mine::twice"))

    def test_a_file_of_the_samples_choice_is_never_loaded(self) -> None:
        file = self.folder / "plugin"
        file.write_bytes(b"no library, which loading it would find out")
        with self.assertRaises(MissingLibraryError):
            import_operator_libraries(self.sample(str(file), "mine::twice"))

    def test_a_package_that_is_not_installed_is_never_imported(self) -> None:
        (self.folder / "innocent").mkdir()
        (self.folder / "innocent" / "__init__.py").write_text("raise RuntimeError('imported')")
        sys.path.insert(0, str(self.folder))
        self.addCleanup(sys.path.remove, str(self.folder))
        with self.assertRaisesRegex(MissingLibraryError, "no installed Python package"):
            import_operator_libraries(self.sample("innocent", "mine::twice"))

    def test_a_library_whose_operators_are_there_is_not_asked_for(self) -> None:
        import_operator_libraries(self.sample("libmine.so", "aten::relu"))

    def test_a_given_package_brings_the_operators(self) -> None:
        code = "import torch; lib = torch.library.Library('given', 'DEF'); lib.define('twice(Tensor x) -> Tensor')"
        (self.folder / "given_package.py").write_text(code)
        sys.path.insert(0, str(self.folder))
        self.addCleanup(sys.path.remove, str(self.folder))
        import_operator_libraries(self.sample("libgiven.so", "given::twice"), ["given-package"])


class RecipeTest(unittest.TestCase):
    def make(self, recipe: str, type_text: str, weights_file: Path = Path()) -> torch.Tensor:
        tensor_type = parse_type(type_text)
        return make_exact(recipe, tensor_type.shape, tensor_type.dtype, "%7", weights_file)

    def test_constant_arange_and_values(self) -> None:
        self.assertTrue(torch.equal(self.make("constant(-3)", "int32[2]"), torch.tensor([-3, -3], dtype=torch.int32)))
        self.assertTrue(torch.equal(self.make("arange(5,-2)", "int64[3]"), torch.tensor([5, 3, 1])))
        self.assertTrue(torch.equal(self.make("arange(0.5,0.25)", "float32[2]"), torch.tensor([0.5, 0.75])))
        self.assertTrue(torch.equal(self.make("values(2*1,0)", "bool[3]"), torch.tensor([True, True, False])))

    def test_complex_values_are_pairs(self) -> None:
        self.assertTrue(torch.equal(self.make("values(1.0,-2.0)", "complex64[]"), torch.tensor(1 - 2j)))

    def test_not_a_number_and_infinities(self) -> None:
        made = self.make("values(nan,inf,-inf)", "float16[3]")
        self.assertTrue(torch.isnan(made[0]) and made[1] == torch.inf and made[2] == -torch.inf)

    def test_stored_bytes_come_from_the_weights_file(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "weights.safetensors"
            header = json.dumps({"%7": {"dtype": "I64", "shape": [2], "data_offsets": [0, 16]}}).encode()
            path.write_bytes(struct.pack("<Q", len(header)) + header + struct.pack("<qq", 4, -4))
            self.assertTrue(torch.equal(self.make("stored(00)", "int64[2]", path), torch.tensor([4, -4])))

    def test_only_exact_recipes_are_exact(self) -> None:
        self.assertTrue(is_exact("constant(1)") and is_exact("stored(00)"))
        self.assertFalse(is_exact("normal(0.0,1.0)") or is_exact("view(%1,0)"))
        self.assertIsNone(parse_view("normal(0.0,1.0)"))


class ServerTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def exchange(self, *requests: str, modules: str = "") -> list[dict[str, Any]]:
        """Everything the server answers, without its stage events. `modules` is a folder that it imports from first."""
        process = subprocess.run(
            [sys.executable, str(BACKENDS / "inductor.py")],
            input="\n".join(requests) + "\n",
            capture_output=True,
            text=True,
            timeout=280,
            env={**os.environ, "PYTHONPATH": modules},
            check=True,
        )
        messages = [json.loads(line) for line in process.stdout.splitlines()]
        return [message for message in messages if message.get("event") != "stage"]

    def request(self, method: str, **params: Any) -> str:
        return json.dumps({"id": method, "method": method, "params": params})

    def test_every_line_gets_its_answer(self) -> None:
        hello, described, malformed, unknown, option, missing = self.exchange(
            self.request("describe"),
            "nonsense",
            self.request("fly"),
            self.request("compile", sample="none", package="none.pt2", options={"no_such_option": "1"}),
            self.request("compile", sample=str(self.folder / "none"), package="none.pt2"),
        )
        self.assertEqual((hello["event"], hello["protocol"]), ("hello", 1))
        self.assertTrue(described["result"]["available"])
        self.assertEqual(malformed["error"]["kind"], "usage")
        self.assertEqual((unknown["id"], unknown["error"]["kind"]), ("fly", "usage"))
        self.assertIn("no_such_option", option["error"]["message"])
        self.assertEqual((missing["error"]["stage"], missing["error"]["cause"]), ("compile", "exception"))

    def test_wrong_options_show_before_anything_is_compiled(self) -> None:
        _, described = self.exchange(self.request("describe", device="cpu", options={"bogus": 1}))
        self.assertEqual(described["error"]["kind"], "usage")
        self.assertIn("bogus", described["error"]["message"])

    def test_other_devices_need_triton(self) -> None:
        (self.folder / "triton.py").write_text("raise ImportError('broken on purpose')")
        _, cpu, cuda = self.exchange(
            self.request("describe", device="cpu"), self.request("describe", device="cuda"), modules=str(self.folder)
        )
        self.assertTrue(cpu["result"]["available"])
        self.assertFalse(cuda["result"]["available"])
        self.assertIn("Triton on cuda (ImportError: broken on purpose)", cuda["result"]["reason"])

    def test_a_missing_operator_library_is_the_samples_failure(self) -> None:
        sample = write_sample(self.folder, ["float32[2]"], [], [], [["aten::relu", ["%0"], ["%1 float32[2]"]]], "%1")
        library = {"name": "libmine.so", "sha256": "", "operators": ["mine::twice"]}
        (sample / "sample.json").write_text(json.dumps({"libraries": [library]}))
        _, answer = self.exchange(self.request("compile", sample=str(sample), package=str(self.folder / "m.pt2")))
        error = answer["error"]
        self.assertEqual((error["kind"], error["stage"], error["cause"]), ("environment", "load", "not installed"))
        self.assertIn("libmine.so", error["message"])

    def test_a_failed_compile_says_its_exception_first_and_logs_the_traceback(self) -> None:
        sample = write_sample(
            self.folder, ["float32[2]"], [], [], [["aten::view", ["%0", [3]], ["%1 float32[3]"]]], "%1"
        )
        log = self.folder / "log"
        _, answer = self.exchange(
            self.request("compile", sample=str(sample), package=str(self.folder / "m.pt2"), log=str(log))
        )
        self.assertRegex(answer["error"]["message"].splitlines()[0], r"^\w+: .")
        self.assertIn("Traceback (most recent call last)", log.read_text())

    def test_a_package_computes_what_the_graph_says(self) -> None:
        # Two weights of one type, which must stay apart; small weights and a scalar constant, which are inlined.
        linear = ["float32[16,16]", "normal(0.0,1.0)"]
        sample = write_sample(
            self.folder,
            ["float32[4,16]"],
            [(linear[0], linear[1]), (linear[0], linear[1]), ("float32[]", "constant(1.5)")],
            [("float32[]", "constant(0.25)"), ("int64[16]", "arange(15,-1)")],
            [
                ["aten::linear", ["%0", "%1", None], ["%6 float32[4,16]"]],
                ["aten::linear", ["%6", "%2", None], ["%7 float32[4,16]"]],
                ["aten::mul.Tensor", ["%7", "%3"], ["%8 float32[4,16]"]],
                ["aten::add_.Tensor", ["%8", "%4", 1], ["%8 float32[4,16]"]],
                ["aten::index.Tensor", ["%8", [None, "%5"]], ["%9 float32[4,16]"]],
            ],
            "%9",
        )
        package = self.folder / "model.pt2"
        cache = self.folder / "cache"
        _, prepared, again, answer = self.exchange(
            self.request("prepare", threads=1),
            self.request("prepare", threads=1),
            self.request("compile", sample=str(sample), package=str(package), threads=1, cache=str(cache)),
        )
        self.assertGreater(prepared["result"]["seconds"], 0)
        self.assertEqual(again["result"]["seconds"], 0)
        self.assertTrue((cache / "small.pt2").exists(), "its cache does not begin with what was prepared")
        self.assertIn("result", answer)
        self.assertEqual(set(answer["result"]["seconds"]), {"import", "rebuild", "export", "compile"})

        make_buffer = BufferMaker()
        module = build_module(read_graph(sample / "graph.json"), CPU, make_buffer)
        loaded = torch._inductor.aoti_load_package(str(package))
        weights = {name: make_buffer.tensors[name] for name in loaded.get_constant_fqns()}
        loaded.load_constants(weights, check_full_update=True, user_managed=True)
        self.assertEqual(loaded.get_metadata()["graphnet_weight_inputs"], "3")
        x = torch.randn(4, 16)
        (output,) = loaded(x, make_buffer.tensors["w3"])
        torch.testing.assert_close(output, module(x)[0], atol=1e-4, rtol=1e-5)


if __name__ == "__main__":
    unittest.main()
