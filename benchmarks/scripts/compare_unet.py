#!/usr/bin/env python3
"""Times U-Nets here and in PyTorch, in turn, and writes both to a JSON file.

    compare_unet.py DEFINITION [--threads 2] [--rounds 2] [--size 128] [--out FILE]

Run it from the project's root, on a quiet machine. DEFINITION is the executable definition of the U-Net in PyTorch: a
Python file with the class UNet and the function read_safetensors. `./perflow bench unet` gives our side and the
weights. PyTorch runs in both memory formats, and the better one counts. The best call of all rounds counts for both;
the ratio `worst` is the lower one of the single rounds.
"""
import argparse
import importlib.util
import itertools
import json
import os
import pathlib
import subprocess
import tempfile

import torch

from compare_ops import best
from machine import machine

PRESETS = {
    "small": dict(patch=2, widths=[32, 64, 128], blocks=2, attention=[False, False, True], heads=4, groups=8, time_width=128),
    "base": dict(patch=1, widths=[32, 64, 128, 128], blocks=2, attention=[False, False, False, True], heads=4, groups=8, time_width=256),
}


def theirs(definition, config, out):
    net = definition.UNet(**config)
    net.load_state_dict(definition.read_safetensors(out / "weights.safetensors"))
    io = definition.read_safetensors(out / "io.safetensors")
    forward, train = [], []
    for layout in (torch.contiguous_format, torch.channels_last):
        net = net.to(memory_format=layout)
        x = io["x"].to(memory_format=layout)

        def step():
            net.zero_grad(set_to_none=True)
            net(x, io["t"]).square().mean().backward()

        with torch.inference_mode():
            forward.append(best(lambda: net(x, io["t"]), 0.5))
        train.append(best(step, 0.5))
    return min(forward), min(train)


def compare(definition, preset, batch, a, tmp):
    config = dict(in_channels=3, out_channels=1, **PRESETS[preset])
    (tmp / "config.json").write_text(json.dumps(config))
    rounds = []
    for _ in range(a.rounds):
        command = [os.environ.get("PERFLOW", "./perflow"), "bench", "unet", "--config", tmp / "config.json", "--batch", batch]
        command += ["--size", a.size, "--threads", a.threads, "--out", tmp / "out"]
        subprocess.run([str(c) for c in command], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        times = json.loads((tmp / "out" / "times.json").read_text())
        rounds.append((times["forward_ms"], times["train_ms"], *theirs(definition, config, tmp / "out")))
    forward, train, torch_forward, torch_train = (round(min(c), 3) for c in zip(*rounds))
    row = {
        "network": preset,
        "batch": batch,
        "threads": a.threads,
        "size": a.size,
        "forward_ms": forward,
        "torch_forward_ms": torch_forward,
        "forward_worst": round(min(r[2] / r[0] for r in rounds), 3),
        "train_ms": train,
        "torch_train_ms": torch_train,
        "train_worst": round(min(r[3] / r[1] for r in rounds), 3),
    }
    print(row, flush=True)
    return row


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("definition")
    p.add_argument("--threads", type=int, default=2)
    p.add_argument("--rounds", type=int, default=2)
    p.add_argument("--size", type=int, default=128)
    p.add_argument("--out")
    a = p.parse_args()
    spec = importlib.util.spec_from_file_location("definition", a.definition)
    definition = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(definition)
    torch.set_num_threads(a.threads)
    with tempfile.TemporaryDirectory() as tmp:
        rows = []
        for preset, batch in itertools.product(PRESETS, (1, 4)):
            rows.append(compare(definition, preset, batch, a, pathlib.Path(tmp)))
            if a.out:  # after each, so that a run that is cut short leaves what it has measured
                result = machine() | {"torch": torch.__version__, "rounds": a.rounds, "rows": rows}
                pathlib.Path(a.out).write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
