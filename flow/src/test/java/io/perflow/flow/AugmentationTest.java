package io.perflow.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.physics.Axis;
import io.perflow.physics.Problem;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The moves drawn from symmetries are exactly those that their texts state. */
class AugmentationTest {
  /** The value of a moved field at a place, as a value of the field it came from. */
  private interface Image {
    float at(int channel, int y, int x);
  }

  private static Problem problem(Axis rows, Axis columns, String... symmetries) {
    return Problem.named("moved")
        .axis(rows)
        .axis(columns)
        .channel("u")
        .channel("T")
        .symmetries(symmetries)
        .build();
  }

  // numbers that are all different, and none its own negative
  private static float value(Problem problem, int channel, int y, int x) {
    return 1 + (channel * problem.grid().height() + y) * problem.grid().width() + x;
  }

  private static List<Float> numbers(Problem problem, Image image) {
    List<Float> numbers = new ArrayList<>();
    for (int c = 0; c < problem.channelCount(); c++) {
      for (int y = 0; y < problem.grid().height(); y++) {
        for (int x = 0; x < problem.grid().width(); x++) {
          numbers.add(image.at(c, y, x));
        }
      }
    }
    return numbers;
  }

  private static Set<List<Float>> drawn(Problem problem, Augmentation augmentation) {
    int cells = problem.grid().cells();
    float[] field = new float[problem.channelCount() * cells];
    List<Float> plain = numbers(problem, (c, y, x) -> value(problem, c, y, x));
    for (int i = 0; i < field.length; i++) {
      field[i] = plain.get(i);
    }
    Set<List<Float>> found = new HashSet<>();
    Rng rng = Rng.of(1);
    for (int draw = 0; draw < 200; draw++) {
      Augmentation.Move move = augmentation.draw(rng);
      float[] moved = new float[field.length];
      for (int c = 0; c < problem.channelCount(); c++) {
        move.apply(c, field, c * cells, moved, c * cells);
      }
      List<Float> numbers = new ArrayList<>();
      for (float number : moved) {
        numbers.add(number);
      }
      found.add(numbers);
    }
    return found;
  }

  private static void assertOrbit(Problem problem, List<Image> images) {
    Set<List<Float>> expected = new HashSet<>();
    images.forEach(image -> expected.add(numbers(problem, image)));
    assertEquals(images.size(), expected.size(), "images that are one and the same");
    assertEquals(expected, drawn(problem, Augmentation.of(problem)));
  }

  @Test
  void aMirrorTurnsWallsRoundAndChangesSigns() {
    Problem p = problem(Axis.of("y", 0, 1, 3), Axis.of("x", 0, 1, 4), "mirror:x:-u");
    assertOrbit(
        p,
        List.of(
            (c, y, x) -> value(p, c, y, x),
            (c, y, x) -> (c == 0 ? -1 : 1) * value(p, c, y, 3 - x)));
  }

  @Test
  void aMirrorOfAPeriodKeepsTheOrigin() {
    Problem nodes = problem(Axis.periodic("y", 0, 1, 4), Axis.of("x", 0, 1, 3), "mirror:y");
    assertOrbit(
        nodes,
        List.of((c, y, x) -> value(nodes, c, y, x), (c, y, x) -> value(nodes, c, (4 - y) % 4, x)));
    // the origin lies between the last cell and the first
    Problem cells = problem(Axis.periodic("y", 0, 1, 4).cells(), Axis.of("x", 0, 1, 3), "mirror:y");
    assertOrbit(
        cells, List.of((c, y, x) -> value(cells, c, y, x), (c, y, x) -> value(cells, c, 3 - y, x)));
  }

  @Test
  void signsChangeInEveryFrame() {
    Problem p =
        Problem.named("moved")
            .axis(Axis.periodic("y", 0, 1, 2))
            .axis(Axis.of("x", 0, 1, 3))
            .frames(Axis.time("t", 0, 1, 2))
            .channel("u")
            .channel("v")
            .symmetries("mirror:x:-v")
            .build();
    assertOrbit(
        p,
        List.of(
            (c, y, x) -> value(p, c, y, x),
            (c, y, x) -> (c >= 2 ? -1 : 1) * value(p, c, y, 2 - x)));
  }

  @Test
  void aShiftGoesRoundItsAxis() {
    Problem p = problem(Axis.of("y", 0, 1, 3), Axis.periodic("x", 0, 1, 5), "shift:x");
    List<Image> images = new ArrayList<>();
    for (int shift = 0; shift < 5; shift++) {
      int s = shift;
      images.add((c, y, x) -> value(p, c, y, (x + s) % 5));
    }
    assertOrbit(p, images);
  }

  @Test
  void aDiagonalShiftGoesAsFarBackAlongTheOtherAxis() {
    // in parts of the period: halves are what 4 and 6 points have in common
    for (int[] size : new int[][] {{4, 4}, {4, 8}, {6, 4}}) {
      int height = size[0];
      int width = size[1];
      Problem p =
          problem(Axis.periodic("x", 0, 1, height), Axis.periodic("y", 0, 1, width), "shift:x-y");
      List<Image> images = new ArrayList<>();
      for (int down = 0; down < height; down++) {
        for (int right = 0; right < width; right++) {
          if ((down * width + right * height) % (height * width) == 0) {
            int dy = down;
            int dx = right;
            images.add((c, y, x) -> value(p, c, (y + dy) % height, (x + dx) % width));
          }
        }
      }
      assertOrbit(p, images);
    }
  }

  @Test
  void mirrorsAndTransposeMakeTheEightSymmetriesOfTheSquare() {
    Problem p =
        problem(Axis.of("y", 0, 1, 3), Axis.of("x", 0, 1, 3), "mirror:x", "mirror:y", "transpose");
    List<Image> images = new ArrayList<>();
    for (int bits = 0; bits < 8; bits++) {
      int b = bits;
      images.add(
          (c, y, x) -> {
            int row = (b & 1) == 0 ? y : x;
            int column = (b & 1) == 0 ? x : y;
            return value(p, c, (b & 2) == 0 ? row : 2 - row, (b & 4) == 0 ? column : 2 - column);
          });
    }
    assertOrbit(p, images);
  }

  @Test
  void withoutSymmetriesFieldsStayAsTheyAre() {
    Problem p = problem(Axis.of("y", 0, 1, 3), Axis.periodic("x", 0, 1, 4), "shift:x");
    assertEquals(1, drawn(p, Augmentation.none(p)).size());
    Tensor fields = Rng.of(1).normal(p.batch(3));
    TrainConfig plain = TrainConfig.fast(4, 3, 1).symmetries(false);
    Tensor batch = DataSource.of(p, fields, plain).at(0);
    // all of them once, in another order
    assertEquals(fields.sum().item(), batch.sum().item(), 1e-5);
    for (int i = 0; i < 3; i++) {
      Tensor one = batch.slice(0, i, i + 1);
      double nearest = fields.sub(one).abs().max(false, 1, 2, 3).neg().max(false).item();
      assertEquals(0, nearest, 0.0);
    }
    assertTrue(
        fields.sub(DataSource.of(p, fields, plain.symmetries(true)).at(0)).abs().max(false).item()
            > 0);
  }
}
