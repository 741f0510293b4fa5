#!/usr/bin/env python3
"""Times single operations here and in PyTorch, in turn, and writes both to a JSON file.

    compare_ops.py [--threads 1,2] [--rounds 2] [--only SUBSTRING] [--seconds 1] [--out FILE]

Run it from the project's root, on a quiet machine. The operations are those of ops.json beside this file;
`./perflow bench ops` gives our side. The best call of all rounds counts for both. `worst` is the lower of the
ratios of the single rounds, PyTorch's time divided by ours: above 1 we are faster in every round.
"""
import argparse
import json
import os
import pathlib
import subprocess
import tempfile
import time

import torch
import torch.nn.functional as F

from machine import machine

HERE = pathlib.Path(__file__).parent


def task(e):
    double = e.get("type") == "F64"
    r = lambda k: torch.randn(e[k], dtype=torch.float64 if double else torch.float32)
    op = e["op"]
    if op == "conv2d":
        x, w = r("x"), r("w")
        return lambda: F.conv2d(x, w, None, e["stride"], e["padding"])
    if op == "conv2d_backward":
        x, w = r("x"), r("w")
        g = torch.randn_like(F.conv2d(x, w, None, e["stride"], e["padding"]))
        s, p = [e["stride"]] * 2, [e["padding"]] * 2
        mask = [True, True, False]
        return lambda: torch.ops.aten.convolution_backward(g, x, w, None, s, p, [1, 1], False, [0, 0], 1, mask)
    if op == "attention":
        q, k, v = r("q"), r("q"), r("q")
        return lambda: F.scaled_dot_product_attention(q, k, v)
    if op == "attention_backward":
        q, k, v = (r("q").requires_grad_() for _ in range(3))
        g = r("q")
        return lambda: torch.autograd.grad(F.scaled_dot_product_attention(q, k, v), (q, k, v), g)
    if op == "groupnorm_silu":
        x, c = r("x"), e["x"][1]
        w, b = torch.randn(c), torch.randn(c)
        return lambda: F.silu(F.group_norm(x, e["groups"], w, b))
    if op == "rfft2_roundtrip":
        x = r("x")
        return lambda: torch.fft.irfft2(torch.fft.rfft2(x), s=x.shape[-2:])
    if op == "linear":
        x, w = r("x"), r("w")
        b = torch.randn(w.shape[0])
        return lambda: F.linear(x, w, b)
    if op == "permute":
        x = r("x").permute(e["order"])
        return lambda: x.contiguous()
    if op == "slice":
        x = r("x")
        cut = [slice(None)] * x.dim()
        cut[e["axis"]] = slice(e["start"], None, e["step"])
        x = x[tuple(cut)]
        return lambda: x.contiguous()
    if op == "gather":
        x = r("x")
        n = x.shape[e["axis"]]
        index = torch.tensor([i * 7 % n for i in range(n)])
        return lambda: torch.index_select(x, e["axis"], index)
    if op == "adamw":
        p = r("x").requires_grad_()
        p.grad = r("x")
        return torch.optim.AdamW([p], lr=1e-4, fused=True).step
    two = {
        "matmul": torch.matmul,
        "add": torch.add,
        "mul": torch.mul,
        "concat": lambda a, b: torch.cat([a, b], 1),
    }
    if op in two:
        a, b = r("a"), r("b")
        return lambda: two[op](a, b)
    one = {
        "sum": torch.sum,
        "sum_axis": lambda x: x.sum(e["axis"]),
        "softmax": lambda x: x.softmax(-1),
        "silu": F.silu,
        "gelu": F.gelu,
        "exp": torch.exp,
        "tanh": torch.tanh,
        "upsample": lambda x: F.interpolate(x, scale_factor=2),
    }
    if op in one:
        x = r("x")
        return lambda: one[op](x)
    raise SystemExit(f"unknown op {op}")


def best(f, seconds):
    """Best milliseconds of at least 20 calls, after warming up."""
    for _ in range(3):
        f()
    times = []
    end = time.perf_counter() + seconds
    while len(times) < 20 or time.perf_counter() < end:
        s = time.perf_counter()
        f()
        times.append(time.perf_counter() - s)
    return 1e3 * min(times)


def ours(spec, threads, seconds, tmp):
    (tmp / "spec.json").write_text(json.dumps(spec))
    command = [os.environ.get("PERFLOW", "./perflow"), "bench", "ops", "--spec", str(tmp / "spec.json")]
    command += ["--threads", str(threads), "--seconds", str(seconds), "--out", str(tmp / "out.json")]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return json.loads((tmp / "out.json").read_text())


def compare(spec, threads, a, tmp):
    torch.set_num_threads(threads)
    rounds = []
    for _ in range(a.rounds):
        here = ours(spec, threads, a.seconds, tmp)
        rounds.append({})
        for e in spec:
            if e["op"] == "attention_backward" or e["op"] == "adamw":
                there = best(task(e), a.seconds / 2)
            else:
                with torch.inference_mode():
                    there = best(task(e), a.seconds / 2)
            rounds[-1][e["name"]] = (here[e["name"]], there)
    rows = []
    for e in spec:
        times = [r[e["name"]] for r in rounds]
        row = {
            "name": e["name"],
            "family": e["family"],
            "threads": threads,
            "perflow_ms": round(min(t[0] for t in times), 4),
            "torch_ms": round(min(t[1] for t in times), 4),
            "worst": round(min(t[1] / t[0] for t in times), 3),
        }
        rows.append(row)
        print(f"{row['name']:32s} {threads} threads  perflow {row['perflow_ms']:9.4f} ms  torch {row['torch_ms']:9.4f} ms"
              f"  ratio {row['torch_ms'] / row['perflow_ms']:6.2f}  worst {row['worst']:6.2f}", flush=True)
    return rows


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--threads", default="1,2")
    p.add_argument("--rounds", type=int, default=2)
    p.add_argument("--seconds", type=float, default=1)
    p.add_argument("--only", default="")
    p.add_argument("--out")
    a = p.parse_args()
    spec = [e for e in json.loads((HERE / "ops.json").read_text()) if a.only in e["name"]]
    rows = []
    with tempfile.TemporaryDirectory() as tmp:
        for threads in a.threads.split(","):
            rows += compare(spec, int(threads), a, pathlib.Path(tmp))
    slow = [f"{r['name']} ({r['threads']})" for r in rows if r["worst"] < 1]
    print(f"{len(rows) - len(slow)} of {len(rows)} at least as fast as PyTorch in every round; the others: {', '.join(slow)}")
    if a.out:
        result = machine() | {"torch": torch.__version__, "rounds": a.rounds, "rows": rows}
        pathlib.Path(a.out).write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
