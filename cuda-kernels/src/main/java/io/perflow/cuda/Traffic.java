package io.perflow.cuda;

/**
 * The work of a device since it was opened: kernels launched, bytes of their tensors (each operand
 * counted once per launch), and bytes copied between host and device. The difference of two
 * readings is the cost of the work between them, which is the same on every machine.
 */
public record Traffic(long launches, long operandBytes, long uploadedBytes, long downloadedBytes) {
  /** Returns the work since an earlier reading. */
  public Traffic since(Traffic earlier) {
    return new Traffic(
        launches - earlier.launches,
        operandBytes - earlier.operandBytes,
        uploadedBytes - earlier.uploadedBytes,
        downloadedBytes - earlier.downloadedBytes);
  }
}
