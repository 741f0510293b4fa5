package io.perflow.tensor.cpu.conv;

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
    void read(WinogradTiles tiles, int first, int count, TransformedTiles v, int at);

    @Override
    default void close() {}
  }
}
