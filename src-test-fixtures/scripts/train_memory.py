"""Trains the U-Net with PyTorch as `perflow bench train` does and prints the best time and the peak memory.

    train_memory.py DEFINITION [--preset base] [--batch 4] [--size 128] [--threads 2] [--steps 30] [--channels-last]

DEFINITION is the executable definition of the U-Net in PyTorch (a Python file with the class UNet). The peak is that of
the resident set of this process, as Linux counts it for both sides.
"""
import argparse
import importlib.util
import resource
import time

import torch

PRESETS = {
    "tiny": dict(patch=1, widths=[16, 32], blocks=1, attention=[False, True], heads=2, groups=4, time_width=32),
    "small": dict(patch=2, widths=[32, 64, 128], blocks=2, attention=[False, False, True], heads=4, groups=8, time_width=128),
    "base": dict(patch=1, widths=[32, 64, 128, 128], blocks=2, attention=[False, False, False, True], heads=4, groups=8, time_width=256),
}

p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
p.add_argument("definition")
p.add_argument("--preset", default="base", choices=PRESETS)
p.add_argument("--batch", type=int, default=4)
p.add_argument("--size", type=int, default=128)
p.add_argument("--threads", type=int, default=2)
p.add_argument("--steps", type=int, default=30)
p.add_argument("--channels-last", action="store_true")
a = p.parse_args()

spec = importlib.util.spec_from_file_location("definition", a.definition)
definition = importlib.util.module_from_spec(spec)
spec.loader.exec_module(definition)

torch.set_num_threads(a.threads)
torch.manual_seed(1)
layout = torch.channels_last if a.channels_last else torch.contiguous_format
net = definition.UNet(in_channels=3, out_channels=1, **PRESETS[a.preset]).to(memory_format=layout)
optimizer = torch.optim.AdamW(net.parameters(), lr=1e-4)
x = torch.randn(a.batch, 3, a.size, a.size).to(memory_format=layout)
y = torch.randn(a.batch, 1, a.size, a.size)
t = torch.rand(a.batch)
best = float("inf")
for _ in range(a.steps):
    start = time.perf_counter()
    optimizer.zero_grad(set_to_none=True)
    (net(x, t) - y).square().mean().backward()
    optimizer.step()
    best = min(best, time.perf_counter() - start)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
print(f"training step {1e3 * best:.1f} ms, peak memory {peak} MB")
