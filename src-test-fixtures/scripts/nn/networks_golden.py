#!/usr/bin/env python3
"""Writes golden numbers of the networks, made with PyTorch in double precision.

    networks_golden.py DIRECTORY [network ...]

One file per network. Parameters stand under their names in float32; beside them, in double precision: io/in0, io/in1,
..., io/seed, io/out, the gradients of sum(seed * out) as grad/NAME and io/grad0, io/grad1, ..., and buffers after a
training step as after/NAME. Every parameter is random, so that nothing hides behind a zero.
"""
import json
import math
import struct
import sys

import torch
import torch.nn as nn
import torch.nn.functional as F


# ---- Fourier neural operators; complex weights are real tensors with (re, im) last


def linear(layer, x):
    """A linear layer on axis 1."""
    return layer(x.movedim(1, -1)).movedim(-1, 1)


def coordinates(x):
    n, sizes = x.shape[0], x.shape[2:]
    axes = torch.meshgrid(*[torch.linspace(0, 1, s, dtype=torch.float64) for s in sizes], indexing="ij")
    axes = [a.float().double() for a in axes]
    return torch.cat([x] + [a.expand(n, 1, *sizes) for a in axes], 1)


class Spectral1d(nn.Module):
    def __init__(self, width, modes):
        super().__init__()
        self.modes = modes
        self.weights1 = nn.Parameter(torch.zeros(width, width, modes, 2))

    def forward(self, x):
        spectrum = torch.fft.rfft(x)
        y = torch.zeros_like(spectrum)
        weights = torch.view_as_complex(self.weights1)
        y[..., : self.modes] = torch.einsum("bik,iok->bok", spectrum[..., : self.modes], weights)
        return torch.fft.irfft(y, n=x.shape[-1])


class Spectral2d(nn.Module):
    def __init__(self, width, m1, m2):
        super().__init__()
        self.m1, self.m2 = m1, m2
        self.weights1 = nn.Parameter(torch.zeros(width, width, m1, m2, 2))
        self.weights2 = nn.Parameter(torch.zeros(width, width, m1, m2, 2))

    def forward(self, x):
        spectrum = torch.fft.rfft2(x)
        y = torch.zeros_like(spectrum)
        for rows, weights in ((slice(0, self.m1), self.weights1), (slice(-self.m1, None), self.weights2)):
            block = spectrum[:, :, rows, : self.m2]
            y[:, :, rows, : self.m2] = torch.einsum("bixy,ioxy->boxy", block, torch.view_as_complex(weights))
        return torch.fft.irfft2(y, s=x.shape[-2:])


class Fno(nn.Module):
    def __init__(self, axes, ins, outs, modes, width, layers, padding, projection):
        super().__init__()
        self.axes, self.layers, self.padding = axes, layers, padding
        self.fc0 = nn.Linear(ins + axes, width)
        for i in range(layers):
            conv = Spectral1d(width, *modes) if axes == 1 else Spectral2d(width, *modes)
            self.add_module(f"conv{i}", conv)
            self.add_module(f"w{i}", (nn.Conv1d if axes == 1 else nn.Conv2d)(width, width, 1))
        self.fc1 = nn.Linear(width, projection)
        self.fc2 = nn.Linear(projection, outs)

    def forward(self, *inputs):
        x = torch.cat(inputs, 1)
        sizes = x.shape[2:]
        v = F.pad(linear(self.fc0, coordinates(x)), [0, self.padding] * self.axes)
        for i in range(self.layers):
            v = getattr(self, f"conv{i}")(v) + getattr(self, f"w{i}")(v)
            if i < self.layers - 1:
                v = F.gelu(v)
        v = v[..., : sizes[0]] if self.axes == 1 else v[..., : sizes[0], : sizes[1]]
        return linear(self.fc2, F.gelu(linear(self.fc1, v)))


