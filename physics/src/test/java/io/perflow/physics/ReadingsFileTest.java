package io.perflow.physics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.FileFormatException;
import io.perflow.tensor.io.Npz;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.MethodSource;

class ReadingsFileTest {
  private static final Problem HEAT =
      Problem.named("heat")
          .axis(Axis.of("depth", 0, 1, 5).unit("m"))
          .axis(Axis.periodic("x", 0, 1, 4))
          .channel("T", "K")
          .channel("p")
          .build();

  @TempDir Path folder;

  private Readings read(Problem problem, String text) throws IOException {
    Path file = folder.resolve("readings.csv");
    Files.writeString(file, text);
    return Readings.read(file, problem);
  }

  // ---- what is tolerated

  private static Arguments spelling(String text, String... notes) {
    return Arguments.of(text, List.of(notes));
  }

  /** The same three readings: T = 293.5 and p = 2 at (0.25, 0.5), T = -1200 at (0.3, 0). */
  static final List<Arguments> SPELLINGS =
      List.of(
          spelling("depth,x,T,p\n0.25,0.5,293.5,2\n0.3,0,-1200,\n"),
          spelling("depth,x,T,p\r\n0.25,0.5,293.5,2\r\n0.3,0,-1200,\r\n"), // Windows
          spelling("depth,x,T,p\r0.25,0.5,293.5,2\r0.3,0,-1200,\r"), // old Mac
          spelling("\ufeffdepth,x,T,p\n0.25,0.5,293.5,2\n0.3,0,-1200,"), // byte order mark
          spelling("depth;x;T;p\n0,25;0,5;293,5;2\n0,3;0;-1200;\n"),
          spelling("depth;x;T;p\n0.25;0.5;293.5;2\n0.3;0;-1.2e3;NA\n"),
          spelling("depth\tx\tT\tp\n0,25\t0,5\t293,5\t2\n0,3\t0\t-1200\t\n"),
          spelling("depth\tx\tT\tp\n0.25\t0.5\t293.5\t2\n0.3\t0\t-1200\tnan\n"),
          spelling("\"depth\",\"x\",\"T\",\"p\"\n\"0.25\",0.5,\"293.5\",2\n0.3,0,-1200,\"\"\n"),
          spelling("DEPTH,X,t,P\n0.25,0.5,293.5,2\n0.3,0,-1200,NaN\n"),
          spelling("p,T,x,depth\n2,293.5,0.5,0.25\nnull,-1200,0,0.3\n"),
          spelling(" depth , x , T , p \n 0.25 , 0.5 , 293.5 , 2 \n  0.3,0,-1200,  - \n"),
          spelling("depth [m],x,T [K],p\n0.25,0.5,293.5,2\n0.3,0,-1200,\n"),
          spelling("depth (m),x,T(K),p\n0.25,0.5,293.5,2\n0.3,0,-1200,\n"),
          spelling(
              "depth,x,T [K],p [Pa]\n0.25,0.5,293.5,2\n0.3,0,-1200,\n",
              "column 'p [Pa]' is taken without a unit, as the problem has it"),
          spelling(
              "id,depth,x,T,p,remark\n1,0.25,0.5,293.5,2,\"a, b\"\n2,0.3,0,-1200,,sensor #2\n",
              "columns skipped: 'id', 'remark'"),
          spelling(
              "# from the log\n\ndepth,x,T,p\n\n#\n0.25,0.5,293.5,2 # warm\n 0.3,0,-1200,\n\n"),
          spelling("depth,x,T,p,\n0.25,0.5,293.5,2,\n0.3,0,-1200,,\n,,,,\n"), // spare separators
          spelling(
              "depth,x,T,p\n0.25,0.5,293.5,2\n0.3,0,-1200,n/a\n0.9,0.9,NA,NA\n",
              "lines without a value: 1"),
          spelling(
              "0.25,0.5,293.5,2\n0.3,0,-1200,\n",
              "no line of names; the columns are taken as depth,x,T,p"),
          spelling("# T, p, depth [m], x\n293.5,2,0.25,0.5\n-1200,nan,0.3,0\n"), // NumPy's header
          spelling("sep=;\ndepth;x;T;p\n0,25;0,5;293,5;2\n0,3;0;-1200;\n"), // Excel's first line
          spelling("depth,x,quantity,value\n0.25,0.5,T,293.5\n0.25,0.5,p,2\n0.3,0,T,-1200\n"),
          spelling("Channel;Value;x;depth\nt;293,5;0,5;0,25\np;2;0,5;0,25\nT;-1200;0;0,3\n"),
          spelling(
              "depth,x,quantity,value\n0.25,0.5,T,293.5\n0.25,0.5,p,2\n0.3,0,T,-1200\n1,0,p,-\n",
              "lines without a value: 1"),
          spelling("depth,x,T,p\n2.5E-1,+.5,2.935D2,2.\n0.3,0,\u22121200,none\n"),
          spelling("depth,x,T,p\n0.25,\u00a00.5,293.5,2\n0.3,1,-1200,\n"), // x = 1 is x = 0
          spelling(
              "depth,x,T,p\n0.25,0.5,293.5,\n0.3,0,-1200,\n0.25,0.5,293.5,2\n",
              "readings that repeat another one and count once: 1"));

