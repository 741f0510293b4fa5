#!/usr/bin/env python3
"""Writes the residuals DiffusionPDE publishes and their gradients, made with PyTorch convolutions.

    residuals_golden.py OUT.npz

Per equation: NAME.field, NAME.residual, NAME.seed and NAME.gradient of sum(seed * residual).
"""
import sys

import numpy as np
import torch
import torch.nn.functional as F

torch.manual_seed(3)
torch.set_default_dtype(torch.float64)
HALF = torch.tensor([-0.5, 0.0, 0.5])
out = {}


def along(x, axis):
    """Correlation with (-1/2, 0, 1/2) along the rows (2) or the columns (3), zeros beyond the ends."""
    kernel = HALF.view(1, 1, 3, 1) if axis == 2 else HALF.view(1, 1, 1, 3)
    return F.conv2d(x, kernel, padding=(1, 0) if axis == 2 else (0, 1))


def without_ring(r):
    keep = torch.zeros_like(r)
    keep[:, :, 1:-1, 1:-1] = 1
    return r * keep


def burgers(u):
    ux = along(u, 3)
    return along(u, 2) + u * ux - 0.01 * along(ux, 3)


def poisson(x):
    f, u = x[:, :1], x[:, 1:]
    star = torch.tensor([[0.0, 1, 0], [1, -4, 1], [0, 1, 0]]).view(1, 1, 3, 3)
    return without_ring(F.conv2d(u, star, padding=1) * (u.size(2) - 1) ** 2 - f)


def darcy(x):
    a, p = x[:, :1], x[:, 1:]
    return along(a * along(p, 2), 2) + along(a * along(p, 3), 3) + 1


def vorticity(w):
    return without_ring(along(w[:, -1:], 2) + along(w[:, -1:], 3))


for name, f, shape in [
    ("burgers", burgers, (2, 1, 7, 6)),
    ("poisson", poisson, (2, 2, 6, 6)),
    ("darcy", darcy, (2, 2, 7, 6)),
    ("ns", vorticity, (2, 3, 6, 7)),
]:
    x = torch.randn(shape, requires_grad=True)
    r = f(x)
    seed = torch.randn(r.shape)
    (r * seed).sum().backward()
    for key, value in dict(field=x, residual=r, seed=seed, gradient=x.grad).items():
        out[f"{name}.{key}"] = value.detach().numpy()
np.savez(sys.argv[1], **out)