class WeightNormed(nn.Module):
    def __init__(self, ins, outs):
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(outs))
        self.weight_g = nn.Parameter(torch.zeros(outs, 1))
        self.weight_v = nn.Parameter(torch.zeros(outs, ins))

    def forward(self, x):
        return F.linear(x, torch._weight_norm(self.weight_v, self.weight_g, 0), self.bias)


class FeedForward(nn.Module):
    def __init__(self, width, factor):
        super().__init__()
        pair = [(width, factor * width), (factor * width, width)]
        self.layers = nn.ModuleList([nn.Sequential(WeightNormed(*io)) for io in pair])

    def forward(self, x):
        return self.layers[1](F.relu(self.layers[0](x)))


def fourier_weights(width, modes):
    return nn.ParameterList([nn.Parameter(torch.zeros(width, width, modes, 2)) for _ in range(2)])


class FactorizedLayer(nn.Module):
    def __init__(self, width, modes, factor, own):
        super().__init__()
        self.modes = modes
        self.backcast_ff = FeedForward(width, factor)
        if own:
            self.fourier_weight = fourier_weights(width, modes)

    def forward(self, x, shared):
        weights = shared if shared is not None else self.fourier_weight
        total = 0
        for axis, weight, rule in ((-1, weights[0], "bixy,ioy->boxy"), (-2, weights[1], "bixy,iox->boxy")):
            spectrum = torch.fft.rfft(x, dim=axis, norm="ortho")
            low = spectrum.narrow(axis, 0, self.modes)
            y = torch.zeros_like(spectrum)
            y.narrow(axis, 0, self.modes).copy_(torch.einsum(rule, low, torch.view_as_complex(weight)))
            total = total + torch.fft.irfft(y, n=x.shape[axis], dim=axis, norm="ortho")
        return linear(self.backcast_ff, total)


class FactorizedFno(nn.Module):
    def __init__(self, ins, outs, modes, width, layers, factor, projection, shared):
        super().__init__()
        self.in_proj = WeightNormed(ins + 2, width)
        if shared:
            self.fourier_weight = fourier_weights(width, modes)
        self.shared = shared
        self.spectral_layers = nn.ModuleList(
            [FactorizedLayer(width, modes, factor, not shared) for _ in range(layers)]
        )
        self.out = nn.Sequential(WeightNormed(width, projection), WeightNormed(projection, outs))

    def forward(self, x):
        v = linear(self.in_proj, coordinates(x))
        for layer in self.spectral_layers:
            b = layer(v, self.fourier_weight if self.shared else None)
            v = v + b
        return linear(self.out, b)


# ---- the classic U-Net


class ClassicUNet(nn.Module):
    def __init__(self, ins, outs, width, levels):
        super().__init__()
        self.levels = levels
        for i in range(1, levels + 1):
            self.add_module(f"encoder{i}", self.block(f"enc{i}", ins if i == 1 else width << (i - 2), width << (i - 1)))
        self.bottleneck = self.block("bottleneck", width << (levels - 1), width << levels)
        for i in range(levels, 0, -1):
            self.add_module(f"upconv{i}", nn.ConvTranspose2d(width << i, width << (i - 1), 2, stride=2))
            self.add_module(f"decoder{i}", self.block(f"dec{i}", width << i, width << (i - 1)))
        self.conv = nn.Conv2d(width, outs, 1)

    @staticmethod
    def block(name, ins, outs):
        block = nn.Sequential()
        for i, c in ((1, ins), (2, outs)):
            block.add_module(f"{name}conv{i}", nn.Conv2d(c, outs, 3, padding=1, bias=False))
            block.add_module(f"{name}norm{i}", nn.BatchNorm2d(outs))
            block.add_module(f"{name}tanh{i}", nn.Tanh())
        return block

    def forward(self, x):
        skips = []
        for i in range(1, self.levels + 1):
            x = getattr(self, f"encoder{i}")(x)
            skips.append(x)
            x = F.max_pool2d(x, 2)
        x = self.bottleneck(x)
        for i in range(self.levels, 0, -1):
            x = torch.cat([getattr(self, f"upconv{i}")(x), skips[i - 1]], 1)
            x = getattr(self, f"decoder{i}")(x)
        return self.conv(x)