  @ParameterizedTest
  @FieldSource("SPELLINGS")
  void spellingsThatMeanTheSame(String text, List<String> notes) throws IOException {
    Readings wanted =
        Readings.of(HEAT)
            .at("T", 293.5, 0.25, 0.5)
            .at("p", 2, 0.25, 0.5)
            .at("T", -1200, 0.3, 0)
            .build();
    Readings found = read(HEAT, text);
    assertEquals(sorted(wanted), sorted(found));
    assertEquals(notes, found.notes());
  }

  @Test
  void anotherUnitIsAWarning() throws IOException {
    Readings readings = read(HEAT, "depth [km],x,T [°C],p [Pa]\n0.25,0.5,20,2\n");
    String taken =
        "column '%s' is taken in %s, as the problem has it: convert the numbers if they are in"
            + " another unit";
    assertEquals(
        List.of(taken.formatted("depth [km]", "m"), taken.formatted("T [°C]", "K")),
        readings.warnings());
    assertEquals(
        List.of("column 'p [Pa]' is taken without a unit, as the problem has it"),
        readings.notes());
    assertEquals(List.of(), read(HEAT, "depth [m],x,T [K],p\n0,0,1,2\n").warnings());
  }

  private static List<String> sorted(Readings readings) {
    return readings.all().stream()
        .map(
            r ->
                new Readings.Reading(r.channel(), r.cells(), r.weights(), r.value(), r.sigma(), ""))
        .map(Readings.Reading::toString)
        .sorted()
        .toList();
  }

  @Test
  void linesOfTheFileAreTheSources() throws IOException {
    Readings readings = read(HEAT, "# log\r\ndepth,x,T\r\n\r\n0,0,1\r\n0.25,0,2\r\n");
    assertEquals(
        List.of("line 4", "line 5"),
        readings.all().stream().map(Readings.Reading::source).toList());
  }

  @Test
  void sigmasStandInTheirColumns() throws IOException {
    for (String names : List.of("sigma_T,sigma", "T_Sigma [K],SIGMA")) {
      Readings readings =
          read(HEAT, "depth,x,T,p," + names + "\n0,0,1,2,0.1,0.2\n0.5,0,1,2,,0.3\n1,0,1,2,0.4,\n");
      assertEquals(
          List.of(0.1, 0.2, 0.3, 0.3, 0.4, 0.0),
          readings.all().stream().map(Readings.Reading::sigma).toList());
      assertEquals(List.of("readings without a sigma: 1"), readings.notes());
    }
    Readings narrow = read(HEAT, "quantity,depth,x,value,sigma\nT,0,0,1,0.5\n");
    assertEquals(0.5, narrow.all().getFirst().sigma());
  }

