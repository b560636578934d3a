"""Records what ExecuTorch's own planners make of small tables.

Needs pip install executorch. Prints JSON Lines: versions first, then a table a
line: alignment, buffers [size, lower, upper), and by planner arena and offsets.
"""
import json, random, sys
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

out = sys.stdout
print(json.dumps({"executorch": version("executorch"), "torch": torch.__version__}), file=out)
rng = random.Random(7)
for i in range(60):
    n = rng.choice([1, 2, 5, 12, 30, 80])
    span = rng.choice([4, 12, 40])
    top = rng.choice([3, 20, 300, 5000])
    rows = []
    for _ in range(n):
        lo = rng.randrange(span)
        rows.append([rng.randint(1, top), lo, lo + 1 + rng.randrange(rng.choice([2, span]))])
    align = rng.choice([16, 16, 32, 64])
    print(json.dumps({"align": align, "rows": rows, "greedy": plan(mp.greedy, align, rows), "naive": plan(mp.naive, align, rows)}, separators=(",", ":")), file=out)
