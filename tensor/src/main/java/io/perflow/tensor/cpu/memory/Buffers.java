package io.perflow.tensor.cpu.memory;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Recycled arrays, for storages that belong to a scope and for the scratch memory of kernels.
 *
 * <p>Lengths are rounded up to one of four steps per power of two, so that at most a quarter is
 * wasted and similar shapes share. An array handed back is kept until the pool holds more than a
 * quarter of the largest heap; beyond that it is left to the collector. Contents are undefined;
 * {@code -Dperflow.poison=true} makes them NaN, so that a kernel that forgets an element shows in a
 * test.
 *
 * <p>No thread waits for another here: a kernel's thread that waited behind a virtual thread
 * without a carrier would keep the whole kernel from ending.
 */
public final class Buffers {
  private static final long LIMIT_BYTES = Runtime.getRuntime().maxMemory() / 4;
  private static final int CLASSES = 4 * 32;
  private static final boolean POISON = Boolean.getBoolean("perflow.poison");

  @SuppressWarnings({"unchecked", "rawtypes"})
  private static final Bag<float[]>[] FLOATS = new Bag[CLASSES];

  @SuppressWarnings({"unchecked", "rawtypes"})
  private static final Bag<double[]>[] DOUBLES = new Bag[CLASSES];

  private static final AtomicLong HELD_BYTES = new AtomicLong();
  private static final AtomicLong NEW_BYTES = new AtomicLong();

  static {
    for (int i = 0; i < CLASSES; i++) {
      FLOATS[i] = new Bag<>();
      DOUBLES[i] = new Bag<>();
    }
  }

  private Buffers() {}

  /** An array of at least {@code length} floats with undefined contents. */
  public static float[] floats(int length) {
    int size = roundUp(length);
    float[] free = FLOATS[index(size)].take();
    if (free != null) {
      HELD_BYTES.addAndGet(-4L * size);
      return free;
    }
    NEW_BYTES.addAndGet(4L * size);
    return new float[size];
  }

  /** An array of at least {@code length} doubles with undefined contents. */
  public static double[] doubles(int length) {
    int size = roundUp(length);
    double[] free = DOUBLES[index(size)].take();
    if (free != null) {
      HELD_BYTES.addAndGet(-8L * size);
      return free;
    }
    NEW_BYTES.addAndGet(8L * size);
    return new double[size];
  }

  /** Hands back an array that came from {@link #floats}; the caller must not touch it again. */
  public static void give(float[] array) {
    if (POISON) {
      Arrays.fill(array, Float.NaN);
    }
    if (poolable(array.length)
        && HELD_BYTES.get() + 4L * array.length <= LIMIT_BYTES
        && FLOATS[index(array.length)].put(array)) {
      HELD_BYTES.addAndGet(4L * array.length);
    }
  }

  /** Hands back an array that came from {@link #doubles}; the caller must not touch it again. */
  public static void give(double[] array) {
    if (POISON) {
      Arrays.fill(array, Double.NaN);
    }
    if (poolable(array.length)
        && HELD_BYTES.get() + 8L * array.length <= LIMIT_BYTES
        && DOUBLES[index(array.length)].put(array)) {
      HELD_BYTES.addAndGet(8L * array.length);
    }
  }

  /** Bytes of all arrays made new so far: constant while a loop only recycles. */
  public static long newBytes() {
    return NEW_BYTES.get();
  }

  /** Smallest size class that holds {@code length}: 16, 20, 24, 28, 32, 40, 48, 56, 64, 80 … */
  private static int roundUp(int length) {
    if (length <= 16) {
      return 16;
    }
    int step = Integer.highestOneBit(length - 1) >>> 2;
    long size = ((long) length + step - 1) / step * step;
    return (int) Math.min(size, Integer.MAX_VALUE - 8);
  }

  // the largest sizes are cut at what an array can hold and do not fill their class
  private static boolean poolable(int size) {
    return size <= 1 << 30;
  }

  private static int index(int size) {
    int top = 31 - Integer.numberOfLeadingZeros(size);
    return 4 * top + ((size >>> (top - 2)) & 3);
  }
}
