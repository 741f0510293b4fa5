package io.perflow.tensor.cpu.conv;

import static io.perflow.tensor.cpu.conv.WinogradTiles.paddedChannels;

import io.perflow.tensor.cpu.memory.Bag;
import io.perflow.tensor.cpu.memory.Buffers;
import io.perflow.tensor.cpu.memory.CacheLines;
import io.perflow.tensor.cpu.norm.NormedRows;
import java.util.Arrays;

/**
 * Tiles of an image that is normalised while it is read. A reader holds the six rows that a row of
 * tiles covers and makes a row when tiles first reach it, so a reader that takes tiles in their
 * order makes each row once, and twice at the seams between readers.
 */
record NormedTiles(NormedRows x, int padH, int padW, boolean circularH, boolean circularW)
    implements TileSource {
  private static final int ROWS = 6;

  private static final Bag<Ring> RINGS = new Bag<>();

  @Override
  public int channels() {
    return x.channels();
  }

  @Override
  public boolean twice() {
    return false;
  }

  @Override
  public boolean ordered() {
    return true;
  }

  @Override
  public Reader reader() {
    Ring ring = RINGS.take();
    return (ring == null ? new Ring() : ring).over(this);
  }

  /** Row r of an image is row r modulo six. */
  private static final class Ring implements Reader, WinogradTiles.Rows {
    private NormedTiles of;
    private int pixel;
    private int rowStep;
    private float[] rows;
    private int line; // where the first row begins
    private int image;
    private int end; // the rows before this one are there

    Ring over(NormedTiles tiles) {
      of = tiles;
      pixel = paddedChannels(tiles.channels());
      rowStep = tiles.x.width() * pixel;
      rows = CacheLines.floats(ROWS * rowStep);
      line = CacheLines.first(rows);
      image = -1;
      return this;
    }

    @Override
    public void read(WinogradTiles tiles, int first, int count, TransformedTiles v, int at) {
      tiles.input(
          this,
          line,
          ROWS,
          rowStep,
          of.x.width(),
          pixel,
          of.channels(),
          of.padH,
          of.padW,
          of.circularW,
          first,
          count,
          v,
          at);
    }

    @Override
    public float[] at(int n, int top) {
      NormedRows x = of.x;
      boolean follows = n == image && top <= end && end <= top + ROWS;
      for (int r = follows ? end : top; r < top + ROWS; r++) {
        int to = line + Math.floorMod(r, ROWS) * rowStep;
        int row = of.circularH ? Math.floorMod(r, x.height()) : r;
        if (row < 0 || row >= x.height()) {
          Arrays.fill(rows, to, to + rowStep, 0);
        } else {
          x.make(n, row, rows, to, pixel);
        }
      }
      image = n;
      end = top + ROWS;
      return rows;
    }

    @Override
    public void close() {
      Buffers.give(rows);
      rows = null;
      of = null;
      RINGS.put(this);
    }
  }
}
