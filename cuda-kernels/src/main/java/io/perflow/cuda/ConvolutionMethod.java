package io.perflow.cuda;

/** The methods for convolutions in F32; other convolutions always use {@link #DIRECT}. */
public enum ConvolutionMethod {
  /** The direct sum, in F32. */
  DIRECT,
  /** Winograd's algorithm F(2 x 2, 3 x 3), for 3 x 3 filters with stride 1 and one group. */
  WINOGRAD,
  /**
   * Products on tensor cores with factors rounded to TF32, whose errors are about a thousand times
   * those of F32. They need channels in fours and a device from sm_80 on.
   */
  TF32
}
