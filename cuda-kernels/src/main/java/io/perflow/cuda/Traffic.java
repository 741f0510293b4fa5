package io.perflow.cuda;

/**
 * What a device was told to do since it was opened: kernels launched, bytes of the tensors they
 * were given (each operand counted once per launch), and bytes copied between host and device. The
 * difference of two readings is the cost of what lies between them, the same on every machine.
 */
public record Traffic(long launches, long operandBytes, long uploadedBytes, long downloadedBytes) {
  /** What came after an earlier reading. */
  public Traffic since(Traffic earlier) {
    return new Traffic(
        launches - earlier.launches,
        operandBytes - earlier.operandBytes,
        uploadedBytes - earlier.uploadedBytes,
        downloadedBytes - earlier.downloadedBytes);
  }
}
