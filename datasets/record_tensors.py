#!/usr/bin/env python3
"""Run .tflite models in the real interpreter and record every tensor.

    pip install ai-edge-litert numpy
    python record_tensors.py models > ../executor/testdata/litert_tensors.jsonl
    python record_tensors.py --values 17 models/mobilenet-v1.tflite

One JSON line a model, sorted by file name:

  model, sha256, bytes     the file
  runtime                  package and version, resolver, threads
  seed                     of the inputs, drawn as record_litert.py says
  invocations              one after the other (variables keep their values): for
                           each input and output its tensor, bytes and hash, and
                           the bytes themselves, hexadecimal, of up to 4096
  tensors                  [tensor, bytes, hash] of every result of an operator of
                           the main subgraph after the first invocation; tensors
                           have memory of their own, so that all can be read
  error                    what went wrong, only if something did

Hashes are the first 16 digits of the SHA-256 of the bytes (little-endian,
row-major). With --values the elements of one tensor after the first invocation
are printed instead, one a line, to find the first that differs.
"""

import argparse
import hashlib
import importlib.metadata
import json
import pathlib
import sys

import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType

from record_litert import PACKAGE, Xorshift64Star

RESOLVERS = {"ref": OpResolverType.BUILTIN_REF, "builtin": OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES, "auto": OpResolverType.AUTO}
KEPT = 4096


def start(path, resolver):
    interpreter = Interpreter(
        model_path=str(path),
        experimental_op_resolver_type=RESOLVERS[resolver],
        num_threads=1,
        experimental_preserve_all_tensors=resolver != "auto",
    )
    interpreter.allocate_tensors()
    return interpreter


def invoke(interpreter, generator):
    for d in interpreter.get_input_details():
        interpreter.set_tensor(d["index"], generator.fill(d["dtype"], d["shape"]))
    given = {d["index"]: interpreter.get_tensor(d["index"]) for d in interpreter.get_input_details()}
    interpreter.invoke()
    return given


def summary(value):
    data = np.ascontiguousarray(value).tobytes()
    return len(data), hashlib.sha256(data).hexdigest()[:16], data


def describe(details, value, keep):
    size, digest, data = summary(value)
    out = {"tensor": int(details["index"]), "bytes": size, "hash": digest}
    if keep and size <= KEPT:
        out["hex"] = data.hex()
    return out


def tensors(interpreter):
    """Every result of an operator that can be read."""
    found = []
    for op in interpreter._get_ops_details():
        for t in op["outputs"]:
            try:
                size, digest, _ = summary(interpreter.get_tensor(int(t)))
            except ValueError:
                continue
            found.append([int(t), size, digest])
    return found


def record(path, resolver, seed, runs):
    data = path.read_bytes()
    result = {
        "model": path.name,
        "sha256": hashlib.sha256(data).hexdigest(),
        "bytes": len(data),
        "runtime": f"{PACKAGE} {importlib.metadata.version(PACKAGE)}, {resolver}, 1 thread",
        "seed": seed,
    }
    try:
        interpreter = start(path, resolver)
        generator = Xorshift64Star(seed)
        result["invocations"] = []
        for n in range(runs):
            given = invoke(interpreter, generator)
            outputs = [describe(d, interpreter.get_tensor(d["index"]), True) for d in interpreter.get_output_details()]
            inputs = [describe(d, given[d["index"]], False) for d in interpreter.get_input_details()]
            result["invocations"].append({"inputs": inputs, "outputs": outputs})
            if n == 0 and resolver != "auto":
                result["tensors"] = tensors(interpreter)
    except (RuntimeError, ValueError) as err:
        result["error"] = str(err)
    return result


def values(path, resolver, seed, tensor):
    interpreter = start(path, resolver)
    invoke(interpreter, Xorshift64Star(seed))
    for x in interpreter.get_tensor(tensor).reshape(-1):
        print(repr(x.item()))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("path", type=pathlib.Path, help=".tflite model, or folder of them")
    parser.add_argument("--resolver", choices=sorted(RESOLVERS), default="ref", help="whose kernels: ref, builtin, or auto with delegates (default %(default)s)")
    parser.add_argument("--seed", type=int, default=12345, help="of the inputs, not 0 (default %(default)s)")
    parser.add_argument("--runs", type=int, default=3, help="invocations a model (default %(default)s)")
    parser.add_argument("--values", type=int, metavar="TENSOR", help="print the elements of a tensor")
    args = parser.parse_args()
    if args.values is not None:
        values(args.path, args.resolver, args.seed, args.values)
        return 0
    paths = sorted(args.path.glob("*.tflite")) if args.path.is_dir() else [args.path]
    for path in paths:
        print(json.dumps(record(path, args.resolver, args.seed, args.runs), separators=(",", ":")), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
