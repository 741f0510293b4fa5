#!/usr/bin/env python3
"""Writes the golden numbers of the tensor operations, made with PyTorch, NumPy and SciPy in double precision.

    ops_golden.py OUT.safetensors

Per case: CASE/in0, CASE/in1, ... and CASE/out. Inputs are rounded to float32 first, so that both types start alike.
"""
import json
import struct
import sys

import numpy as np
import torch
import torch.nn.functional as F

torch.manual_seed(7)
cases = {}


def normal(*shape):
    return torch.randn(*shape).double()


def positive(*shape):
    return (torch.rand(*shape) + 0.1).double()


def case(name, f, *inputs):
    out = f(*inputs)
    for i, x in enumerate(inputs):
        cases[f"{name}/in{i}"] = x
    cases[f"{name}/out"] = out


x = normal(3, 4, 19)
for name, f in dict(
    neg=torch.neg, abs=torch.abs, sign=torch.sign, square=torch.square, exp=torch.exp, sin=torch.sin, cos=torch.cos,
    tanh=torch.tanh, sigmoid=torch.sigmoid, silu=F.silu, relu=F.relu, gelu=F.gelu, erf=torch.erf, softplus=F.softplus,
    floor=torch.floor, round=torch.round, ceil=torch.ceil,
).items():
    case(name, f, x * 3)
for name, f in dict(sqrt=torch.sqrt, rsqrt=torch.rsqrt, reciprocal=torch.reciprocal, log=torch.log).items():
    case(name, f, positive(3, 4, 19))
a, b = normal(2, 3, 1, 17), normal(3, 5, 17)
for name, f in dict(
    add=torch.add, sub=torch.sub, mul=torch.mul, min=torch.minimum, max=torch.maximum, atan2=torch.atan2, eq=torch.eq,
    ne=torch.ne, lt=torch.lt, le=torch.le, gt=torch.gt, ge=torch.ge,
).items():
    case(name, lambda p, q, f=f: f(p, q).double(), a, b)
case("div", torch.div, a, positive(3, 5, 17))
case("pow", torch.pow, positive(2, 3, 1, 17), b)
case("where", lambda c, p, q: torch.where(c != 0, p, q), (a > 0).double(), a, b)
case("add_scaled", lambda p, q: p + 0.3 * q, normal(4, 9), normal(4, 9))

r = normal(3, 4, 5, 6)
case("sum", lambda t: t.sum((1, 3)), r)
case("sum_all", lambda t: t.sum(), r)
case("mean", lambda t: t.mean((0, 2), keepdim=True), r)
case("variance", lambda t: t.var((1, 2), correction=0), r)
case("amax", lambda t: t.amax((0, 3)), r)
case("amin", lambda t: t.amin((1,)), r)
case("argmax", lambda t: t.argmax(1).double(), r)
case("cumsum", lambda t: t.cumsum(2), r)

case("matmul", torch.matmul, normal(2, 1, 5, 7), normal(3, 7, 9))
case("softmax", lambda t: t.softmax(-1), normal(3, 4, 19) * 5)
case("attention", F.scaled_dot_product_attention, normal(2, 3, 11, 8), normal(2, 3, 13, 8), normal(2, 3, 13, 5))

