package io.perflow.physics;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.physics.Sensors.Sharing;
import io.perflow.physics.constraint.Constraint;
import io.perflow.physics.constraint.Dirichlet;
import io.perflow.physics.constraint.DivergenceFree;
import io.perflow.physics.constraint.Mass;
import io.perflow.physics.solver.Burgers;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProblemTest {
  private static Problem.Builder heat() {
    return Problem.named("heat")
        .axis("y", 0, 1, 4)
        .axis(Axis.periodic("x", 0, 1, 6))
        .channel("T", "K");
  }

  /** u, v and T at three times. */
  private static Problem.Builder flow() {
    return Problem.named("flow")
        .axis(Axis.periodic("y", 0, 1, 4))
        .axis(Axis.periodic("x", 0, 1, 6))
        .frames(Axis.time("t", 0, 2, 3))
        .channel("u", "m/s")
        .channel("v", "m/s")
        .channel("T", "K");
  }

  private static void fails(String message, Executable call) {
    assertEquals(message, assertThrows(IllegalArgumentException.class, call).getMessage());
  }

  private static void refuses(String message, UnaryOperator<Problem.Builder> more) {
    fails(message, () -> more.apply(heat()).build());
  }

  // ---- what the builder refuses

  @Test
  void aGridHasTwoAxesAndAFieldHasAQuantity() {
    fails(
        "[problem heat] 0 axes: a grid has two, such as .axis(\"y\", 0, 1, 64).axis(\"x\", 0, 1,"
            + " 64)",
        () -> Problem.named("heat").channel("T").build());
    fails(
        "[problem heat] 1 axes: a grid has two, such as .axis(\"y\", 0, 1, 64).axis(\"x\", 0, 1,"
            + " 64)",
        () -> Problem.named("heat").axis("y", 0, 1, 4).channel("T").build());
    refuses(
        "[problem heat] 3 axes: a grid has two, such as .axis(\"y\", 0, 1, 64).axis(\"x\", 0, 1,"
            + " 64)",
        b -> b.axis("z", 0, 1, 4));
    fails(
        "[problem heat] no quantity: add at least one, such as .channel(\"T\", \"K\")",
        () -> Problem.named("heat").axis("y", 0, 1, 4).axis("x", 0, 1, 4).build());
  }

  @Test
  void namesAreUnique() {
    refuses("[problem heat] two of its axes and quantities are named T", b -> b.channel("T"));
    refuses("[problem heat] two of its axes and quantities are named x", b -> b.channel("x"));
    refuses(
        "[problem heat] two of its axes and quantities are named y",
        b -> b.frames(Axis.time("y", 0, 1, 2)));
    fails(
        "[grid] both axes are named y",
        () -> Problem.named("heat").axis("y", 0, 1, 4).axis("y", 0, 1, 4).channel("T").build());
    fails(
        "[problem] 'a\ufffdb' is not a valid name: use letters, digits, _ . and -",
        () -> Problem.named("a\nb"));
    fails(
        "[problem] '' is not a valid name: use letters, digits, _ . and -",
        () -> Problem.named(""));
  }

  @Test
  void aQuantityMustNotBeCalledLikeAFrameOfAnother() {
    String message =
        "[problem heat] quantity T2 has the name of frame 2 of quantity T; rename one of them";
    refuses(message, b -> b.channel("T2").frames(Axis.time("t", 0, 1, 2)));
    // without frames, with fewer frames and with another way to write the number there is no doubt
    assertEquals(List.of("T", "T2"), heat().channel("T2").build().channels());
    for (String other : List.of("T3", "T02", "T0", "T99999999999")) {
      Problem fine = heat().channel(other).frames(Axis.time("t", 0, 1, 2)).build();
      assertEquals(4, fine.channels().stream().distinct().count());
      assertArrayEquals(new int[] {2, 3}, fine.select(other));
    }
    // u1 at frame 1 and u at frame 11
    refuses(
        "[problem heat] quantity T1 has the name of frame 1 of quantity T; rename one of them",
        b -> b.channel("T1").frames(Axis.time("t", 0, 1, 11)));
  }

  @Test
  void sensorsAndSymmetriesMustFitTheGrid() {
    refuses(
        "[sensors] 25 sensors, but there are only 24 points of the 4 x 6 grid",
        b -> b.sensors(Sensors.points(25)));
    refuses("there is no axis 'z'; there are y and x", b -> b.sensors(Sensors.lines("z", 1)));
    refuses(
        "[problem heat] symmetry shift:y: axis y has walls, only periodic axes can be shifted",
        b -> b.symmetries("shift:y"));
    refuses(
        "[problem heat] symmetry shift:x-y: axis y has walls, only periodic axes can be shifted",
        b -> b.symmetries("shift:x-y"));
    refuses("there is no axis 'z'; there are y and x", b -> b.symmetries("mirror:z"));
    refuses("heat has no quantity 'u'; it has T", b -> b.symmetries("mirror:x:-u"));
    refuses(
        "[problem heat] symmetry transpose: the grid has 4 x 6 points, only a square one can be"
            + " transposed",
        b -> b.symmetries("transpose"));
    assertEquals(
        "[mirror:x:-T, shift:x]",
        heat().symmetries("mirror:x:-T", "shift:x").build().symmetries().toString());
  }

  @Test
  void constraintsMustFitTheField() {
    refuses(
        "[boundary] channel 1 is outside field [1, 1, 4, 6] with 1 channels",
        b -> b.constrain(Dirichlet.ring(1)));
    refuses(
        "[mass] channel 3 is outside field [1, 1, 4, 6] with 1 channels",
        b -> b.constrain(Mass.mean(0).channels(3)));
    refuses(
        "constraint 'mass:p=0': heat has no quantity 'p'; it has T", b -> b.constrain("mass:p=0"));
    refuses(
        "[divergence-free] field [1, 1, 4, 6] has 1 channels: velocities have u and v, an even"
            + " number",
        b -> b.constrain(DivergenceFree.spectral()));
  }

  @Test
  void velocitiesOnFacesAreNotMirrored() {
    Problem.Builder flow =
        Problem.named("flow")
            .axis(Axis.periodic("x", 0, 1, 4))
            .axis(Axis.periodic("y", 0, 1, 4))
            .channel("u")
            .channel("v")
            .constrain("divergence-free@faces")
            .symmetries("shift:x");
    assertEquals(1, flow.build().symmetries().size());
    fails(
        "[problem flow] symmetry mirror:x:-u: velocities on faces cannot be mirrored cell by cell;"
            + " leave it out",
        () -> flow.symmetries("mirror:x:-u").build());
  }

  @Test
  void aQuantityHasOneScale() {
    refuses("heat has no quantity 'u'; it has T", b -> b.vector("T", "u"));
    refuses("[problem heat] a vector or common scale of no quantities", b -> b.sameScale());
    String twice =
        "[problem heat] quantity T is named twice in its vectors and common scales; it has one"
            + " scale";
    refuses(twice, b -> b.vector("T", "T"));
    refuses(twice, b -> b.vector("T").sameScale("T"));
  }

  @Test
  void fieldsThatNoMachineHoldsAreRefusedBeforeMemoryIsTaken() {
    String message =
        "[problem heat] 1 quantities with 268435456 values each: a field can have 67108864 values";
    fails(
        message,
        () ->
            Problem.named("heat")
                .axis("y", 0, 1, 1 << 14)
                .axis("x", 0, 1, 1 << 14)
                .channel("T")
                .constrain("mass:T=0")
                .build());
    fails(
        message,
        () ->
            Problem.named("heat")
                .axis("y", 0, 1, 1 << 4)
                .axis("x", 0, 1, 1 << 4)
                .frames(Axis.time("t", 0, 1, 1 << 20))
                .channel("T")
                .build());
  }

  // ---- channels

  @Test
  void channelsAreQuantitiesThenFrames() {
    Problem flow = flow().build();
    assertEquals(List.of("u1", "u2", "u3", "v1", "v2", "v3", "T1", "T2", "T3"), flow.channels());
    assertEquals(9, flow.channelCount());
    assertEquals(3, flow.frameCount());
    assertEquals(5, flow.channel(1, 2));
    assertEquals(Shape.of(7, 9, 4, 6), flow.batch(7));
    Problem heat = heat().build();
    assertEquals(List.of("T"), heat.channels());
    assertEquals(1, heat.frameCount());
    assertEquals(Optional.empty(), heat.frames());
    Problem one = heat().frames(Axis.time("t", 0, 0, 1)).build();
    assertEquals(List.of("T1"), one.channels());
    assertArrayEquals(new int[] {0}, one.select("T"));
    assertArrayEquals(new int[] {0}, one.select("T1"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "u       | 0,1,2",
        "v,u     | 3,4,5,0,1,2",
        "u1,v1   | 0,3",
        "u2, T   | 1,6,7,8",
        "u1,u    | 0,1,2",
        "u,v3,T1 | 0,1,2,5,6",
      })
  void channelsAreSelectedByName(String names, String channels) {
    int[] expected = Arrays.stream(channels.split(",")).mapToInt(Integer::parseInt).toArray();
    assertArrayEquals(expected, flow().build().select(names));
  }

  @Property(tries = 300)
  void namesAndChannelsGiveEachOther(@ForAll long seed, @ForAll @IntRange(max = 9) int count) {
    Problem flow = flow().build();
    int[] channels = Arrays.copyOf(Rng.of(seed).choice(9, 9), count);
    if (count > 0) {
      assertArrayEquals(channels, flow.select(flow.names(channels)), flow.names(channels));
    }
    int[] sorted = Arrays.stream(channels).sorted().toArray();
    long whole = IntStream.range(0, 3).filter(q -> holds(sorted, q)).count();
    int parts = sorted.length == 0 ? 0 : flow.names(sorted).split(",").length;
    assertEquals(count - 2 * whole, parts, "as short as can be");
  }

  private static boolean holds(int[] sorted, int quantity) {
    return IntStream.range(3 * quantity, 3 * quantity + 3)
        .allMatch(channel -> Arrays.binarySearch(sorted, channel) >= 0);
  }

  @Test
  void wholeQuantitiesAreNamedWhole() {
    Problem flow = flow().build();
    assertEquals("u", flow.names(0, 1, 2));
    assertEquals("u1,v", flow.names(0, 3, 4, 5));
    assertEquals("u1,u3,u2", flow.names(0, 2, 1), "in another order they are no quantity");
    assertEquals("", flow.names());
    fails("[problem flow] there is no channel 9; there are 9, counted from 0", () -> flow.names(9));
    fails(
        "[problem flow] there is no channel -1; there are 9, counted from 0", () -> flow.names(-1));
  }

  @Test
  void unknownNamesAreAnsweredWithThoseThereAre() {
    Problem flow = flow().build();
    fails("flow has no quantity 'p'; it has u, v, T", () -> flow.select("u,p"));
    fails("flow has no quantity 'u4'; it has u, v, T", () -> flow.select("u4"));
    fails("flow has no quantity ''; it has u, v, T", () -> flow.select("u,"));
    fails("flow has no quantity 'U'; it has u, v, T", () -> flow.quantity("U"));
    assertEquals(2, flow.quantity("T"));
  }

  @Test
  void groupsHoldEveryChannelOnce() {
    Problem plain = flow().build();
    assertEquals(
        List.of(group(true, 0, 1, 2), group(true, 3, 4, 5), group(true, 6, 7, 8)), plain.groups());
    Problem vector = flow().vector("u", "v").build();
    assertEquals(List.of(group(false, 0, 1, 2, 3, 4, 5), group(true, 6, 7, 8)), vector.groups());
    Problem same = flow().sameScale("T", "u").build();
    assertEquals(List.of(group(true, 6, 7, 8, 0, 1, 2), group(true, 3, 4, 5)), same.groups());
  }

  private static ChannelGroup group(boolean centred, Integer... channels) {
    return new ChannelGroup(List.of(channels), centred);
  }

  // ---- masks

  @ParameterizedTest
  @CsvSource({"INDEPENDENT, 9", "PER_FRAME, 3", "SHARED, 1"})
  void channelCIsReadThroughPlaneCModPlanes(Sharing sharing, int planes) {
    Problem flow = flow().sensors(Sensors.points(5).sharing(sharing)).build();
    assertEquals(planes, flow.planes());
    Tensor drawn = flow.masks().draw(Rng.of(1), 2);
    assertEquals(Shape.of(2, planes, 4, 6), drawn.shape());
    Tensor all = flow.expand(drawn);
    assertEquals(Shape.of(2, 9, 4, 6), all.shape());
    for (int c = 0; c < 9; c++) {
      assertArrayEquals(drawn.select(1, c % planes).toFloats(), all.select(1, c).toFloats());
    }
    fails(
        "[mask] planes has shape [2, %d, 4, 5], expected [2, %d, 4, 6]".formatted(planes, planes),
        () -> flow.expand(drawn.slice(3, 0, 5)));
    fails(
        "[mask] planes must have 4 axes, shape [%d, 4, 6] has 3".formatted(planes),
        () -> flow.expand(drawn.select(0, 0)));
  }

  @Test
  void fieldsOfAnotherShapeAreRefused() {
    Problem heat = heat().build();
    heat.check("test", Tensor.zeros(3, 1, 4, 6));
    fails(
        "[test] fields has shape [3, 1, 6, 4], expected [3, 1, 4, 6]",
        () -> heat.check("test", Tensor.zeros(3, 1, 6, 4)));
    fails(
        "[test] fields must have 4 axes, shape [1, 4, 6] has 3",
        () -> heat.check("test", Tensor.zeros(1, 4, 6)));
  }

  // ---- the same and another

  @Test
  void aProblemIsEqualToItsCopyAndToNoOther() {
    Problem heat = heat().constrain("mass:T=300").sensors(Sensors.points(3)).build();
    assertEquals(heat, heat.toBuilder().build());
    assertEquals(heat.hashCode(), heat.toBuilder().build().hashCode());
    List<Problem> others =
        List.of(
            heat.with(Sensors.points(4)),
            heat.with(List.of()),
            heat.resized(4, 7),
            heat.toBuilder().channel("p").build(),
            heat.toBuilder().frames(Axis.time("t", 0, 1, 2)).build(),
            heat.toBuilder().vector("T").build(),
            heat.toBuilder().symmetries("shift:x").build());
    for (Problem other : others) {
      assertNotEquals(heat, other);
    }
  }

  @Test
  void aCopyHasOneThingOfItsOwn() {
    Burgers simulator = Burgers.paper().size(8, 16);
    Problem burgers = simulator.problem();
    Problem more = burgers.with(Sensors.points(3));
    assertEquals(Sensors.points(3), more.sensors());
    assertEquals(burgers.constraints(), more.constraints());
    assertSame(simulator, more.simulator().orElseThrow());
    Constraint mean = Mass.mean(1);
    assertEquals(List.of(mean), burgers.with(List.of(mean)).constraints());
    Problem fine = burgers.resized(32, 24);
    assertEquals(new Grid(Axis.time("t", 0, 1, 32), Axis.periodic("x", 0, 1, 24)), fine.grid());
    assertEquals(Optional.empty(), fine.simulator(), "it draws fields of another size");
    assertEquals(
        "burgers: u on t from 0.0 to 1.0, 8 points; x from 0.0 to 1.0, 16 points, periodic",
        burgers.toString());
  }

  @Test
  void aSmallerGridHasFewerSensorsAndNoTransposition() {
    Problem square =
        Problem.named("square")
            .axis("y", 0, 1, 8)
            .axis("x", 0, 1, 8)
            .channel("a")
            .sensors(Sensors.points(10, 20))
            .symmetries("transpose", "mirror:x")
            .build();
    assertEquals(square.symmetries(), square.resized(5, 5).symmetries());
    Problem narrow = square.resized(8, 2);
    assertEquals("[mirror:x]", narrow.symmetries().toString());
    assertEquals(Sensors.points(10, 16), narrow.sensors());
    Problem lines = square.with(Sensors.lines("x", 5, 7));
    assertEquals(Sensors.lines("x", 3, 3), lines.resized(8, 3).sensors());
    assertEquals(Sensors.lines("x", 5, 7), lines.resized(3, 8).sensors());
    Sensors fixed = Sensors.at(List.of(List.of(0.5, 0.5)));
    assertEquals(fixed, square.with(fixed).resized(2, 2).sensors());
  }

  @Test
  void theDifferenceIsWhatAMessageWouldSay() {
    Problem heat = heat().build();
    assertEquals(Optional.empty(), heat.difference(heat.with(Sensors.points(2))));
    assertEquals(Optional.of("4 x 6 points and 8 x 6"), heat.difference(heat.resized(8, 6)));
    assertEquals(
        Optional.of("channels [T] and [T, p]"),
        heat.difference(heat.toBuilder().channel("p").build()));
    Problem walls =
        Problem.named("heat").axis("y", 0, 1, 4).axis("x", 0, 1, 6).channel("T").build();
    String axes = heat.difference(walls).orElseThrow();
    assertTrue(axes.startsWith("axes ") && axes.contains("periodic"), axes);
    Problem celsius =
        Problem.named("heat").axis("y", 0, 1, 4).axis("x", 0, 1, 6).channel("T", "C").build();
    assertEquals(Optional.of("T in K and in C"), heat.difference(celsius));
    Problem flow = flow().build();
    Problem slower = flow().frames(Axis.time("t", 0, 20, 3)).build();
    assertEquals(
        Optional.of("frames t from 0.0 to 2.0, 3 points and t from 0.0 to 20.0, 3 points"),
        flow.difference(slower));
  }
}
