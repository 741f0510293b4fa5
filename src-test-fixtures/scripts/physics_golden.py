"""Writes the reference numbers of the physics tests with NumPy and SciPy.

    physics_golden.py RESOURCES

RESOURCES is the directory that gets the files.

darcy.npz: pressures of -div(a grad p) = 1 at every eighth cell centre of 128 x 128, for the permeability of the function
permeability below, by a sparse direct solver.
  arithmetic, harmonic   cell-centred finite volumes
  spline                 the scheme of DiffusionPDE's generator: a interpolated to the nodes by not-a-knot cubic splines,
                         the five-point equations there with arithmetic means, p interpolated back to the cell centres
navier_stokes.npz: velocities (u, v) at t = 0.5 and 1 of the vorticity of the function vorticity, at every fourth point of
64 x 64, integrated by the classical Runge-Kutta scheme with an integrating factor, 2/3 rule, step 1e-3.
"""
import pathlib
import sys

import numpy as np
import scipy.sparse as sparse
from scipy.interpolate import CubicSpline
from scipy.sparse.linalg import spsolve

out = pathlib.Path(sys.argv[1])


def permeability(n):
    x = (np.arange(n) + 0.5) / n * np.pi
    x, y = np.meshgrid(x, x, indexing="ij")
    level = (np.cos(2 * x) * np.cos(y) + 0.7 * np.cos(x) * np.cos(3 * y)
             + 0.4 * np.cos(5 * x) + 0.3 * np.cos(3 * x) * np.cos(4 * y))
    return np.where(level >= 0, 12.0, 3.0)


def solve(vertical, horizontal, h):
    """Pressures of n x n points from the coefficients of the (n + 1) x n and n x (n + 1) faces, walls included."""
    n = vertical.shape[1]
    index = np.arange(n * n).reshape(n, n)
    diagonal = vertical[:-1] + vertical[1:] + horizontal[:, :-1] + horizontal[:, 1:]
    rows, cols, values = [index.ravel()], [index.ravel()], [diagonal.ravel()]
    for face, a, b in ((vertical[1:-1], index[:-1], index[1:]), (horizontal[:, 1:-1], index[:, :-1], index[:, 1:])):
        rows += [a.ravel(), b.ravel()]
        cols += [b.ravel(), a.ravel()]
        values += [-face.ravel()] * 2
    matrix = sparse.coo_matrix(tuple([np.concatenate(values), (np.concatenate(rows), np.concatenate(cols))]))
    return spsolve(matrix.tocsc() / h**2, np.ones(n * n)).reshape(n, n)


def volumes(a, mean):
    vertical = np.concatenate([2 * a[:1], mean(a[:-1], a[1:]), 2 * a[-1:]])
    horizontal = np.concatenate([2 * a[:, :1], mean(a[:, :-1], a[:, 1:]), 2 * a[:, -1:]], 1)
    return solve(vertical, horizontal, 1 / len(a))


def interpolate(x, f, y):
    return CubicSpline(x, CubicSpline(x, f, axis=0)(y), axis=1)(y)


def spline(a):
    n = len(a)
    centres, nodes = (np.arange(n) + 0.5) / n, np.linspace(0, 1, n)
    b = interpolate(centres, a, nodes)
    p = np.zeros((n, n))
    vertical, horizontal = (b[:-1, 1:-1] + b[1:, 1:-1]) / 2, (b[1:-1, :-1] + b[1:-1, 1:]) / 2
    p[1:-1, 1:-1] = solve(vertical, horizontal, 1 / (n - 1))
    return interpolate(nodes, p, centres)


def vorticity(n):
    x = 2 * np.pi * np.arange(n) / n
    x, y = np.meshgrid(x, x, indexing="ij")
    return np.sin(x) * np.cos(2 * y) + 0.5 * np.cos(3 * x + y) + 0.3 * np.sin(2 * x - 3 * y)


def navier_stokes(n, viscosity, dt, times):
    k = 2 * np.pi * np.fft.fftfreq(n, 1 / n)
    kx, ky = np.meshgrid(k, k, indexing="ij")
    square = kx**2 + ky**2
    square[0, 0] = 1
    low = (np.abs(kx) < 2 * np.pi * n / 3) & (np.abs(ky) < 2 * np.pi * n / 3)
    x = np.arange(n) / n
    phase = 2 * np.pi * (x[:, None] + x)
    force = np.fft.fft2(0.1 * (np.sin(phase) + np.cos(phase)))

    def velocity(w):
        return np.fft.ifft2(1j * ky * w / square).real, np.fft.ifft2(-1j * kx * w / square).real

    def slope(w):
        u, v = velocity(w)
        advection = u * np.fft.ifft2(1j * kx * w).real + v * np.fft.ifft2(1j * ky * w).real
        return force - low * np.fft.fft2(advection)

    half = np.exp(-0.5 * dt * viscosity * square)
    half[0, 0] = 1
    w = low * np.fft.fft2(vorticity(n))
    frames, t = [], 0
    for end in times:
        for _ in range(round((end - t) / dt)):
            a = dt * slope(w)
            b = dt * slope(half * (w + a / 2))
            c = dt * slope(half * w + b / 2)
            d = dt * slope(half * half * w + half * c)
            w = half * half * (w + a / 6) + half * (b + c) / 3 + d / 6
        frames.append(velocity(w))
        t = end
    return np.array(frames)[:, :, ::4, ::4]


a = permeability(128)
np.savez(out / "darcy.npz",
         arithmetic=volumes(a, lambda x, y: (x + y) / 2)[::8, ::8],
         harmonic=volumes(a, lambda x, y: 2 * x * y / (x + y))[::8, ::8],
         spline=spline(a)[::8, ::8])
np.savez(out / "navier_stokes.npz", velocity=navier_stokes(64, 1e-3, 1e-3, (0.5, 1.0)))
