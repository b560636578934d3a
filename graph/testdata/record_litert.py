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
                 of addresses without a hole of 4096 bytes or more: an arena, or
                 several that the heap has put side by side. Tensors of rank 0
                 are left out: their address cannot be seen.
  called         the same for the other subgraphs that are in memory, by index:
                 those that operators call have arenas of their own
  error          why there is nothing, only if the interpreter refuses the model
                 or crashes

Every model is read in a process of its own, as some bring the interpreter
down. Tensors that kernels added and do not use crash it too, so the process has
a copy of itself look at them, and another one after each crash.
"""

import argparse
import hashlib
import importlib.metadata
import json
import os
import pathlib
import subprocess
import sys

PACKAGE = "ai-edge-litert"
HOLE = 4096  # within an arena, holes are those of tensors that cannot be seen


def child(path):
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
    every = [(s, t) for s in range(wrapper.NumSubgraphs()) for t in range(wrapper.NumTensors(s))]

    def look(first):
        """Look at the tensors from the first one on; a crash ends it."""
        for k, (s, t) in enumerate(every[first:], first):
            say("try", k)
            try:
                view = wrapper.tensor(interpreter, t, s)
            except (RuntimeError, ValueError):
                continue  # no memory
            if not isinstance(view, np.ndarray):
                continue  # a scalar: numpy hands out a copy
            address, size = view.__array_interface__["data"][0], view.nbytes
            del view
            if size > 0 and not any(low <= address < high for low, high in mapped):
                say("at", s, t, address, size)
        say("done")

    for line in sys.stdin:
        if os.fork() == 0:
            look(int(line))
            os._exit(0)
        if os.wait()[1] != 0:
            say("crashed")


def addresses(path):
    """The lines of the child, which is told to go on after every crash."""
    lines, first = [], 0
    with subprocess.Popen(
        [sys.executable, __file__, "--child", str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as run:
        try:
            print(first, file=run.stdin, flush=True)
            for line in run.stdout:
                line = json.loads(line)
                if line[0] == "try":
                    first = line[1] + 1
                elif line[0] == "crashed":
                    print(first, file=run.stdin, flush=True)
                else:
                    lines.append(line)
                if line[0] in ("done", "error"):
                    break
            run.stdin.close()
        except BrokenPipeError:
            pass
    if not lines or lines[-1][0] not in ("done", "error"):
        lines.append(["error", f"the interpreter crashed, exit code {run.returncode}"])
    return lines


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
        found = {0: []}
        for line in lines:
            if line[0] == "at":
                found.setdefault(line[1], []).append(line[2:])
        result["blocks"] = blocks(found.pop(0))
        if found:
            result["called"] = {s: blocks(at) for s, at in found.items()}
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
