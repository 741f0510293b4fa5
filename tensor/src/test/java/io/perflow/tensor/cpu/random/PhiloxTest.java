package io.perflow.tensor.cpu.random;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PhiloxTest {
  // counter (4 words), key (2 words), result (4 words): the known answers of the Random123 library
  @ParameterizedTest
  @CsvSource({
    "00000000 00000000 00000000 00000000, 00000000 00000000, 6627e8d5 e169c58d bc57ac4c 9b00dbd8",
    "ffffffff ffffffff ffffffff ffffffff, ffffffff ffffffff, 408f276d 41c83b0e a20bc7c6 6d5451fd",
    "243f6a88 85a308d3 13198a2e 03707344, a4093822 299f31d0, d16cfe09 94fdcceb 5001e420 24126ea1"
  })
  void knownAnswers(String counter, String key, String result) {
    int[] c = words(counter);
    int[] k = words(key);
    int[] out = new int[4];
    Philox.block(c[0], c[1], c[2], c[3], k[0], k[1], out);
    assertArrayEquals(words(result), out);
  }

  private static int[] words(String hex) {
    return Arrays.stream(hex.split(" ")).mapToInt(w -> Integer.parseUnsignedInt(w, 16)).toArray();
  }

  @Test
  void uniformIsMadeOfTheWordsOfEachBlock() {
    double[] u = new double[3];
    Philox.uniform(0, 0, u, 3);
    assertEquals(0x6627e8d5e169c58dL >>> 11, (long) (u[0] * 0x1p53));
    assertEquals(0xbc57ac4c9b00dbd8L >>> 11, (long) (u[1] * 0x1p53));
    float[] f = new float[3];
    Philox.uniform(0, 0, f, 3);
    assertEquals(0x6627e8d5 >>> 8, (int) (f[0] * 0x1p24f));
    assertEquals(0xbc57ac4c >>> 8, (int) (f[1] * 0x1p24f));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 1023, 1024, 1025, 5000})
  void elementsDependOnTheirBlockAlone(int n) {
    long key = 0x123456789abcdefL;
    long counter = (1L << 32) - 7; // the count carries into the high word
    double[] all = new double[n + 10];
    double[] first = new double[n];
    double[] later = new double[n];
    Philox.normal(key, counter, all, n + 10);
    Philox.normal(key, counter, first, n);
    Philox.normal(key, counter + 5, later, n);
    assertArrayEquals(Arrays.copyOf(all, n), first);
    assertArrayEquals(Arrays.copyOfRange(all, 10, 10 + n), later);
  }

  @Test
  void singlePrecisionIsTheDoubleRoundedOrCut() {
    int n = 100_001;
    double[] d = new double[n];
    float[] f = new float[n];
    Philox.normal(3, 9, d, n);
    Philox.normal(3, 9, f, n);
    for (int i = 0; i < n; i++) {
      assertEquals((float) d[i], f[i]);
    }
    Philox.uniform(3, 9, d, n);
    Philox.uniform(3, 9, f, n);
    for (int i = 0; i < n; i++) {
      assertTrue(d[i] >= 0 && d[i] < 1 && f[i] <= d[i] && d[i] - f[i] < 0x1p-24);
    }
  }

  @Test
  void normalsAreBoxMullerOfTheUniforms() {
    int n = 100_000;
    double[] u = new double[n];
    double[] z = new double[n];
    Philox.uniform(11, 0, u, n);
    Philox.normal(11, 0, z, n);
    for (int i = 0; i < n; i += 2) {
      double radius = Math.sqrt(-2 * StrictMath.log(1 - u[i]));
      assertEquals(radius * StrictMath.cos(2 * Math.PI * u[i + 1]), z[i], 4e-15 * radius);
      assertEquals(radius * StrictMath.sin(2 * Math.PI * u[i + 1]), z[i + 1], 4e-15 * radius);
    }
  }

  @Test
  void logarithmIsAccurateOverTheWholeRange() {
    Random random = new Random(1);
    for (int i = 0; i < 300_000; i++) {
      double x =
          switch (i % 3) {
            case 0 -> 1 - random.nextDouble();
            case 1 -> 1 - random.nextInt(1 << 20) * 0x1p-53; // next to 1
            default -> random.nextInt(1, 1 << 20) * 0x1p-53; // next to 0
          };
      double expected = StrictMath.log(x);
      assertEquals(expected, Philox.log(x), 5e-16 * Math.abs(expected));
    }
    assertEquals(0, Philox.log(1));
  }

  @Test
  void sineAndCosineAreAccurateInTheirEighth() {
    for (int i = -100_000; i <= 100_000; i++) {
      double x = i * (Math.PI / 4 / 100_000);
      assertEquals(StrictMath.sin(x), Philox.sin(x), 2.5e-16);
      assertEquals(StrictMath.cos(x), Philox.cos(x), 2.5e-16);
    }
  }
}
