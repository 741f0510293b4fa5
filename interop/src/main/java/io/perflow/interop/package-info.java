/**
 * Readers for files of other tools: arrays in HDF5, NetCDF, MATLAB, npy and npz files ({@link
 * io.perflow.interop.ArrayFiles}), the fields among them with their axes and units ({@link
 * io.perflow.interop.FieldFinder}), and data sets in the layouts of DiffusionPDE and of the Fourier
 * neural operator ({@link io.perflow.interop.ForeignDatasets}).
 *
 * <p>This is a separate module, because only it needs the libraries jhdf and mfl-core.
 */
package io.perflow.interop;
