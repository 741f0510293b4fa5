package io.perflow.cuda;

import io.perflow.tensor.Device;
import io.perflow.tensor.backend.DeviceProvider;

/** A provider of the GPUs of this machine to {@link Device#cuda} and {@link Device#best}. */
public final class CudaDeviceProvider implements DeviceProvider {
  /** Creates the provider for the service loader. */
  public CudaDeviceProvider() {}

  @Override
  public String kind() {
    return "cuda";
  }

  @Override
  public int count() {
    return CudaDevices.count();
  }

  @Override
  public String reason() {
    return CudaDevices.reason();
  }

  @Override
  public Device device(int index) {
    return CudaDevices.device(index);
  }
}
