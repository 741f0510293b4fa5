package io.perflow.tensor;

import io.perflow.tensor.cpu.random.Philox;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * A stream of random numbers, the same on every device and for every number of threads.
 *
 * <p>Randomness is an argument: everything that needs it takes an {@code Rng}, and there is no
 * global seed. Give every part of a program its own stream with {@link #split}, so that drawing
 * more numbers in one part changes nothing in another:
 *
 * <pre>{@code
 * Rng rng = Rng.of(42);
 * Tensor weights = rng.split("init").normal(Shape.of(64, 3));
 * int[] order = rng.split("epoch").split(7).permutation(1000);
 * }</pre>
 *
 * <p>The numbers are those of Philox 4x32-10 (Salmon et al., SC 2011), a block cipher that encrypts
 * a counter: the stream is a 64-bit key and a 64-bit position, and each draw encrypts the next
 * positions and advances. A tensor of n elements takes (n + 1) / 2 positions, every other draw
 * takes one (rarely a few, for {@link #nextInt}). {@link #state} consists of these two numbers,
 * with which the stream can be continued later.
 *
 * <p>A stream is not thread safe: give each thread its own split.
 */
public final class Rng {
  // The third counter word is 0 for the numbers of a stream; other values keep splits apart from
  // it.
  private static final int SPLIT_BY_INDEX = 1;
  private static final int SPLIT_BY_NAME = 2;

  private final long key;
  private final long first; // added to the number of a split
  private long counter;

  private Rng(long key, long counter, long first) {
    this.key = key;
    this.counter = counter;
    this.first = first;
  }

  /** Returns the stream of a seed, at its beginning. */
  public static Rng of(long seed) {
    return new Rng(seed, 0, 0);
  }

  /** Returns the stream of a saved state, at its saved position. */
  public static Rng restore(State state) {
    return new Rng(state.key(), state.counter(), 0);
  }

  /**
   * Returns an independent stream with a name. It depends on this stream's seed (and the names that
   * led to it) and on the name alone, not on how many numbers were drawn; this stream does not
   * advance.
   *
   * <p>Its key is made by the cipher itself, from counters that no stream draws from: beginning
   * with this key, each eight bytes of the name in UTF-8 are encrypted together with the name's
   * length, and the leading 64 bits of the result are the key for the next eight.
   */
  public Rng split(String name) {
    byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
    long mixed = key;
    int at = 0;
    do {
      long word = 0;
      for (int i = at; i < Math.min(at + 8, bytes.length); i++) {
        word |= (bytes[i] & 0xFFL) << 8 * (i - at);
      }
      mixed = Philox.bits(mixed, word, SPLIT_BY_NAME, bytes.length);
      at += 8;
    } while (at < bytes.length);
    return of(mixed);
  }

  /**
   * Returns an independent stream with a number, as {@link #split(String)}: one per epoch, sample,
   * layer.
   */
  public Rng split(long index) {
    return of(Philox.bits(key, first + index, SPLIT_BY_INDEX, 0));
  }

  /**
   * Returns this stream from its beginning, with its numbered splits counted from another number:
   * {@code rng.from(7).split(2)} is {@code rng.split(9)}. Code that draws sample i from {@code
   * split(i)} can thus start at a later sample. A {@link #state} does not keep the number.
   */
  public Rng from(long number) {
    return new Rng(key, 0, first + number);
  }

  // ---- tensors

  /** Draws standard normal numbers, F32 on the CPU. */
  public Tensor normal(Shape shape) {
    return normal(Device.cpu(), shape, DataType.F32);
  }

  /** Draws standard normal numbers; the F32 ones are the F64 ones rounded. */
  public Tensor normal(Device device, Shape shape, DataType type) {
    return device.backend().random().normal(key, advance(shape), shape, type);
  }

  /** Draws uniform numbers in [0, 1), F32 on the CPU. */
  public Tensor uniform(Shape shape) {
    return uniform(Device.cpu(), shape, DataType.F32);
  }

  /** Draws uniform numbers in [0, 1); the F32 ones are the leading 24 bits of the F64 ones. */
  public Tensor uniform(Device device, Shape shape, DataType type) {
    return device.backend().random().uniform(key, advance(shape), shape, type);
  }

  private long advance(Shape shape) {
    long from = counter;
    counter += ((long) shape.size() + 1) / 2;
    return from;
  }

  // ---- single numbers

  /** Returns 64 random bits. */
  public long nextLong() {
    return Philox.bits(key, counter++, 0, 0);
  }

  /** Returns a uniform number in [0, 1), a multiple of 2^-53. */
  public double nextDouble() {
    return (nextLong() >>> 11) * 0x1p-53;
  }

  /**
   * Returns one of 0, 1, … bound - 1, each with exactly the same probability.
   *
   * @throws IllegalArgumentException when {@code bound} is not positive
   */
  public int nextInt(int bound) {
    if (bound < 1) {
      throw new IllegalArgumentException("[rng] bound " + bound + " must be at least 1");
    }
    // The integer part of bits / 2^64 * bound. The 2^64 values of bits do not divide evenly among
    // the results: the 2^64 mod bound surplus ones have the lowest fractions, and those are drawn
    // again.
    long surplus = Long.remainderUnsigned(-(long) bound, bound);
    long bits = nextLong();
    while (Long.compareUnsigned(bits * bound, surplus) < 0) {
      bits = nextLong();
    }
    return (int) Math.unsignedMultiplyHigh(bits, bound);
  }

  // ---- selections

  /** Returns the numbers 0 … n - 1 in random order, every order equally likely. */
  public int[] permutation(int n) {
    return choice(n, n);
  }

  /**
   * Returns k different numbers of 0 … n - 1 in random order, every such list equally likely; needs
   * memory for about k numbers, however large n is.
   *
   * @throws IllegalArgumentException when k is negative or exceeds n
   */
  public int[] choice(int n, int k) {
    if (n < 0 || k < 0 || k > n) {
      throw new IllegalArgumentException("[rng] cannot choose %d of %d".formatted(k, n));
    }
    return k > n / 8 ? shuffledFront(n, k) : shuffledFrontSparse(n, k);
  }

  // The first k steps of a Fisher-Yates shuffle.
  private int[] shuffledFront(int n, int k) {
    int[] all = new int[n];
    Arrays.setAll(all, i -> i);
    for (int i = 0; i < k; i++) {
      int j = i + nextInt(n - i);
      int chosen = all[j];
      all[j] = all[i];
      all[i] = chosen;
    }
    return Arrays.copyOf(all, k);
  }

  // The same shuffle with the same result, which remembers only the places whose number has
  // changed.
  private int[] shuffledFrontSparse(int n, int k) {
    int[] chosen = new int[k];
    Map<Integer, Integer> moved = new HashMap<>();
    for (int i = 0; i < k; i++) {
      int j = i + nextInt(n - i);
      chosen[i] = moved.getOrDefault(j, j);
      moved.put(j, moved.getOrDefault(i, i));
    }
    return chosen;
  }

  // ---- state

  /** Returns the position of this stream. */
  public State state() {
    return new State(key, counter);
  }

  /**
   * The key and the position of a stream; as text, {@code philox4x32-10:<key>:<counter>} in
   * hexadecimal.
   */
  public record State(long key, long counter) {
    private static final String ALGORITHM = "philox4x32-10";

    /**
     * Reads what {@link #toString} wrote.
     *
     * @throws IllegalArgumentException when the text is not of that form
     */
    public static State parse(String text) {
      String[] parts = text.split(":", -1);
      if (parts.length == 3 && parts[0].equals(ALGORITHM)) {
        try {
          return new State(
              Long.parseUnsignedLong(parts[1], 16), Long.parseUnsignedLong(parts[2], 16));
        } catch (NumberFormatException e) {
          throw unreadable(text, e);
        }
      }
      throw unreadable(text, null);
    }

    private static IllegalArgumentException unreadable(String text, Exception cause) {
      return new IllegalArgumentException(
          "[rng] \"%s\" is not a state of the form %s:<key>:<counter>".formatted(text, ALGORITHM),
          cause);
    }

    @Override
    public String toString() {
      return "%s:%016x:%016x".formatted(ALGORITHM, key, counter);
    }
  }
}
