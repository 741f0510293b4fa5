/** Arrays and data sets in the formats of other tools: HDF5, NetCDF, MATLAB and NumPy. */
module io.perflow.interop {
  exports io.perflow.interop;

  requires io.jhdf;
  requires transitive io.perflow.physics;
  requires us.hebi.matlab.mat.mfl.core;
}
