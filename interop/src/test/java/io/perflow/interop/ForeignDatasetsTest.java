package io.perflow.interop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.fixtures.Resources;
import io.perflow.physics.Dataset;
import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.physics.Scaling;
import io.perflow.physics.solver.Benchmark;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.FileFormatException;
import io.perflow.tensor.io.Npz;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files of SciPy, h5py and NumPy; the script that wrote them is foreign_data.py. */
class ForeignDatasetsTest {
  private static final ImportOptions EXACT = ImportOptions.standard().type(DataType.F64);

  @TempDir Path directory;

  private static Problem problem(String benchmark) {
    return Benchmark.named(benchmark).generator("", 16).problem();
  }

  private static Dataset read(Path file, String benchmark, ImportOptions options)
      throws IOException {
    ImportOptions usual = options.usual(Benchmark.named(benchmark).arrays());
    return ForeignDatasets.read(file, problem(benchmark), usual);
  }

  private static Path fixture(String name) throws IOException {
    return Resources.path("/physics/foreign/" + name);
  }

  private static Tensor expected(String name) throws IOException {
    try (Npz npz = Npz.read(fixture("expected.npz"))) {
      return npz.load(name);
    }
  }

  private static void fails(Executable call, String... parts) {
    var e = assertThrows(FileFormatException.class, call);
    for (String part : parts) {
      assertTrue(e.getMessage().contains(part), e.getMessage());
    }
    assertEquals(1, e.getMessage().lines().count(), e.getMessage());
  }

  @ParameterizedTest
  @CsvSource({
    "darcy,   darcy.mat,            0",
    "darcy,   darcy_compressed.mat, 1e-9", // pressures of single precision
    "poisson, poisson73.mat,        0",
    "burgers, burgers.h5,           0",
    "burgers, burgers_chunked.h5,   0",
    "ns,      ns.mat,               1e-15",
  })
  void filesOfOtherToolsAreRead(String name, String file, double tolerance) throws IOException {
    Dataset data = read(fixture(file), name, EXACT);
    Tensor expected = expected(name);
    assertEquals(expected.shape(), data.fields().shape());
    assertArrayEquals(expected.toDoubles(), data.fields().toDoubles(), tolerance);
    assertEquals(Normalization.fit(data.fields(), problem(name).groups()), data.normalization());
    assertTrue(data.origin().containsKey("source"));
  }

  @Test
  void importedVelocitiesAreFreeOfDivergence() throws IOException {
    Dataset data = read(fixture("ns.mat"), "ns", EXACT);
    Tensor residual = data.problem().constraints().getFirst().meanSquare(data.fields());
    assertTrue(residual.max(false, 0).item() < 1e-28, residual.toString());
  }

  @ParameterizedTest
  @CsvSource({
    "darcy, darcy.mat",
    "poisson, poisson73.mat",
    "burgers, burgers.h5",
    "burgers, burgers_chunked.h5"
  })
  void someSamplesAreTheFirstOnes(String name, String file) throws IOException {
    Dataset data = read(fixture(file), name, EXACT.samples(2));
    assertArrayEquals(
        expected(name).slice(0, 0, 2).contiguous().toDoubles(), data.fields().toDoubles());
  }

  @Test
  void stridesAndTransposes() throws IOException {
    Path file = fixture("darcy.mat");
    Tensor whole = expected("darcy");
    Dataset coarse = read(file, "darcy", EXACT.stride(2));
    assertEquals(Shape.of(3, 2, 3, 3), coarse.fields().shape());
    assertArrayEquals(
        whole.slice(2, 0, 3, 2).slice(3, 0, 3, 2).contiguous().toDoubles(),
        coarse.fields().toDoubles());
    Dataset turned = read(file, "darcy", EXACT.transpose(true));
    assertArrayEquals(whole.transpose().contiguous().toDoubles(), turned.fields().toDoubles());
  }

  @Test
  void namesCanBeGivenAndTypesAndUnitsChosen() throws IOException {
    ImportOptions options =
        ImportOptions.standard()
            .arrays(Map.of("a", "lognorm_a_data", "p", "lognorm_p_data"))
            .scaling(Scaling.HALF);
    Dataset data = read(fixture("darcy.mat"), "darcy", options);
    assertEquals(DataType.F32, data.fields().type());
    assertArrayEquals(
        expected("darcy").add(1).to(DataType.F32).toFloats(), data.fields().toFloats());
    Normalization unit = Normalization.fit(data.fields(), problem("darcy").groups());
    assertEquals(2 * unit.scale().getFirst(), data.normalization().scale().getFirst(), 1e-12);
  }

