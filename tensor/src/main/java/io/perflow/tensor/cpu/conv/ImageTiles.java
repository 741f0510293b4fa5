package io.perflow.tensor.cpu.conv;

/**
 * Tiles of an image that is in memory.
 *
 * @param once the image of its pixels, each once
 */
record ImageTiles(Image x, Image once, int padH, int padW, boolean circularH, boolean circularW)
    implements TileSource, TileSource.Reader {
  ImageTiles(Image x, int padH, int padW, boolean circularH, boolean circularW) {
    this(x, x.single(), padH, padW, circularH, circularW);
  }

  @Override
  public int channels() {
    return x.c();
  }

  @Override
  public boolean twice() {
    return WinogradTiles.twice(x, padH, padW);
  }

  @Override
  public boolean ordered() {
    return false;
  }

  @Override
  public Reader reader() {
    return this;
  }

  @Override
  public void read(WinogradTiles tiles, int first, int count, TransformedTiles v, int at) {
    tiles.input(x, once, padH, padW, circularH, circularW, first, count, v, at);
  }
}
