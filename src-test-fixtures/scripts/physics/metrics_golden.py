#!/usr/bin/env python3
"""Writes the golden numbers of the metrics, made with NumPy from the definitions (pairs are looped over, nothing sorted).

    metrics_golden.py OUT.npz
"""
import sys

import numpy as np

rng = np.random.default_rng(5)
out = {}

# two quantities at three frames, channels u1 u2 u3 v1 v2 v3
truth = rng.normal(size=(2, 6, 5, 7))
prediction = truth + 0.3 * rng.normal(size=truth.shape)
out["error.truth"], out["error.prediction"] = truth, prediction
for order in (1, 2):
    norm = lambda x: np.array([[np.linalg.norm(s[3 * c : 3 * c + 3].ravel(), order) for c in (0, 1)] for s in x])
    out[f"error.l{order}"] = norm(prediction - truth) / norm(truth)

mask = rng.integers(0, 2, size=(2, 1, 5, 7)).astype(float)
out["sensors.mask"] = mask
picked = [np.broadcast_to(mask[b], truth[b].shape) == 1 for b in (0, 1)]
misfit = [(prediction - truth)[b][picked[b]] for b in (0, 1)]
out["sensors.rms"] = np.array([np.sqrt(np.mean(m**2)) for m in misfit])
out["sensors.relative"] = np.array([np.linalg.norm(m) / np.linalg.norm(truth[b][picked[b]]) for b, m in enumerate(misfit)])
out["sensors.largest"] = np.array([np.abs(m).max() for m in misfit])

for name, shape in dict(even=(2, 1, 6, 8), odd=(1, 2, 5, 7)).items():
    field = rng.normal(size=shape)
    h, w = shape[2:]
    density = 0.5 * np.abs(np.fft.fft2(field) / (h * w)) ** 2
    radius = np.hypot(np.fft.fftfreq(h, 1 / h)[:, None], np.fft.fftfreq(w, 1 / w)[None, :])
    shell = np.floor(radius + 0.5).astype(int)
    out[f"spectrum.{name}.field"] = field
    out[f"spectrum.{name}.isotropic"] = np.stack([density[..., shell == k].sum(-1) for k in range(shell.max() + 1)], -1)
    rows = 0.5 * np.abs(np.fft.fft(field) / w) ** 2
    wave = np.abs(np.fft.fftfreq(w, 1 / w)).round().astype(int)
    out[f"spectrum.{name}.rows"] = np.stack([rows[..., wave == k].sum(-1).mean(-1) for k in range(w // 2 + 1)], -1)

K = 19
fields = [(rng.normal(size=(K, 2, 4, 6)) + 0.5 * rng.normal(size=(1, 2, 4, 6)), rng.normal(size=(2, 4, 6))) for _ in (0, 1)]
fields[0][1][0, 0, :3] = fields[0][0][4, 0, 0, :3]  # ties
x = np.concatenate([f[0].reshape(K, -1) for f in fields], 1)
y = np.concatenate([f[1].ravel() for f in fields])
distance = np.abs(x - y).mean(0)
pairs = np.abs(x[:, None] - x[None]).sum((0, 1))
ratio = np.sqrt((K + 1) / K) * np.sqrt(x.var(0, ddof=1).mean()) / np.sqrt(((x.mean(0) - y) ** 2).mean())
correlations = [
    np.corrcoef(m[:, c].std(0).ravel(), np.abs(m[:, c].mean(0) - t[c]).ravel())[0, 1] for m, t in fields for c in (0, 1)
]


def coverage(level):
    low, high = np.quantile(x, [(1 - level) / 2, (1 + level) / 2], axis=0, method="weibull")
    return np.mean((low <= y) & (y <= high))


histogram = np.zeros(K + 1)
for e in range(len(y)):
    below, upto = np.sum(x[:, e] < y[e]), np.sum(x[:, e] <= y[e])
    histogram[below : upto + 1] += 1 / (upto - below + 1) / len(y)
for i, (m, t) in enumerate(fields):
    out[f"ensemble.members.{i}"], out[f"ensemble.truth.{i}"] = m, t
out["ensemble.scores"] = np.array([
    np.mean(distance - pairs / (2 * K * K)), np.mean(distance - pairs / (2 * K * (K - 1))), coverage(0.5), coverage(0.9),
    ratio, np.mean(correlations),
])
out["ensemble.ranks"] = histogram
np.savez(sys.argv[1], **out)