  @Test
  void framesAreAnAxis() throws IOException {
    Problem.Builder flow = HEAT.toBuilder();
    Problem frames = flow.frames(Axis.time("t", 0, 1, 2)).build();
    Readings readings = read(frames, "t,depth,x,T\n1,0,0,5\n0,0,0,6\n");
    assertEquals(1, readings.all().get(0).channel());
    assertEquals(0, readings.all().get(1).channel());
    // the letter case decides between a time t and a temperature T
    assertEquals(2, read(frames, "T,x,depth,t\n5,0,0,1\n6,0,0,0\n").size());
    // one frame needs no column
    Problem one = flow.frames(Axis.time("t", 0, 1, 1)).build();
    assertEquals(1, read(one, "depth,x,T\n0,0,5\n").size());
    assertEquals(1, read(one, "t,depth,x,T\n0,0,0,5\n").size());
    assertEquals(1, read(one, "0,0,5,\n").size());
  }

  @Test
  void aFileMayHoldNoReading() throws IOException {
    Readings readings = read(HEAT, "depth,x,T,p\n");
    assertEquals(0, readings.size());
    assertEquals(List.of("there is no reading"), readings.notes());
  }

  // ---- mistakes

  private static Arguments mistake(String text, String message) {
    return Arguments.of(text, message);
  }

  static final List<Arguments> MISTAKES =
      List.of(
          mistake("", "is empty; its first line must be names such as depth,x,T,p"),
          mistake("# nothing\n\n", "is empty; its first line must be names such as depth,x,T,p"),
          mistake(
              "time,place,heat\n1,2,3\n",
              "line 1: no column for any quantity; found 'time', 'place', 'heat'; expected"
                  + " depth,x,T,p or depth,x,quantity,value"),
          mistake(
              "depth x T\n0 0 1\n",
              "line 1: no column for any quantity; found 'depth x T'; expected depth,x,T,p or"
                  + " depth,x,quantity,value"),
          mistake(
              "x,T\n0,1\n",
              "line 1: no column for the axis depth; found 'x', 'T'; expected depth,x,T,p or"
                  + " depth,x,quantity,value"),
          mistake(
              "depth,x\n0,1\n",
              "line 1: no column for any quantity; found 'depth', 'x'; expected depth,x,T,p or"
                  + " depth,x,quantity,value"),
          mistake(
              "depth,x,quantity\n0,1,T\n",
              "line 1: no column for any quantity; found 'depth', 'x', 'quantity'; expected"
                  + " depth,x,T,p or depth,x,quantity,value"),
          mistake(
              "depth,x,T,T [K]\n0,0,1,1\n",
              "line 1: columns 3 and 4, 'T' and 'T [K]', hold the same; keep one"),
          mistake(
              "depth,x,T,sigma_T,T_sigma\n0,0,1,1,1\n",
              "line 1: columns 4 and 5, 'sigma_T' and 'T_sigma', hold the same; keep one"),
          mistake(
              "0,0,1\n0,0.5,1\n",
              "line 1: 3 columns without names; write a first line of names such as depth,x,T,p"),
          mistake("depth,x,T\n0,0,warm\n", "line 2: T = 'warm' is not a number"),
          mistake("depth,x,T\n0,zero,1\n", "line 2: x = 'zero' is not a number"),
          mistake("depth,x,T\n0,0,0x10\n", "line 2: T = '0x10' is not a number"),
          mistake("depth;x;T\n0;0;1.234,5\n", "line 2: T = '1.234,5' is not a number"),
          mistake(
              "depth,x,T\n0,0,\"293,5\"\n",
              "line 2: T = '293,5' is not a number; write it with a point, or separate the columns"
                  + " by semicolons"),
          mistake(
              "depth,x,T\n0,0,inf\n",
              "line 2: T = 'inf' is not finite; leave the cell empty if nothing was measured"),
          mistake(
              "depth,x,T\n0,0,1\n0,-Infinity,1\n",
              "line 3: x = '-Infinity' is not finite; leave the cell empty if nothing was"
                  + " measured"),
          mistake(
              "depth,x,T\n0,0,1e999\n",
              "line 2: T = '1e999' is not finite; leave the cell empty if nothing was measured"),
          mistake(
              "depth,x,T\n0,0,1e99\n",
              "line 2: [readings] value 1.0E99 is not a finite number of F32"),
          mistake(
              "depth,x,T\n1.2,0,1\n", "line 2: [axis depth] depth = 1.2 lies outside [0.0, 1.0] m"),
          mistake("depth,x,T\n0,-1.1,1\n", "line 2: [axis x] x = -1.1 lies outside [0.0, 1.0]"),
          mistake("depth,x,T\n0,,1\n", "line 2: x = '', but there is a value"),
          mistake("depth,x,T\nNA,0,1\n", "line 2: depth = 'NA', but there is a value"),
          mistake("depth,x,T\n0,0\n", "line 2: 2 cells, expected 3 as in the first line"),
          mistake(
              "depth,x,T\n0,5,0,5,293,1\n",
              "line 2: 6 cells, expected 3 as in the first line; numbers with a decimal comma need"
                  + " semicolons between columns"),
          mistake("depth,x,T\n0,0,\"1\n", "line 2: a quote is not closed: '0,0,\"1'"),
          mistake(
              "depth,x,quantity,value\n0,0,U,1\n",
              "line 2: there is no quantity 'U'; there are T, p"),
          mistake(
              "depth,x,T,sigma\n0,0,1,-0.1\n",
              "line 2: sigma of T = '-0.1' is negative; it must be 0 (exact) or a positive number"),
          mistake("depth,x,T,sigma\n0,0,1,low\n", "line 2: sigma of T = 'low' is not a number"),
          mistake(
              "depth,x,T\n0,0,1\n0,0.5,1\n0,1,2\n",
              "line 2 and line 4 both read T at the same place: 1.0 and 2.0; keep one or give both"
                  + " a sigma"),
          mistake(
              "depth,x,quantity,value\n0.1,0.1,p,1\n0.1,0.1,p,3\n",
              "line 2 and line 3 both read p at the same place: 1.0 and 3.0; keep one or give both"
                  + " a sigma"));