im, w, bias = normal(2, 4, 9, 7), normal(6, 4, 3, 3), normal(6)
case("conv2d", lambda t, k, c: F.conv2d(t, k, c, 1, 1), im, w, bias)
case("conv2d_stride2", lambda t, k: F.conv2d(t, k, None, 2, 1), im, w)
case("conv2d_1x1", lambda t, k: F.conv2d(t, k), im, normal(5, 4, 1, 1))
case("conv2d_groups", lambda t, k: F.conv2d(t, k, None, 1, 2, 1, 2), im, normal(6, 2, 5, 3))
case("conv2d_circular", lambda t, k: F.conv2d(F.pad(F.pad(t, (1, 1, 0, 0), mode="circular"), (0, 0, 1, 1)), k), im, w)
case("conv_transpose2d", lambda t, k, c: F.conv_transpose2d(t, k, c, 2), im, normal(4, 3, 2, 2), normal(3))
g = normal(2, 6, 9, 7)
case("conv2d_backward_input", lambda d, k: torch.nn.grad.conv2d_input(im.shape, k, d, 1, 1), g, w)
case("conv2d_backward_weight", lambda t, d: torch.nn.grad.conv2d_weight(t, w.shape, d, 1, 1), im, g)
case("max_pool2d", lambda t: F.max_pool2d(t, 2), im)
case("avg_pool2d", lambda t: F.avg_pool2d(t, 3, 2), im)
case("upsample_nearest", lambda t: F.interpolate(t, scale_factor=2, mode="nearest"), im)
case("pixel_shuffle", lambda t: F.pixel_shuffle(t, 2), im)
case("pixel_unshuffle", lambda t: F.pixel_unshuffle(t, 2), normal(2, 3, 6, 8))
gw, gb = normal(4), normal(4)
case("group_norm", lambda t, p, q: F.group_norm(t, 2, p, q), im, gw, gb)
case("group_norm_silu", lambda t, p, q: F.silu(F.group_norm(t, 2, p, q)), im, gw, gb)
case(
    "group_norm_modulated",
    lambda t, p, q, s, h: F.silu(F.group_norm(t, 2, p, q) * (1 + s[:, :, None, None]) + h[:, :, None, None]),
    im, gw, gb, normal(2, 4), normal(2, 4),
)
case("layer_norm", lambda t, p, q: F.layer_norm(t, (19,), p, q), normal(3, 4, 19), normal(19), normal(19))
case("rms_norm", lambda t, p: F.rms_norm(t, (19,), p, 1e-5), normal(3, 4, 19), normal(19))
case("batch_norm", lambda t, p, q: F.batch_norm(t, None, None, p, q, True), im, gw, gb)
case("concat", lambda p, q: torch.cat([p, q], 1), normal(2, 3, 5), normal(2, 4, 5))
case("pad", lambda t: F.pad(t, (2, 3)), normal(3, 4, 5))
case("pad_circular", lambda t: F.pad(t, (2, 3), mode="circular"), normal(3, 4, 5))
case("gather", lambda t: t.index_select(1, torch.tensor([3, 0, 0, 2])), normal(3, 4, 5))
case("scatter_add", lambda t: torch.zeros(3, 6, 5).double().index_add(1, torch.tensor([3, 0, 0, 5]), t), normal(3, 4, 5))
case("clamp", lambda t: t.clamp(-0.5, 0.7), normal(3, 4, 5))

real = torch.view_as_real
for n in (1, 2, 5, 8, 12, 17):
    z = normal(3, n, 2)
    case(f"fft_{n}", lambda t: real(torch.fft.fft(torch.view_as_complex(t.contiguous()))), z)
    case(f"rfft_{n}", lambda t: real(torch.fft.rfft(t)), normal(3, n))
    # NumPy defines what an inverse makes of a spectrum that is not Hermitian
    h = normal(3, n // 2 + 1, 2)
    case(f"irfft_{n}", lambda t, n=n: torch.from_numpy(np.fft.irfft(t.numpy()[..., 0] + 1j * t.numpy()[..., 1], n)), h)
case("fft2", lambda t: real(torch.fft.fft2(torch.view_as_complex(t.contiguous()))), normal(2, 6, 8, 2))
case("rfft2", lambda t: real(torch.fft.rfft2(t)), normal(2, 6, 8))
case("rfft3", lambda t: real(torch.fft.rfftn(t, dim=(-3, -2, -1))), normal(2, 4, 3, 7))
case("irfft2", lambda t: torch.from_numpy(np.fft.irfft2(t.numpy()[..., 0] + 1j * t.numpy()[..., 1], (6, 8))), normal(2, 6, 5, 2))


def basis(n, f):
    k, j = np.mgrid[0:n, 0:n]
    return torch.from_numpy(f(k, j, n))


for n in (1, 4, 9):
    d = normal(3, n)
    dct2 = basis(n, lambda k, j, n: 2 * np.cos(np.pi * k * (2 * j + 1) / (2 * n)))
    dct3 = basis(n, lambda k, j, n: np.where(j == 0, 1, 2 * np.cos(np.pi * j * (2 * k + 1) / (2 * n))))
    dst1 = basis(n, lambda k, j, n: 2 * np.sin(np.pi * (j + 1) * (k + 1) / (n + 1)))
    case(f"dct2_{n}", lambda t: t @ dct2.T, d)
    case(f"dct3_{n}", lambda t: t @ dct3.T, d)
    case(f"dst1_{n}", lambda t: t @ dst1.T, d)
z1, z2 = normal(2, 3, 9, 2), normal(3, 1, 2)
complex_ = lambda t: torch.view_as_complex(t.contiguous())
case("complex_mul", lambda p, q: real(complex_(p) * complex_(q)), z1, z2)

header, body, at = {}, [], 0
for name, value in cases.items():
    data = value.double().contiguous().numpy().tobytes()
    header[name] = {"dtype": "F64", "shape": list(value.shape), "data_offsets": [at, at + len(data)]}
    body.append(data)
    at += len(data)
head = json.dumps(header).encode()
head += b" " * (-len(head) % 8)
with open(sys.argv[1], "wb") as f:
    f.write(struct.pack("<Q", len(head)) + head + b"".join(body))
