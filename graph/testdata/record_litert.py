#!/usr/bin/env python3
"""Record where the real LiteRT interpreter puts the tensors of .tflite models.

    pip install ai-edge-litert numpy
    python record_litert.py models > litert_zoo.jsonl

The interpreter runs the reference kernels without a delegate
(OpResolverType.BUILTIN_REF) on one thread. Tensors are looked at after
allocate_tensors, before anything runs: a model with a dynamic operator is
planned up to that operator only.

One JSON line a model, sorted by file name:

  model, sha256  the file (the name not with --nameless)
  version        of ai-edge-litert
  blocks         what is in memory, without the data of the file: groups of
                 tensors that lie together, each a flat list
                 [tensor, offset, bytes, tensor, offset, bytes, ...] by tensor,
                 offsets from the lowest address of the group. A group is a run
                 of addresses without a hole of 64 bytes or more: an arena, or
                 several that the heap has put side by side. Tensors of rank 0
                 are left out: their address cannot be seen.
  error          why there is nothing, only if the interpreter refuses the model
                 or crashes

Every model is read in a process of its own, as some bring the interpreter
down. Tensors whose shape the interpreter cannot tell crash it too: the process
is started again without them.
"""

import argparse
import hashlib
import importlib.metadata
import json
import pathlib
import subprocess
import sys

PACKAGE = "ai-edge-litert"
HOLE = 64  # the alignment of the arenas: tensors of one arena are closer


def child(path, skip):
    """Print a line for every tensor that has memory outside of the file."""
    import numpy as np
    from ai_edge_litert.interpreter import Interpreter, OpResolverType

    def say(*what):
        print(json.dumps(what), flush=True)

    try:
        interpreter = Interpreter(
            model_path=path,
            experimental_op_resolver_type=OpResolverType.BUILTIN_REF,
            num_threads=1,
        )
        interpreter.allocate_tensors()
    except (RuntimeError, ValueError) as err:
        say("error", " ".join(str(err).split())[:160])
        return
    wrapper = interpreter._interpreter
    mapped = []
    with open("/proc/self/maps") as maps:
        for line in maps:
            if line.rstrip().endswith(path):
                low, high = line.split()[0].split("-")
                mapped.append((int(low, 16), int(high, 16)))
    for t in range(wrapper.NumTensors(0)):
        if t in skip:
            continue
        say("try", t)
        try:
            view = wrapper.tensor(interpreter, t, 0)
            if not isinstance(view, np.ndarray):
                continue  # a scalar: numpy hands out a copy
            address, size = view.__array_interface__["data"][0], view.nbytes
            del view
        except (RuntimeError, ValueError):
            continue  # no memory
        if size > 0 and not any(low <= address < high for low, high in mapped):
            say("at", t, address, size)
    say("done")


def addresses(path):
    """The lines of child, from as many processes as it takes."""
    skip = set()
    while True:
        run = subprocess.run(
            [sys.executable, __file__, "--child", ",".join(map(str, sorted(skip))), str(path)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        lines = [json.loads(line) for line in run.stdout.splitlines()]
        if lines and lines[-1][0] in ("done", "error"):
            return lines
        if not lines or lines[-1][0] != "try":
            return [["error", f"the interpreter crashed, exit code {run.returncode}"]]
        skip.add(lines[-1][1])


def blocks(found):
    groups, end = [], None
    for tensor, address, size in sorted(found, key=lambda f: f[1:]):
        if end is None or address >= end + HOLE:
            groups.append([])
            end = address
        groups[-1].append((tensor, address, size))
        end = max(end, address + size)
    out = []
    for group in groups:
        base = group[0][1]
        out.append([n for t, a, size in sorted(group) for n in (t, a - base, size)])
    return sorted(out)


def record(path):
    data = path.read_bytes()
    lines = addresses(path.resolve())
    result = {
        "model": path.name,
        "sha256": hashlib.sha256(data).hexdigest(),
        "version": importlib.metadata.version(PACKAGE),
    }
    if lines[-1][0] == "error":
        result["error"] = lines[-1][1]
    else:
        result["blocks"] = blocks([line[1:] for line in lines if line[0] == "at"])
    return result


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("models", type=pathlib.Path, nargs="+", help=".tflite files, or folders of them")
    parser.add_argument("--nameless", action="store_true", help="leave out the names of the files")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child is not None:
        skip = {int(t) for t in args.child.split(",") if t}
        child(str(args.models[0]), skip)
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
