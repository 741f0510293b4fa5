"""Writes the reference numbers of the nn tests with PyTorch.

    nn_golden.py DEFINITION RESOURCES

DEFINITION is the executable definition of the U-Net in PyTorch (a Python file with the classes UNet, ResBlock,
Attention and Conv3x3 and the functions read_safetensors and write_safetensors), RESOURCES the directory that gets the
files.

Layers: x.0, x.1 … inputs, y output, p.NAME parameters, and the gradients gx.I and gp.NAME of mean(y^2).
Networks: x.0, x.1, y, gx.0; parameters are given by a formula (see fill), and of each gradient the file holds
s.NAME = [norm, sum of g_i cos(0.37 i)], which any wrong entry would change.
Optimizers: p.0 the start, p.K after step K along the gradients g.K.
"""
import importlib.util
import math
import pathlib
import sys

import torch
import torch.nn as nn
import torch.nn.functional as F

spec = importlib.util.spec_from_file_location("definition", sys.argv[1])
unet = importlib.util.module_from_spec(spec)
spec.loader.exec_module(unet)
out = pathlib.Path(sys.argv[2])
torch.manual_seed(7)


def randomize(net):
    for p in net.parameters():
        p.data = torch.randn_like(p) * (0.5 if p.dim() == 1 else 1 / math.sqrt(p[0].numel()))


def layer(name, net, *inputs, call=None):
    randomize(net)
    net.zero_grad()
    inputs = [x.clone().requires_grad_(True) for x in inputs]
    y = (call or net)(*inputs)
    y.square().mean().backward()
    numbers = {"y": y.detach()}
    for i, x in enumerate(inputs):
        numbers[f"x.{i}"] = x.detach()
        numbers[f"gx.{i}"] = x.grad
    for k, p in net.named_parameters():
        numbers[f"p.{k}"] = p.detach()
        numbers[f"gp.{k}"] = p.grad
    unet.write_safetensors(out / f"{name}.safetensors", numbers)


def fill(net):
    """Parameter number n of the network, element i: scale * u, plus 1 for the gain of a norm, with the scattered
    number u = 2 frac(43758.5453 sin(12.9898 (i + 1) + n)) - 1."""
    for n, (k, p) in enumerate(sorted(net.named_parameters())):
        i = torch.arange(p.numel(), dtype=torch.float64)
        u = 43758.5453 * torch.sin(12.9898 * (i + 1) + n)
        scale = 0.1 if p.dim() == 1 else 1.5 / math.sqrt(p[0].numel())
        shift = 1.0 if p.dim() == 1 and k.endswith("weight") else 0.0
        p.data = (shift + scale * (2 * (u - torch.floor(u)) - 1)).float().reshape(p.shape)


def network(name, config, batch, size):
    net = unet.UNet(**config)
    fill(net)
    x = torch.randn(batch, config["in_channels"], size, size, requires_grad=True)
    t = torch.rand(batch)
    y = net(x, t)
    y.square().mean().backward()
    numbers = {"x.0": x.detach(), "x.1": t, "y": y.detach(), "gx.0": x.grad}
    for k, p in net.named_parameters():
        g = p.grad.double().flatten()
        d = torch.cos(0.37 * torch.arange(g.numel(), dtype=torch.float64))
        numbers[f"s.{k}"] = torch.stack([g.norm(), (g * d).sum()])
    unet.write_safetensors(out / f"{name}.safetensors", numbers)


def optimizer(name, make):
    p = nn.Parameter(torch.randn(5, 7))
    o = make([p])
    numbers = {"p.0": p.detach().clone()}
    for k in range(1, 6):
        p.grad = torch.randn(5, 7)
        numbers[f"g.{k}"] = p.grad.clone()
        o.step()
        numbers[f"p.{k}"] = p.detach().clone()
    unet.write_safetensors(out / f"{name}.safetensors", numbers)


def modulated(norm):
    return lambda x, scale, shift: F.silu(norm(x) * (1 + scale[:, :, None, None]) + shift[:, :, None, None])


image = torch.randn(2, 8, 6, 10)
layer("linear", nn.Linear(5, 7), torch.randn(3, 5))
layer("conv", nn.Conv2d(8, 12, 3, padding=1), image)
layer("conv_stride", nn.Conv2d(8, 12, 3, stride=2, padding=1), image)
layer("conv_pointwise", nn.Conv2d(8, 12, 1), image)
layer("conv_groups", nn.Conv2d(8, 12, 3, padding=1, groups=4, bias=False), image)
layer("conv_periodic", unet.Conv3x3(8, 12, (True, True)), image)
layer("conv_periodic_width_stride", unet.Conv3x3(8, 12, (False, True), stride=2), image)
norm = nn.GroupNorm(4, 8)
layer("norm", norm, image)
layer("norm_silu", norm, image, call=lambda x: F.silu(norm(x)))
layer("norm_modulated", norm, image, torch.randn(2, 8), torch.randn(2, 8), call=modulated(norm))
layer("attention", unet.Attention(8, 2, 4), image)
layer("res_block", unet.ResBlock(8, 8, 6, 4, (False, False)), image, torch.randn(2, 6))
layer("res_block_wider", unet.ResBlock(8, 12, 6, 4, (True, False)), image, torch.randn(2, 6))
layer("sequential", nn.Sequential(nn.Linear(5, 9), nn.SiLU(), nn.Linear(9, 2)), torch.randn(4, 5))
tiny = dict(in_channels=3, out_channels=1, patch=1, widths=[16, 32], blocks=1, attention=[False, True], heads=2,
            groups=4, time_width=32)
wrapped = dict(in_channels=3, out_channels=2, patch=2, widths=[24, 40], blocks=1, attention=[True, False], heads=2,
               groups=4, time_width=48, periodic=[False, True])
embedding = unet.UNet(**tiny)
for k, child in list(embedding.named_children()):
    if not k.startswith("time"):
        delattr(embedding, k)
layer("time_embedding", embedding, torch.rand(4), call=embedding.embed)
network("unet_tiny", tiny, 2, 16)
network("unet_periodic", wrapped, 2, 16)
optimizer("adam", lambda p: torch.optim.Adam(p, lr=0.03, betas=(0.8, 0.9), weight_decay=0.1))
optimizer("adamw", lambda p: torch.optim.AdamW(p, lr=0.03, weight_decay=0.1))
optimizer("sgd", lambda p: torch.optim.SGD(p, lr=0.03))
optimizer("sgd_nesterov", lambda p: torch.optim.SGD(p, lr=0.03, momentum=0.9, nesterov=True, weight_decay=0.1))
