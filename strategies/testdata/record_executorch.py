"""Records what ExecuTorch's own planners make of small tables.

    pip install executorch==1.5.1
    python record_executorch.py ../../datasets/tables/*.csv > executorch.jsonl

Prints JSON Lines: versions first, then a table a line: alignment, buffers [size,
lower, upper), and by planner arena and offsets. Tables come from seeds and from
the files given.
"""
import csv, json, random, sys
from importlib.metadata import version
import torch
from executorch.exir import memory_planning as mp
from executorch.exir.tensor import TensorSpec

def plan(algo, align, rows):
    specs = []
    for size, lower, upper in rows:
        s = TensorSpec(torch.uint8, torch.Size([size]))
        s.lifetime = [lower, upper - 1]
        specs.append(s)
    gm = torch.fx.GraphModule({}, torch.fx.Graph())
    r = algo(align, specs, gm, None, 0)
    return {"arena": r.bufsizes[1], "offsets": [r.spec_dict[s].mem_offset for s in specs]}

def record(align, rows):
    print(json.dumps({"align": align, "rows": rows, "greedy": plan(mp.greedy, align, rows), "naive": plan(mp.naive, align, rows)}, separators=(",", ":")))

def read(path):
    with open(path) as f:
        table = csv.DictReader(line for line in f if not line.startswith("#"))
        return [[int(r["size"]), int(r["lower"]), int(r["upper"])] for r in table]

print(json.dumps({"executorch": version("executorch"), "torch": torch.__version__}))
rng = random.Random(7)
for i in range(60):
    n = rng.choice([1, 2, 5, 12, 30, 80])
    span = rng.choice([4, 12, 40])
    top = rng.choice([3, 20, 300, 5000])
    rows = []
    for _ in range(n):
        lo = rng.randrange(span)
        rows.append([rng.randint(1, top), lo, lo + 1 + rng.randrange(rng.choice([2, span]))])
    record(rng.choice([16, 16, 32, 64]), rows)
for path in sys.argv[1:]:
    record(16, read(path))
