package io.perflow.tensor.cpu.conv;

import io.perflow.tensor.cpu.memory.Bag;
import io.perflow.tensor.cpu.memory.Buffers;
import io.perflow.tensor.cpu.memory.CacheLines;

/** Tiles in the Winograd domain, in scratch memory whose vectors lie on cache lines. */
final class TransformedTiles implements AutoCloseable {
  /** Elements of a transformed tile. */
  static final int SIZE = 36;

  private static final Bag<TransformedTiles> FREE = new Bag<>();

  /**
   * Where transformed tiles lie: element f of channel c of tile t at {@code f * element + t * tile
   * + c / width * panel + c % width}, with {@code width} a multiple of a vector's length.
   */
  record Order(int element, int tile, int width, int panel) {
    /** [f][t][c]: rows of channels, as the left factor of a product over channels. */
    static Order rows(int tiles, int channels) {
      // An odd number of cache lines between elements: 36 streams at a power of two would collide.
      return new Order(tiles * channels + 16, channels, channels, 0);
    }

    /** [f][panel][t][width]: panels, as a factor of a product over tiles. */
    static Order panels(int tiles, int channels, int width) {
      int panels = (channels + width - 1) / width;
      return new Order(panels * tiles * width + 16, width, width, tiles * width);
    }

    private int length() {
      return SIZE * element;
    }
  }

  private float[] data;
  private int base;
  private Order order;

  private TransformedTiles() {}

  /** Memory for tiles in an order, with undefined contents. */
  static TransformedTiles of(Order order) {
    TransformedTiles free = FREE.take();
    TransformedTiles tiles = free == null ? new TransformedTiles() : free;
    tiles.data = CacheLines.floats(order.length());
    tiles.base = CacheLines.first(tiles.data);
    tiles.order = order;
    return tiles;
  }

  float[] data() {
    return data;
  }

  Order order() {
    return order;
  }

  /** Position of element 0 of a channel of a tile. */
  int at(int tile, int channel) {
    return base + tile * order.tile + channel / order.width * order.panel + channel % order.width;
  }

  /** Position of an element of the first tile and channel of a panel. */
  int panel(int element, int panel) {
    return base + element * order.element + panel * order.panel;
  }

  @Override
  public void close() {
    Buffers.give(data);
    data = null;
    FREE.put(this);
  }
}
