"""Writes small files as DiffusionPDE, FNO and MATLAB write them, and what must be read from them.

    python foreign_data.py DIRECTORY        (needs numpy, scipy, h5py)

Extents differ along every axis, so that no exchange of axes goes unnoticed.
"""
import sys
from pathlib import Path

import h5py
import numpy as np
import scipy.io

out = Path(sys.argv[1])
out.mkdir(parents=True, exist_ok=True)
rng = np.random.default_rng(5)
expected = {}

# Darcy as DiffusionPDE's code reads it: MATLAB 5, double, with arrays that are not wanted.
a = np.where(rng.standard_normal((3, 6, 5)) > 0, 12.0, 3.0)
p = rng.standard_normal((3, 6, 5)) * 4e-3
scipy.io.savemat(out / "darcy.mat", {
    "lognorm_a_data": a + 1, "lognorm_p_data": p + 1, "thresh_a_data": a, "thresh_p_data": p})
scipy.io.savemat(out / "darcy_compressed.mat", {
    "coeff": a.astype(np.uint8), "sol": p.astype(np.float32), "Kcoeff": a}, do_compression=True)
expected["darcy"] = np.stack([a, p], 1)

# Poisson as MATLAB 7.3 saves it: HDF5 behind a block of 512 bytes, axes from the last to the first.
f = rng.standard_normal((4, 6, 5))
u = rng.standard_normal((4, 6, 5)) * 4e-3
path = out / "poisson73.mat"
with h5py.File(path, "w", userblock_size=512) as file:
    for name, array in (("f_data", f), ("phi_data", u)):
        data = file.create_dataset(name, data=array.T, chunks=(3, 4, 2), compression="gzip", shuffle=True)
        data.attrs["MATLAB_class"] = np.bytes_("double")
with open(path, "r+b") as file:
    file.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(116) + bytes(8) + b"\x00\x02IM")
expected["poisson"] = np.stack([f, u], 1)

# Burgers in plain HDF5, one contiguous and one chunked array.
b = rng.standard_normal((3, 7, 8)).astype(np.float32)
with h5py.File(out / "burgers.h5", "w") as file:
    file.create_dataset("output", data=b)
    file.create_dataset("input", data=b[:, 0])
    file.create_dataset("visc", data=0.01)
    file.create_dataset("names", data=np.array([b"u"]))
with h5py.File(out / "burgers_chunked.h5", "w", libver="latest") as file:
    file.create_dataset("u", data=b[..., None], chunks=(2, 3, 8, 1))
expected["burgers"] = b[:, None]

# Navier-Stokes as FNO's generator saves it: vorticity (samples, x, y, times); 20 times here.
n = 8
k = np.fft.fftfreq(n, 1 / n)
kx, ky = np.meshgrid(k, k, indexing="ij")
low = (np.abs(kx) < 3) & (np.abs(ky) < 3) & (kx ** 2 + ky ** 2 > 0)
w_hat = np.fft.fft2(rng.standard_normal((2, 20, n, n))) * low
w = np.fft.ifft2(w_hat).real
psi_hat = np.where(low, np.fft.fft2(w) / np.where(low, 4 * np.pi ** 2 * (kx ** 2 + ky ** 2), 1), 0)
u = np.fft.ifft2(2j * np.pi * ky * psi_hat).real
v = np.fft.ifft2(-2j * np.pi * kx * psi_hat).real
scipy.io.savemat(out / "ns.mat", {
    "a": np.zeros((2, n, n)), "u": w.transpose(0, 2, 3, 1), "t": np.arange(1.0, 21)})
expected["ns"] = np.concatenate([u[:, 1::2], v[:, 1::2]], 1)  # every second time, the last among them

np.savez_compressed(out / "expected.npz", **expected)
