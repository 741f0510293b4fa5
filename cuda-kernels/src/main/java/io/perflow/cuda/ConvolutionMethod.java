package io.perflow.cuda;

/** Methods for convolutions in F32; other convolutions always use {@link #DIRECT}. */
public enum ConvolutionMethod {
  /** Returns the sum itself, in F32. */
  DIRECT,
  /** Winograd's F(2 x 2, 3 x 3), for 3 x 3 filters with stride 1 and one group. */
  WINOGRAD,
  /**
   * On tensor cores, factors rounded to TF32: errors are some thousand times those of F32. For
   * channels in fours, on devices from sm_80 on.
   */
  TF32
}
