package io.perflow.cuda;

/** No room on a device: how much was asked for, used and free, and what to do about it. */
public final class DeviceMemoryException extends RuntimeException {
  private static final long serialVersionUID = 1;

  DeviceMemoryException(String message, Throwable cause) {
    super(message, cause);
  }
}
