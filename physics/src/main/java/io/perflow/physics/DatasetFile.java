package io.perflow.physics;

import io.perflow.physics.constraint.Constraint;
import io.perflow.physics.solver.Benchmark;
import io.perflow.tensor.Check;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.ArrayWriter;
import io.perflow.tensor.io.FileFormatException;
import io.perflow.tensor.io.Json;
import io.perflow.tensor.io.Npz;
import io.perflow.tensor.io.SafeTensors;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The files of data sets: an array {@code fields} and notes of the form
 *
 * <pre>{@code
 * {"format": "perflow-dataset-2", "problem": {"name": "heat", …},
 *  "normalization": {"mean": […], "scale": […]}, "origin": {"split": "train", "seed": 1, …}}
 * }</pre>
 *
 * which safetensors keeps in its metadata under {@code perflow}, and npz in an entry {@code
 * metadata.json}.
 */
final class DatasetFile {
  static final String FIELDS = "fields";
  static final String NOTES = "perflow";
  static final String NOTES_FILE = "metadata.json";
  private static final String FORMAT = "perflow-dataset-2";
  private static final String NAMED = "perflow-dataset-1"; // of version 0.1: a benchmark's name

  private DatasetFile() {}

  /** The kinds of files. */
  enum Kind {
    SAFETENSORS,
    NPZ;

    /** Returns the kind of a file, by the extension of its name. */
    static Kind of(Path file) {
      String name = file.toString().toLowerCase(Locale.ROOT);
      if (name.endsWith(".safetensors")) {
        return SAFETENSORS;
      }
      if (name.endsWith(".npz")) {
        return NPZ;
      }
      throw new IllegalArgumentException(
          file + ": a data set is a file named *.safetensors or *.npz");
    }
  }

  static Dataset read(Path file, List<? extends Constraint> given) throws IOException {
    return switch (Kind.of(file)) {
      case SAFETENSORS -> {
        try (SafeTensors tensors = SafeTensors.read(file)) {
          Map<String, Object> notes = notes(file, tensors.metadata().get(NOTES));
          yield dataset(file, notes, tensors.load(FIELDS), given);
        }
      }
      case NPZ -> {
        try (Npz npz = Npz.read(file)) {
          Map<String, Object> notes = notes(file, npz.text(NOTES_FILE).orElse(null));
          yield dataset(file, notes, npz.load(FIELDS), given);
        }
      }
    };
  }

  private static Map<String, Object> notes(Path file, String text) throws IOException {
    if (text == null) {
      throw new FileFormatException(
          file.toString(),
          null,
          "has no notes of a data set; turn it into one with perflow init or import");
    }
    return Json.object(Json.parse(text, file + ": notes"), file + ": notes");
  }

  private static Dataset dataset(
      Path file, Map<String, Object> notes, Tensor fields, List<? extends Constraint> given)
      throws IOException {
    try {
      String format = Json.text(notes.get("format"), "format");
      if (!format.equals(FORMAT) && !format.equals(NAMED)) {
        throw new IllegalArgumentException(
            "has format '%s', this version reads '%s'".formatted(Names.brief(format), FORMAT));
      }
      return Dataset.of(
          format.equals(FORMAT)
              ? Problem.fromJson(notes.get("problem"), given)
              : named(notes, fields),
          fields,
          Normalization.fromJson(notes.get("normalization")),
          Json.object(notes.get("origin"), "origin"));
    } catch (IllegalArgumentException | FileFormatException e) { // they do not know the file
      throw new FileFormatException(file.toString(), null, e.getMessage(), e);
    }
  }

  // Files of version 0.1 name one of its benchmarks and leave the rest to the program. Their fields
  // may be smaller than the solver allows, and need not be square.
  private static Problem named(Map<String, Object> notes, Tensor fields) throws IOException {
    String benchmark = Names.brief(Json.text(notes.get("benchmark"), "benchmark"));
    Object preset = Json.object(notes.get("origin"), "origin").get("preset");
    Check.rank("dataset", "fields", fields, 4);
    return Benchmark.named(benchmark)
        .generator(preset instanceof String text ? text : "", Math.max(4, fields.dim(2)))
        .problem()
        .resized(fields.dim(2), fields.dim(3));
  }

  static void write(Path file, Dataset data) throws IOException {
    String notes = notes(data.problem(), data.normalization(), data.origin());
    Tensor fields = data.fields();
    write(file, notes, fields.type(), fields.shape(), out -> out.append(fields));
  }

  /** A source of all fields in their order. */
  interface Source {
    void writeTo(ArrayWriter out) throws IOException;
  }

  static void write(Path file, String notes, DataType type, Shape shape, Source source)
      throws IOException {
    switch (Kind.of(file)) {
      case SAFETENSORS -> {
        try (ArrayWriter out =
            SafeTensors.writer(file, FIELDS, type, shape, Map.of(NOTES, notes))) {
          source.writeTo(out);
          out.commit();
        }
      }
      case NPZ -> {
        try (Npz.Writer npz = Npz.writer(file)) {
          npz.addText(NOTES_FILE, notes);
          try (ArrayWriter out = npz.begin(FIELDS, type, shape)) {
            source.writeTo(out);
            out.commit();
          }
          npz.commit();
        }
      }
    }
  }

  static String notes(Problem problem, Normalization units, Map<String, Object> origin) {
    Map<String, Object> notes = new LinkedHashMap<>();
    notes.put("format", FORMAT);
    notes.put("problem", problem.toJson());
    notes.put("normalization", units.toJson());
    notes.put("origin", origin);
    return Json.write(notes);
  }
}
