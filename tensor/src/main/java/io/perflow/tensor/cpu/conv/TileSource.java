package io.perflow.tensor.cpu.conv;

import io.perflow.tensor.cpu.conv.WinogradTiles.Order;

/** What the input tiles of a Winograd convolution are cut from. */
interface TileSource {
  int channels();

  /** Whether tiles consist of pixels that appear twice, see {@link WinogradTiles#twice}. */
  boolean twice();

  /** Whether it costs less when one reader takes tiles in their order. */
  boolean ordered();

  /** A reader for one thread. */
  Reader reader();

  /** Moves tiles into the domain. */
  interface Reader extends AutoCloseable {
    /** Tiles {@code first} … become tiles {@code at} … of v. */
    void read(WinogradTiles tiles, int first, int count, float[] v, int at, Order order);

    @Override
    default void close() {}
  }
}
