/**
 * Reading data sets that others made: HDF5, MATLAB 5 and 7.3 and npz files in the layouts of
 * DiffusionPDE and of the Fourier neural operator.
 *
 * <p>A module of its own, because it is the only one that needs the libraries jhdf and mfl-core.
 */
package io.perflow.interop;
