#!/usr/bin/env python3
"""Record how much of its arena the real TFLite-Micro interpreter uses.

    pip install tflite-micro numpy
    python record_tflm.py models > tflm_zoo.jsonl

The package runs reference kernels on a 64-bit machine. It tells sums only:
offsets cannot be seen. One JSON line a model, sorted by file name:

  model, sha256  the file (the name not with --nameless)
  version        of the package tflite-micro
  head           bytes at the start of the arena: the memory plan
  tail           bytes at its end: what lives for ever
  variables      bytes of the variables, part of the tail
  error          why there is nothing, only if the interpreter refuses the model
                 or crashes

Every model is read in a process of its own, as some bring the interpreter
down.
"""

import argparse
import hashlib
import importlib.metadata
import json
import pathlib
import re
import subprocess
import sys

ARENA = 1 << 28


def child(path):
    from tflite_micro import runtime

    runtime.Interpreter.from_file(path, arena_size=ARENA).print_allocations()


def record(path):
    result = {
        "model": path.name,
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "version": importlib.metadata.version("tflite-micro"),
    }
    run = subprocess.run(
        [sys.executable, __file__, "--child", str(path)], capture_output=True, text=True, errors="replace"
    )
    if run.returncode != 0:
        lines = [line for line in run.stderr.splitlines() if line.strip()]
        what = lines[0] if lines and run.returncode > 0 else f"the interpreter crashed, exit code {run.returncode}"
        result["error"] = what[:160]
        return result
    for key, pattern in (
        ("head", r"allocation head (\d+) bytes"),
        ("tail", r"allocation tail (\d+) bytes"),
        ("variables", r"variable buffer data' used (\d+) bytes"),
    ):
        found = re.search(pattern, run.stderr)
        result[key] = int(found.group(1)) if found else 0
    return result


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("models", type=pathlib.Path, nargs="+", help=".tflite files, or folders of them")
    parser.add_argument("--nameless", action="store_true", help="leave out the names of the files")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        child(str(args.models[0]))
        return
    files = []
    for path in args.models:
        files += sorted(path.glob("*.tflite")) if path.is_dir() else [path]
    for path in files:
        result = record(path)
        if args.nameless:
            del result["model"]
        print(json.dumps(result, separators=(",", ":")), flush=True)


if __name__ == "__main__":
    main()
