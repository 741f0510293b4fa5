#!/usr/bin/env python3
"""Writes the golden numbers of the interpolations, made with scipy.interpolate.

    interpolation_golden.py OUT.npz

Every case has the readings (rows and columns in cells), the lattice (height, width, spacings, periodic or not) and the fields.
Along periodic axes SciPy gets the readings and their copies one period before and after. Readings are at random places, so
the Delaunay triangulation is unique; where LinearNDInterpolator answers NaN, outside the hull, the nearest reading is stored.
"""
import sys

import numpy as np
from scipy.interpolate import LinearNDInterpolator, NearestNDInterpolator, RBFInterpolator

rng = np.random.default_rng(11)
out = {}


def case(name, readings, height, width, spacing, periodic, neighbours=None):
    extent = np.array([height, width])
    low = np.where(periodic, 0.0, -0.5)
    places = low + rng.uniform(size=(readings, 2)) * extent
    values = np.sin(5 * places[:, 0] / height) * np.cos(4 * places[:, 1] / width) + 0.1 * rng.normal(size=readings)
    shifts = [(i, j) for i in range(-periodic[0], periodic[0] + 1) for j in range(-periodic[1], periodic[1] + 1)]
    points = np.concatenate([places + shift * extent for shift in np.array(shifts)]) * spacing
    copied = np.tile(values, len(shifts))
    grid = np.stack(np.meshgrid(np.arange(height), np.arange(width), indexing="ij"), -1).reshape(-1, 2) * spacing
    nearest = NearestNDInterpolator(points, copied)(grid)
    linear = LinearNDInterpolator(points, copied)(grid)
    spline = RBFInterpolator(points, copied, kernel="thin_plate_spline", degree=1, neighbors=neighbours)
    out[f"{name}.lattice"] = np.array([height, width, *spacing, *periodic], float)
    out[f"{name}.rows"], out[f"{name}.columns"], out[f"{name}.values"] = *places.T, values
    out[f"{name}.nearest"] = nearest
    out[f"{name}.linear"] = np.where(np.isnan(linear), nearest, linear)
    out[f"{name}.thin_plate"] = spline(grid)


case("bounded", 40, 17, 12, (0.1, 0.25), (0, 0))
case("cylinder", 25, 15, 18, (1.0, 0.5), (0, 1))
case("torus", 12, 16, 16, (1 / 16, 1 / 16), (1, 1))
case("few", 5, 9, 9, (0.5, 0.5), (0, 0))
case("many", 2100, 14, 14, (1 / 13, 1 / 13), (0, 0), neighbours=64)
np.savez_compressed(sys.argv[1], **out)