# ---- DDPM++


def norm(channels):
    return nn.GroupNorm(min(32, channels // 4), channels, eps=1e-6)


class SongBlock(nn.Module):
    def __init__(self, ins, outs, emb, sample=0, attention=False):
        super().__init__()
        self.sample = sample
        self.out_channels = outs
        self.norm0 = norm(ins)
        self.conv0 = nn.Conv2d(ins, outs, 3, padding=1)
        self.affine = nn.Linear(emb, outs)
        self.norm1 = norm(outs)
        self.conv1 = nn.Conv2d(outs, outs, 3, padding=1)
        self.skip = nn.Conv2d(ins, outs, 1) if sample or ins != outs else None
        self.attention = attention
        if attention:
            self.norm2 = norm(outs)
            self.qkv = nn.Conv2d(outs, 3 * outs, 1)
            self.proj = nn.Conv2d(outs, outs, 1)

    def resample(self, x):
        if self.sample > 0:
            return F.interpolate(x, scale_factor=2, mode="nearest")
        return F.avg_pool2d(x, 2) if self.sample < 0 else x

    def forward(self, x, emb):
        h = self.conv0(self.resample(F.silu(self.norm0(x))))
        h = F.silu(self.norm1(h + self.affine(emb)[:, :, None, None]))
        h = self.conv1(h)
        x = (h + (x if self.skip is None else self.skip(self.resample(x)))) * math.sqrt(0.5)
        if self.attention:
            n, c, height, width = x.shape
            q, k, v = self.qkv(self.norm2(x)).reshape(n, c, 3, height * width).unbind(2)
            weights = torch.softmax(torch.einsum("ncq,nck->nqk", q, k / math.sqrt(c)), 2)
            a = torch.einsum("nqk,nck->ncq", weights, v).reshape(n, c, height, width)
            x = (x + self.proj(a)) * math.sqrt(0.5)
        return x


class SongUNet(nn.Module):
    def __init__(self, resolution, ins, outs, width, mult, blocks, attention, augment):
        super().__init__()
        emb = 4 * width
        self.width = width
        if augment:
            self.map_augment = nn.Linear(augment, width, bias=False)
        self.map_layer0 = nn.Linear(width, emb)
        self.map_layer1 = nn.Linear(emb, emb)
        self.enc, self.dec = nn.ModuleDict(), nn.ModuleDict()
        c = width
        skips = []
        for level, m in enumerate(mult):
            res = resolution >> level
            if level == 0:
                self.enc[f"{res}x{res}_conv"] = nn.Conv2d(ins, c, 3, padding=1)
            else:
                self.enc[f"{res}x{res}_down"] = SongBlock(c, c, emb, sample=-1)
            skips.append(c)
            for i in range(blocks):
                self.enc[f"{res}x{res}_block{i}"] = SongBlock(c, width * m, emb, attention=res in attention)
                c = width * m
                skips.append(c)
        for level, m in reversed(list(enumerate(mult))):
            res = resolution >> level
            if level == len(mult) - 1:
                self.dec[f"{res}x{res}_in0"] = SongBlock(c, c, emb, attention=True)
                self.dec[f"{res}x{res}_in1"] = SongBlock(c, c, emb)
            else:
                self.dec[f"{res}x{res}_up"] = SongBlock(c, c, emb, sample=1)
            for i in range(blocks + 1):
                attends = i == blocks and res in attention
                self.dec[f"{res}x{res}_block{i}"] = SongBlock(c + skips.pop(), width * m, emb, attention=attends)
                c = width * m
        self.dec[f"{resolution}x{resolution}_aux_norm"] = norm(c)
        self.dec[f"{resolution}x{resolution}_aux_conv"] = nn.Conv2d(c, outs, 3, padding=1)

    def forward(self, x, noise, augment=None):
        half = self.width // 2
        frequencies = (1 / 10000) ** (torch.arange(half, dtype=torch.float64) / (half - 1))
        phase = torch.outer(noise, frequencies)
        emb = torch.cat([phase.sin(), phase.cos()], 1)
        if augment is not None:
            emb = emb + self.map_augment(augment)
        emb = F.silu(self.map_layer1(F.silu(self.map_layer0(emb))))
        skips = []
        for name, layer in self.enc.items():
            x = layer(x) if name.endswith("conv") else layer(x, emb)
            skips.append(x)
        for name, layer in self.dec.items():
            if name.endswith("aux_norm"):
                x = F.silu(layer(x))
            elif name.endswith("aux_conv"):
                x = layer(x)
            else:
                if "block" in name:
                    x = torch.cat([x, skips.pop()], 1)
                x = layer(x, emb)
        return x


# ---- the U-Net for sequences of images


class VideoBlock(nn.Module):
    def __init__(self, ins, outs, emb, groups):
        super().__init__()
        self.in_layers = nn.Sequential(nn.GroupNorm(groups, ins), nn.SiLU(), nn.Conv2d(ins, outs, 3, padding=1))
        self.emb_layers = nn.Sequential(nn.SiLU(), nn.Linear(emb, 2 * outs))
        self.out_layers = nn.Sequential(
            nn.GroupNorm(groups, outs), nn.SiLU(), nn.Identity(), nn.Conv2d(outs, outs, 3, padding=1)
        )
        self.skip_connection = nn.Identity() if ins == outs else nn.Conv2d(ins, outs, 1)

    def forward(self, x, emb, frames):
        h = self.in_layers(x)
        scale, shift = self.emb_layers(emb).repeat_interleave(frames, 0)[:, :, None, None].chunk(2, 1)
        h = self.out_layers[0](h) * (1 + scale) + shift
        return self.skip_connection(x) + self.out_layers[3](F.silu(h))


class RelativePosition(nn.Module):
    def __init__(self, width, heads, emb):
        super().__init__()
        self.distance = nn.Linear(3, width)
        self.time = nn.Linear(emb, width)
        self.out = nn.Linear(width, heads, bias=False)

    def forward(self, emb, frames):
        i = torch.arange(frames, dtype=torch.float64)
        d = i[:, None] - i[None, :]
        features = torch.stack([torch.log1p(d.clamp(min=0)), torch.log1p((-d).clamp(min=0)), (d == 0).double()], -1)
        h = F.silu(self.time(emb)[:, None, None, :] + self.distance(features.float().double()))
        return self.out(h).permute(0, 3, 1, 2)  # (n, heads, frames, frames)


class Temporal(nn.Module):
    def __init__(self, width, heads, groups, emb):
        super().__init__()
        self.heads = heads
        self.norm = nn.GroupNorm(groups, width)
        self.position = RelativePosition(width, heads, emb)
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x, emb, frames):
        c, h, w = x.shape[1:]
        n = x.shape[0] // frames
        tokens = self.norm(x).reshape(n, frames, c, h * w).permute(0, 3, 1, 2)
        q, k, v = self.qkv(tokens).reshape(n, h * w, frames, 3, self.heads, c // self.heads).permute(3, 0, 1, 4, 2, 5)
        scores = q @ k.transpose(-1, -2) / math.sqrt(c // self.heads) + self.position(emb, frames)[:, None]
        y = (scores.softmax(-1) @ v).permute(0, 1, 3, 2, 4).reshape(n, h * w, frames, c)
        return x + self.out(y).permute(0, 2, 3, 1).reshape(x.shape)


class Spatial(nn.Module):
    def __init__(self, width, heads, groups):
        super().__init__()
        self.heads = heads
        self.norm = nn.GroupNorm(groups, width)
        self.qkv = nn.Conv2d(width, 3 * width, 1)
        self.out = nn.Conv2d(width, width, 1)

    def forward(self, x):
        n, c, h, w = x.shape
        q, k, v = self.qkv(self.norm(x)).reshape(n, 3, self.heads, c // self.heads, h * w).transpose(-1, -2).unbind(1)
        return x + self.out(F.scaled_dot_product_attention(q, k, v).transpose(-1, -2).reshape(n, c, h, w))


class Factorized(nn.Module):
    def __init__(self, width, heads, groups, emb):
        super().__init__()
        self.temporal_attention = Temporal(width, heads, groups, emb)
        self.spatial_attention = Spatial(width, heads, groups)

    def forward(self, x, emb, frames):
        return self.spatial_attention(self.temporal_attention(x, emb, frames))


class VideoUNet(nn.Module):
    def __init__(self, ins, outs, width, mult, blocks, attention, heads, groups):
        super().__init__()
        emb = 4 * width
        self.width = width
        self.time_embed = nn.Sequential(nn.Linear(width, emb), nn.SiLU(), nn.Linear(emb, emb))
        c = width * mult[0]
        self.input_blocks = nn.ModuleList([nn.ModuleList([nn.Conv2d(ins + 1, c, 3, padding=1)])])
        skips, factor = [c], 1
        for level, m in enumerate(mult):
            for _ in range(blocks):
                stage = [VideoBlock(c, width * m, emb, groups)]
                c = width * m
                if factor in attention:
                    stage.append(Factorized(c, heads, groups, emb))
                self.input_blocks.append(nn.ModuleList(stage))
                skips.append(c)
            if level < len(mult) - 1:
                self.input_blocks.append(nn.ModuleList([nn.ModuleDict({"op": nn.Conv2d(c, c, 3, stride=2, padding=1)})]))
                skips.append(c)
                factor *= 2
        self.middle_block = nn.ModuleList(
            [VideoBlock(c, c, emb, groups), Factorized(c, heads, groups, emb), VideoBlock(c, c, emb, groups)]
        )
        self.output_blocks = nn.ModuleList()
        for level, m in reversed(list(enumerate(mult))):
            for i in range(blocks + 1):
                stage = [VideoBlock(c + skips.pop(), width * m, emb, groups)]
                c = width * m
                if factor in attention:
                    stage.append(Factorized(c, heads, groups, emb))
                if level > 0 and i == blocks:
                    stage.append(nn.ModuleDict({"conv": nn.Conv2d(c, c, 3, padding=1)}))
                    factor //= 2
                self.output_blocks.append(nn.ModuleList(stage))
        self.out = nn.Sequential(nn.GroupNorm(groups, c), nn.SiLU(), nn.Conv2d(c, outs, 3, padding=1))

    @staticmethod
    def stage(stage, x, emb, frames):
        for layer in stage:
            if isinstance(layer, nn.ModuleDict):
                down = "op" in layer
                x = layer["op"](x) if down else layer["conv"](F.interpolate(x, scale_factor=2, mode="nearest"))
            elif isinstance(layer, nn.Conv2d):
                x = layer(x)
            else:
                x = layer(x, emb, frames)
        return x

    def forward(self, x, t, observed):
        n, frames, c, h, w = x.shape
        half = self.width // 2
        frequencies = torch.exp(-math.log(10000) * torch.arange(half, dtype=torch.float64) / half)
        phase = torch.outer(t, frequencies)
        emb = self.time_embed(torch.cat([phase.cos(), phase.sin()], 1))
        x = torch.cat([x, observed[:, :, None, None, None].expand(n, frames, 1, h, w)], 2)
        x = x.reshape(n * frames, c + 1, h, w)
        skips = []
        for stage in self.input_blocks:
            x = self.stage(stage, x, emb, frames)
            skips.append(x)
        x = self.stage(self.middle_block, x, emb, frames)
        for stage in self.output_blocks:
            x = self.stage(stage, torch.cat([x, skips.pop()], 1), emb, frames)
        return self.out(x).reshape(n, frames, -1, h, w)


# ---- the cases


def normal(*shape):
    return torch.randn(*shape).double()


def uniform(*shape):
    return torch.rand(*shape).double()


CASES = {
    "fno1d": lambda: (Fno(1, 2, 3, [5], 6, 3, 2, 7), [normal(2, 2, 17)]),
    "fno2d": lambda: (Fno(2, 2, 1, [3, 4], 5, 3, 3, 7), [normal(2, 2, 12, 9)]),
    "fno2d_periodic": lambda: (Fno(2, 1, 2, [4, 5], 4, 4, 0, 6), [normal(3, 1, 8, 8)]),
    "conditional_fno": lambda: (
        Fno(2, 3, 2, [3, 3], 4, 2, 1, 6),
        [normal(2, 2, 8, 10), (uniform(2, 1, 8, 10) < 0.3).double()],
    ),
    "ffno_shared": lambda: (FactorizedFno(1, 1, 4, 5, 3, 4, 6, True), [normal(2, 1, 8, 12)]),
    "ffno": lambda: (FactorizedFno(2, 3, 5, 4, 2, 2, 6, False), [normal(2, 2, 9, 8)]),
    "classic_unet": lambda: (ClassicUNet(2, 3, 4, 2), [normal(3, 2, 8, 12)]),
    "song_unet": lambda: (SongUNet(16, 2, 3, 8, [1, 2], 1, [8], 9), [normal(2, 2, 16, 16), normal(2), normal(2, 9)]),
    "song_unet_plain": lambda: (SongUNet(8, 1, 1, 8, [1, 1], 2, [], 0), [normal(2, 1, 8, 8), normal(2)]),
    "video_unet": lambda: (
        VideoUNet(2, 2, 4, [1, 2], 1, [2], 2, 2),
        [normal(2, 3, 2, 8, 8), 5 * uniform(2), (uniform(2, 3) < 0.5).double()],
    ),
}


def randomize(net):
    for name, p in sorted(net.state_dict().items()):
        if not p.is_floating_point():
            continue
        if name.endswith("running_var"):
            values = 0.5 + torch.rand(p.shape)
        elif p.dim() == 1 or name.endswith("weight_g"):
            values = 0.1 * torch.randn(p.shape) + ("bias" not in name and "mean" not in name)
        else:
            values = torch.randn(p.shape) / math.sqrt(max(1, p[0].numel()))
        p.copy_(values.double())


def golden(net, inputs):
    net.double()
    with torch.no_grad():
        randomize(net)
    tensors = {k: v.clone().float() for k, v in net.state_dict().items() if v.is_floating_point()}
    net.eval()
    with torch.no_grad():
        tensors["io/eval"] = net(*inputs)
    net.train()
    inputs = [x.clone().requires_grad_() for x in inputs]
    out = net(*inputs)
    seed = normal(*out.shape)
    (out * seed).sum().backward()
    for i, x in enumerate(inputs):
        tensors[f"io/in{i}"] = x.detach()
        tensors[f"io/grad{i}"] = x.grad
    tensors["io/seed"], tensors["io/out"] = seed, out.detach()
    for name, p in net.named_parameters():
        tensors[f"grad/{name}"] = p.grad
    for name, b in net.named_buffers():
        if b.is_floating_point():
            tensors[f"after/{name}"] = b.detach()
    return tensors


def write(path, tensors):
    header, blobs, at = {}, [], 0
    for name, tensor in tensors.items():
        blob = tensor.contiguous().numpy().tobytes()
        kind = "F32" if tensor.dtype == torch.float32 else "F64"
        header[name] = {"dtype": kind, "shape": list(tensor.shape), "data_offsets": [at, at + len(blob)]}
        at += len(blob)
        blobs.append(blob)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for blob in blobs:
            file.write(blob)


if __name__ == "__main__":
    for index, (name, make) in enumerate(CASES.items()):
        torch.manual_seed(index)
        if len(sys.argv) == 2 or name in sys.argv[2:]:
            write(f"{sys.argv[1]}/{name}.safetensors", golden(*make()))
