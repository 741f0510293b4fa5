"""Writes small files of every kind that ArrayFiles reads, by the tools that people use.

    python array_files.py DIRECTORY        (needs numpy, scipy, h5py, netCDF4)

Fields are T(time, y, x) = 100 time + 10 y + x with 3 times, 4 rows and 5 columns, so that any
number says where it comes from. What a test expects besides stands in the test.
"""
import sys
from pathlib import Path

import h5py
import netCDF4
import numpy as np
import scipy.io

out = Path(sys.argv[1])
out.mkdir(parents=True, exist_ok=True)
t, y, x = np.meshgrid(np.arange(3), np.arange(4), np.arange(5), indexing="ij")
field = (100 * t + 10 * y + x).astype(np.float32)
time = np.array([0.0, 0.5, 1.0])
lat = np.array([60.0, 50.0, 40.0, 30.0])
lon = np.linspace(0, 8, 5)

# NetCDF 3 by SciPy: time counts records, a second variable makes records of two parts.
for version, name in ((1, "classic.nc"), (2, "offset64.nc")):
    with scipy.io.netcdf_file(out / name, "w", version=version) as file:
        file.title = "fields"
        file.createDimension("time", None)
        file.createDimension("lat", 4)
        file.createDimension("lon", 5)
        file.createDimension("letters", 3)
        for key, values, unit in (("time", time, "days since 2000-01-01"),
                                  ("lat", lat, "degrees_north"), ("lon", lon, "degrees_east")):
            variable = file.createVariable(key, "f8", (key,))
            variable[:] = values
            variable.units = unit
        variable = file.createVariable("T", "f4", ("time", "lat", "lon"))
        variable[:] = field
        variable.units = "K"
        variable.long_name = "temperature"
        packed = file.createVariable("packed", "i2", ("time", "lon"))
        packed[:] = np.arange(15).reshape(3, 5)
        packed[1, 2] = -999
        packed._FillValue = np.int16(-999)
        packed.scale_factor = np.float64(0.1)
        packed.add_offset = np.float64(273.15)
        text = file.createVariable("label", "c", ("letters",))
        text[:] = np.frombuffer(b"abc", "S1")

# One record variable of an odd size: its records are not padded.
with scipy.io.netcdf_file(out / "odd.nc", "w") as file:
    file.createDimension("time", None)
    file.createDimension("x", 3)
    file.createVariable("b", "i1", ("time", "x"))[:] = np.arange(6).reshape(2, 3)

# NetCDF 3 with sizes of 64 bits and unsigned integers, by the library of NetCDF.
with netCDF4.Dataset(out / "data64.nc", "w", format="NETCDF3_64BIT_DATA") as file:
    file.createDimension("time", None)
    file.createDimension("y", 4)
    file.createDimension("x", 5)
    file.createVariable("T", "u2", ("time", "y", "x"))[:] = field.astype(np.uint16)
    file.createVariable("nu", "f8", ())[...] = 0.01
    half = file.createVariable("half", "f8", ("time", "x"))  # two of its records are never written
    half[:1] = lon

# NetCDF 4: a dimension without coordinates, groups, packed and missing numbers, unlimited times.
with netCDF4.Dataset(out / "four.nc", "w") as file:
    file.createDimension("time", None)
    file.createDimension("lat", 4)
    file.createDimension("lon", 5)
    file.createDimension("member", 2)
    for key, values, unit in (("time", time, "s"), ("lat", lat, "degrees_north")):
        variable = file.createVariable(key, "f8", (key,))
        variable[:] = values
        variable.units = unit
    variable = file.createVariable("run/fields/T", "f4", ("time", "lat", "lon"), zlib=True)
    variable[:] = field
    variable.units = "K"
    variable.standard_name = "air_temperature"
    packed = file.createVariable("packed", "i2", ("member", "lon"), fill_value=-999)
    packed.scale_factor = np.float32(0.5)
    packed.add_offset = np.float32(10)
    packed.set_auto_maskandscale(False)
    packed[:] = [[0, 1, 2, 3, -999], [5, 6, 7, 8, 9]]
    part = file.createVariable("part", "f4", ("lat",))  # half of it is never written
    part[:2] = [1, 2]
    file.createVariable("word", str, ("member",))[:] = np.array(["a", "b"], dtype=object)

# HDF5 by h5py: groups, types, a loop, links, labels, scales that were named by hand.
with h5py.File(out / "types.h5", "w") as file:
    group = file.create_group("run1/fields")
    group["T"] = field
    group["T"].attrs["units"] = "K"
    group["T"].dims[0].label = "time"
    file["run1/x"] = lon
    file["half"] = field[0].astype(np.float16)
    file["big"] = field[0].astype(">f8")
    file["i1"] = np.array([-1, 2], np.int8)
    file["u2"] = np.array([1, 65535], np.uint16)
    file["i4"] = np.array([1, 1 << 30], np.int32)
    file["u8"] = np.array([1, (1 << 64) - 2048], np.uint64)
    file["complex"] = np.array([1 + 2j])
    file["compound"] = np.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f8")])
    file["text"] = np.array([b"ab"])
    file["words"] = ["a", "b"]
    file["flags"] = np.array([True, False])
    file["reference"] = np.array([group.ref], dtype=h5py.ref_dtype)
    file["empty"] = np.zeros((0, 3))
    file["number"] = 0.25
    file["scale_of_rows"] = lat
    file["scale_of_rows"].make_scale("row")
    file["scale_of_rows"].attrs["units"] = "m"
    file["half"].dims[0].attach_scale(file["scale_of_rows"])
    file["run1/again"] = file["run1"]  # a loop of hard links
    file["soft"] = h5py.SoftLink("/run1/fields/T")
    file["outside"] = h5py.ExternalLink("/etc/passwd", "/")

# MATLAB 5 by SciPy: vectors are rows, all else that is not read.
scipy.io.savemat(out / "five.mat", {
    "u": field, "t": time, "x": lon, "n": 7, "z": np.array([1j]), "s": "text",
    "st": {"a": 1.0}, "i2": np.array([[1, -2]], np.int16), "nan": np.array([[1.0, np.nan]])})

# NumPy: memory order, byte order, types that are not read, and files that are one sample each.
np.save(out / "fortran.npy", np.asfortranarray(field))
np.save(out / "big.npy", field.astype(">i2"))
np.savez(out / "mixed.npz", u=field, t=time, y=lat, x=lon, c=np.array([1j]),
         o=np.array([None], dtype=object), w=np.array(["a"]),
         r=np.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f8")]), nu=np.float64(0.01))
