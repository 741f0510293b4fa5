package io.perflow.flow;

import io.perflow.physics.Dataset;

/**
 * A data set in two parts.
 *
 * @param training the fields to train on
 * @param validation the held-out fields
 */
public record Split(Dataset training, Dataset validation) {
  private static final int MOST = 64;
  private static final int SHARE = 20;

  /**
   * Holds out the last twentieth of the samples, at least one and at most 64.
   *
   * @throws IllegalArgumentException when there are fewer than two samples
   */
  public static Split of(Dataset data) {
    if (data.size() < 2) {
      throw new IllegalArgumentException(
          "[training] the data set holds %d field; at least 2 are needed, one to validate with"
              .formatted(data.size()));
    }
    int held = Math.clamp(data.size() / SHARE, 1, MOST);
    return new Split(data.part(0, data.size() - held), data.part(data.size() - held, data.size()));
  }
}
