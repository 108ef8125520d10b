#!/usr/bin/env bash
# scripts/benchmarks/run and timing, scripts/models/build and scripts/format, as far as they can be run without measuring.
. "$(dirname "$0")/harness.sh"

test_every_script_is_well_formed() {
  output='' status=0
  for file in "$SANDBOX"/checkout/scripts/{setup,test,demo,format,lib/*.sh,benchmarks/run,benchmarks/timing,models/build}; do
    bash -n "$file" || wrong "no syntax error in $file"
  done
}

# The measuring itself is replaced.
has_dense_models() {
  mkdir -p "$SANDBOX/dense"
  touch "$SANDBOX/dense/resnet18.pt" "$SANDBOX/dense/bert-base.pt"
  echo 'import sys; print("looks at" if "--check" in sys.argv else "measures", *sys.argv[1:])' >"$SANDBOX/checkout/scripts/benchmarks/benchmarks.py"
}

test_benchmarks_set_up_build_and_measure() {
  has_dense_models
  call env GRAPHNET_DENSE_MODELS="$SANDBOX/dense" scripts/benchmarks/run --rounds 2 replay
  ends_with 0
  calls '^apt-get install'
  calls '^cmake --build --preset release .*--target graphnet graphnet-worker graphnet-benchmark-read graphnet-benchmark-replay'
  says "measures --build build/release --models $SANDBOX/dense --rounds 2 replay"
}

test_benchmarks_take_the_models_folder_relative_to_the_caller() {
  has_dense_models
  call env -C "$SANDBOX" GRAPHNET_DENSE_MODELS=dense checkout/scripts/benchmarks/run
  ends_with 0
  says "measures --build build/release --models $SANDBOX/dense"
}

test_benchmarks_make_the_models_that_are_missing() {
  has_dense_models
  rm -r "$SANDBOX/dense"
  call scripts/benchmarks/run
  says "making dense models in $SANDBOX/checkout/build/dense-models"
  calls '^python3 -m venv .*/models-venv'
}

test_benchmarks_use_the_cmake_that_set_up_brings() {
  has_dense_models
  is_nobody
  echo 3.18.4 >"$SANDBOX/cmake"
  call env GRAPHNET_DENSE_MODELS="$SANDBOX/dense" scripts/benchmarks/run
  ends_with 0
  calls '^cmake --build .* from .deps/bin$'
}

test_benchmarks_have_help() {
  call scripts/benchmarks/run --help
  ends_with 0
  says 'usage: scripts/benchmarks/run [--rounds N]'
  never_calls '^(apt-get|cmake) '
}

test_benchmarks_refuse_unknown_names_before_anything_is_built() {
  call scripts/benchmarks/run replai
  [ "$status" -ne 0 ] || wrong "a failure"
  says 'unknown benchmark replai'
  never_calls '^(apt-get|cmake) '
}

test_timing_builds_and_measures() {
  echo 'import sys; print("measures", *sys.argv[1:])' >"$SANDBOX/checkout/scripts/benchmarks/timing.py"
  call scripts/benchmarks/timing -o runs quiet
  ends_with 0
  calls '^cmake --build --preset release .*--target graphnet graphnet-worker graphnet-benchmark-sequential'
  says 'measures --build build/release -o runs quiet'
}

test_timing_has_help() {
  call scripts/benchmarks/timing --help
  ends_with 0
  says 'usage: scripts/benchmarks/timing -o FOLDER'
  never_calls '^(apt-get|cmake) '
}

test_models_have_help_before_anything_is_installed() {
  call scripts/models/build --help
  ends_with 0
  says 'scripts/models/build [NAME...]'
  never_calls '^python3 -m (venv|pip)'
}

test_format_says_what_it_did_not_look_at() {
  call scripts/format --frob
  ends_with 1
  says 'unknown option --frob'
}

run_tests