  @Test
  void velocitiesAndWholeFieldsOfNpz() throws IOException {
    Tensor fields = expected("ns");
    Path npz = directory.resolve("any.name");
    Npz.write(npz, Map.of("fields", fields));
    assertArrayEquals(fields.toDoubles(), read(npz, "ns", EXACT).fields().toDoubles());
    // u and v with times first, and with times last
    Tensor u = fields.slice(1, 0, 10);
    Tensor v = fields.slice(1, 10, 20);
    double[] both = fields.toDoubles();
    Npz.write(npz, Map.of("u", u, "v", v));
    assertArrayEquals(both, read(npz, "ns", EXACT).fields().toDoubles());
    Npz.write(npz, Map.of("u", u.permute(0, 2, 3, 1), "v", v.permute(0, 2, 3, 1)));
    assertArrayEquals(both, read(npz, "ns", EXACT).fields().toDoubles());
  }

  @Test
  void whatIsMissingOrMisshapenIsNamed() throws IOException {
    Path darcy = fixture("darcy.mat");
    fails(
        () -> read(darcy, "poisson", EXACT),
        "has no array f_data or f for f of poisson",
        "thresh_a_data [3, 6, 5]",
        "say which one");
    fails(
        () -> read(darcy, "darcy", EXACT.arrays(Map.of("p", "pressure"))),
        "has no array pressure for p of darcy");
    Path burgers = fixture("burgers.h5");
    fails(
        () -> read(burgers, "burgers", EXACT.arrays(Map.of("u", "input"))),
        "entry 'input'",
        "shape [3, 8] has 2 axes, u of burgers has 3, the samples first");
    Path npz = directory.resolve("x.npz");
    Npz.write(npz, Map.of("u", Tensor.ones(2, 16, 16, 7)));
    fails(() -> read(npz, "ns", EXACT), "has 7 times", "10 or a multiple");
    Npz.write(npz, Map.of("u", Tensor.ones(2, 16, 14, 10)));
    fails(() -> read(npz, "ns", EXACT), "no square fields");
    Npz.write(npz, Map.of("a", Tensor.ones(2, 4, 4), "p", Tensor.ones(3, 4, 4)));
    fails(() -> read(npz, "darcy", EXACT), "x.npz");
    float[] nan = new float[16];
    Arrays.fill(nan, Float.NaN);
    Npz.write(npz, Map.of("u", Tensor.of(nan, 1, 4, 4)));
    fails(() -> read(npz, "burgers", EXACT), "is NaN; drop or repair");
  }

  @Test
  void filesOfNoKnownKindAreRefused() throws IOException {
    Path text = Files.writeString(directory.resolve("x.mat"), "a,b\n1,2\n");
    fails(() -> read(text, "darcy", EXACT), "none of HDF5, MATLAB 5.0");
    fails(() -> read(directory, "darcy", EXACT), "is a directory");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"darcy.mat", "darcy_compressed.mat", "poisson73.mat", "burgers_chunked.h5"})
  void damagedFilesGiveOneKindOfError(String name) throws IOException {
    byte[] sound = Files.readAllBytes(fixture(name));
    String benchmark = name.replaceAll("[_.7].*", "");
    Path file = directory.resolve(name);
    Random random = new Random(1);
    int refused = 0;
    for (int i = 0; i < 200; i++) {
      byte[] bytes =
          i % 2 == 0
              ? Arrays.copyOf(sound, 130 + random.nextInt(sound.length - 130))
              : sound.clone();
      bytes[128 + random.nextInt(bytes.length - 128)] ^= (byte) (1 << random.nextInt(8));
      Files.write(file, bytes);
      try {
        read(file, benchmark, EXACT);
      } catch (FileFormatException e) {
        assertEquals(1, e.getMessage().lines().count(), e.getMessage());
        refused++;
      }
    }
    assertTrue(refused > 80, "only " + refused + " of 200 were refused");
  }

  @Test
  void optionsAreChecked() {
    assertThrows(IllegalArgumentException.class, () -> EXACT.samples(0));
    assertThrows(IllegalArgumentException.class, () -> EXACT.stride(0));
  }
}