  @ParameterizedTest
  @FieldSource("MISTAKES")
  void mistakesAreNamedWithTheirLines(String text, String message) {
    var thrown = assertThrows(FileFormatException.class, () -> read(HEAT, text));
    assertEquals(folder.resolve("readings.csv") + ": " + message, thrown.getMessage());
  }

  @Test
  void capitalsMustDecideBetweenNames() {
    Problem problem = HEAT.toBuilder().channel("temp").channel("Temp").build();
    var thrown =
        assertThrows(FileFormatException.class, () -> read(problem, "depth,x,TEMP\n0,0,1\n"));
    assertEquals(
        folder.resolve("readings.csv")
            + ": line 1: column 'TEMP' may mean temp or Temp; write the name with the same"
            + " capitals",
        thrown.getMessage());
  }

  @Test
  void framesBetweenOthersAreRefused() {
    Problem frames = HEAT.toBuilder().frames(Axis.time("t", 0, 1, 2)).build();
    var thrown =
        assertThrows(FileFormatException.class, () -> read(frames, "t,depth,x,T\n0.5,0,0,1\n"));
    assertEquals(
        folder.resolve("readings.csv")
            + ": line 2: [readings] t = 0.5 lies between the frames at 0.0 and 1.0; only whole"
            + " frames are read",
        thrown.getMessage());
  }

  @Test
  void otherEncodingsAreRefused() throws IOException {
    Path file = folder.resolve("latin.csv");
    Files.write(file, "depth,x,T\n0,0,1 # 20 °C\n".getBytes(StandardCharsets.ISO_8859_1));
    var thrown = assertThrows(FileFormatException.class, () -> Readings.read(file, HEAT));
    assertEquals(file + ": is not a text in UTF-8; save it as CSV in UTF-8", thrown.getMessage());
  }

