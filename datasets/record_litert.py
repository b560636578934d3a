#!/usr/bin/env python3
"""Run .tflite models in the real interpreter and record what came out.

    pip install ai-edge-litert numpy
    python record_litert.py models > testdata/litert_runs.jsonl

One JSON line a model, sorted by file name:

  model, sha256, bytes   the file
  package, version       of the runtime: ai-edge-litert
  resolver, threads      BUILTIN_REF (reference kernels, no delegate), 1
  generator, seed        of the inputs, see below
  inputs                 name, dtype and shape of each, in the order they are filled
  runs                   successive invocations (variables keep their values): for
                         each output name, dtype, shape, smallest and largest
                         value, and the SHA-256 of its bytes (little-endian, row-major)
  finite                 no output of any run has a NaN or an infinity
  varied                 in every run every output of more than one element has
                         values that differ, and at most half of it is at the
                         largest or smallest number of an integer type
  responds               the runs, whose inputs differ, do not all give the same
  ok                     allocated, invoked, and all three of the above
  error                  what went wrong, only if something did

Inputs come from xorshift64*: a 64-bit state, at first the seed, set once a
model and not between runs. A step is x ^= x >> 12; x ^= x << 25; x ^= x >> 27
(modulo 2^64), and gives r = x * 0x2545F4914F6CDD1D modulo 2^64. Inputs are
filled in the order of the graph, elements in row-major order, one step each:

  float32        (r >> 40) / 2^23 - 1
  int8, uint8    r >> 56, as the bits of the type
  int16          r >> 48, as the bits of the type
  int32, int64   (r >> 32) mod 5
  bool           r >> 63
"""

import argparse
import hashlib
import importlib.metadata
import json
import pathlib
import sys

import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType

PACKAGE = "ai-edge-litert"
MASK = (1 << 64) - 1


class Xorshift64Star:
    """The generator of the inputs."""

    def __init__(self, seed):
        self.state = seed

    def next(self):
        x = self.state
        x ^= x >> 12
        x = (x ^ (x << 25)) & MASK
        x ^= x >> 27
        self.state = x
        return (x * 0x2545F4914F6CDD1D) & MASK

    def fill(self, dtype, shape):
        dtype = np.dtype(dtype)
        raw = np.array([self.next() for _ in range(int(np.prod(shape)))], dtype=np.uint64)
        if dtype == np.float32:
            values = (raw >> np.uint64(40)).astype(np.float64) / 2**23 - 1
        elif dtype.itemsize == 1 and dtype.kind in "iu":
            values = (raw >> np.uint64(56)).astype(np.uint8).view(dtype)
        elif dtype == np.int16:
            values = (raw >> np.uint64(48)).astype(np.uint16).view(dtype)
        elif dtype.kind == "i":
            values = (raw >> np.uint64(32)) % np.uint64(5)
        elif dtype.kind == "b":
            values = raw >> np.uint64(63)
        else:
            raise ValueError(f"no generator for inputs of type {dtype}")
        return values.astype(dtype).reshape(shape)


def describe(details, value):
    """What is recorded of an output."""
    value = np.ascontiguousarray(value)
    return {
        "name": details["name"],
        "dtype": value.dtype.name,
        "shape": list(value.shape),
        "min": float(value.min()),
        "max": float(value.max()),
        "sha256": hashlib.sha256(value.tobytes()).hexdigest(),
    }


def varied(value):
    """Whether an output says something: not constant, not mostly saturated."""
    if value.size < 2:
        return True
    if value.min() == value.max():
        return False
    if value.dtype.kind in "iu":
        limits = np.iinfo(value.dtype)
        return bool(np.mean((value == limits.min) | (value == limits.max)) <= 0.5)
    return True


def record(path, seed, runs):
    data = path.read_bytes()
    result = {
        "model": path.name,
        "sha256": hashlib.sha256(data).hexdigest(),
        "bytes": len(data),
        "package": PACKAGE,
        "version": importlib.metadata.version(PACKAGE),
        "resolver": "BUILTIN_REF",
        "threads": 1,
        "generator": "xorshift64*",
        "seed": seed,
    }
    try:
        interpreter = Interpreter(
            model_content=data,
            experimental_op_resolver_type=OpResolverType.BUILTIN_REF,
            num_threads=1,
        )
        interpreter.allocate_tensors()
        result.update(execute(interpreter, Xorshift64Star(seed), runs))
    except (RuntimeError, ValueError) as err:
        result.update(ok=False, error=str(err))
    return result


def execute(interpreter, generator, runs):
    inputs, outputs = interpreter.get_input_details(), interpreter.get_output_details()
    result = {
        "inputs": [
            {"name": d["name"], "dtype": np.dtype(d["dtype"]).name, "shape": d["shape"].tolist()}
            for d in inputs
        ],
        "runs": [],
        "finite": True,
        "varied": True,
    }
    for _ in range(runs):
        for d in inputs:
            interpreter.set_tensor(d["index"], generator.fill(d["dtype"], d["shape"]))
        interpreter.invoke()
        values = [interpreter.get_tensor(d["index"]) for d in outputs]
        result["runs"].append({"outputs": [describe(d, v) for d, v in zip(outputs, values)]})
        result["finite"] = result["finite"] and all(bool(np.isfinite(v).all()) for v in values)
        result["varied"] = result["varied"] and all(varied(v) for v in values)
    hashes = {tuple(o["sha256"] for o in run["outputs"]) for run in result["runs"]}
    result["responds"] = runs < 2 or len(hashes) > 1
    result["ok"] = result["finite"] and result["varied"] and result["responds"]
    return result


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=pathlib.Path, help="folder of .tflite models")
    parser.add_argument("--seed", type=int, default=12345, help="of the inputs, not 0 (default %(default)s)")
    parser.add_argument("--runs", type=int, default=3, help="invocations a model (default %(default)s)")
    args = parser.parse_args()
    if not 0 < args.seed <= MASK:
        parser.error("the seed must be within 1 and 2^64-1")
    failed = 0
    for path in sorted(args.folder.glob("*.tflite")):
        result = record(path, args.seed, args.runs)
        failed += not result["ok"]
        print(json.dumps(result), flush=True)
    if failed:
        print(f"{failed} models failed", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
