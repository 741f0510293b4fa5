package io.perflow.cuda;

/**
 * Thrown when a device has too little memory; the message states the requested, used and free bytes
 * and the cure.
 */
public final class DeviceMemoryException extends RuntimeException {
  private static final long serialVersionUID = 1;

  DeviceMemoryException(String message, Throwable cause) {
    super(message, cause);
  }
}