  @Test
  void hugeFilesAreRefused() throws IOException {
    Path file = folder.resolve("huge.csv");
    try (RandomAccessFile sparse = new RandomAccessFile(file.toFile(), "rw")) {
      sparse.setLength((1L << 28) + 1);
    }
    var thrown = assertThrows(FileFormatException.class, () -> Readings.read(file, HEAT));
    assertEquals(file + ": 268435457 bytes, at most 268435456 are read", thrown.getMessage());
  }

  // ---- arrays

  private Readings arrays(Problem problem, Map<String, Tensor> arrays) throws IOException {
    Path file = folder.resolve("readings.npz");
    Npz.write(file, arrays);
    return Readings.read(file, problem);
  }

  @Test
  void arraysHoldValuesWhereTheMaskIsOne() throws IOException {
    double[] numbers = new double[40];
    Arrays.fill(numbers, Double.NaN); // what is not under the mask does not matter
    numbers[7] = 293;
    numbers[29] = 5;
    double[] ones = new double[40];
    ones[7] = 1;
    ones[29] = 1;
    Tensor values = Tensor.of(numbers, 2, 5, 4);
    Tensor mask = Tensor.of(ones, 2, 5, 4);
    Readings readings = arrays(HEAT, Map.of("values", values, "mask", mask));
    assertEquals(
        List.of("values[0, 1, 3]", "values[1, 2, 1]"),
        readings.all().stream().map(Readings.Reading::source).toList());
    Readings noisy =
        arrays(
            HEAT, Map.of("values", values, "mask", mask, "sigma", Tensor.of(new double[] {2}, 1)));
    assertEquals(2, noisy.all().get(1).sigma());
    Tensor each = Tensor.arange(40).reshape(2, 5, 4);
    Readings various = arrays(HEAT, Map.of("values", values, "mask", mask, "sigma", each));
    assertEquals(29, various.all().get(1).sigma());
  }

  @Test
  void channelsMayShareAMask() throws IOException {
    Problem shared = HEAT.with(Sensors.points(1).sharing(Sensors.Sharing.SHARED));
    double[] ones = new double[20];
    ones[7] = 1;
    Tensor values = Tensor.zeros(2, 5, 4);
    Tensor mask = Tensor.of(ones, 1, 5, 4);
    assertEquals(2, arrays(shared, Map.of("values", values, "mask", mask)).size());
  }

  static Stream<Arguments> brokenArrays() {
    Tensor zeros = Tensor.zeros(2, 5, 4);
    Tensor ones = zeros.add(1);
    return Stream.of(
        Arguments.of(Map.of("values", zeros), "has no array 'mask', only 'values'"),
        Arguments.of(
            Map.of("values", Tensor.zeros(2, 4, 5), "mask", ones),
            "entry 'values': has shape [2, 4, 5], expected [2, 5, 4]"),
        Arguments.of(
            Map.of("values", zeros, "mask", Tensor.zeros(1, 5, 4)),
            "entry 'mask': has shape [1, 5, 4], expected [2, 5, 4]"),
        Arguments.of(
            Map.of("values", zeros, "mask", ones.mul(2)),
            "[readings] the mask holds 2.0: it must be 0 or 1"),
        Arguments.of(
            Map.of("values", zeros.add(Double.NaN), "mask", ones),
            "[readings] value NaN is not a finite number of F32"),
        Arguments.of(
            Map.of("values", zeros, "mask", ones, "sigma", ones.neg()),
            "[readings] sigma is -1.0: it must be 0 (exact) or a positive number"));
  }

  @ParameterizedTest
  @MethodSource("brokenArrays")
  void arraysThatDoNotFitAreNamed(Map<String, Tensor> arrays, String message) {
    var thrown = assertThrows(FileFormatException.class, () -> arrays(HEAT, arrays));
    assertEquals(folder.resolve("readings.npz") + ": " + message, thrown.getMessage());
  }
}
