package io.perflow.flow.log;

import io.perflow.flow.TrainingListener;
import io.perflow.tensor.io.AtomicFile;
import io.perflow.tensor.io.FileFormatException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A log of a training in its directory: {@code train.csv}, {@code validation.csv} and a TensorBoard
 * event file. A resumed run overwrites the entries after the step it resumes from. A damaged table
 * is renamed, with {@code .damaged} added to its name, and started anew.
 */
public final class TrainingLog implements TrainingListener, AutoCloseable {
  /** The file with the loss and the learning rate of every step. */
  public static final String TRAIN = "train.csv";

  /** The file with the loss and the constraint violations of every validation. */
  public static final String VALIDATION = "validation.csv";

  private final Path directory;
  private final long from;
  private final CsvLog train;
  private final TensorBoardLog board;
  private final List<String> notes = new ArrayList<>();
  private CsvLog validation; // null until the first validation names its columns

  /**
   * Opens the files.
   *
   * @param from the number of steps done before
   */
  public TrainingLog(Path directory, long from) throws IOException {
    this.directory = directory;
    this.from = from;
    train = table(TRAIN, List.of("loss", "rate"));
    board = TensorBoardLog.open(directory, from);
  }

  // A damaged log is no reason to end a run.
  private CsvLog table(String name, List<String> columns) throws IOException {
    Path file = directory.resolve(name);
    try {
      return CsvLog.open(file, from, columns);
    } catch (FileFormatException e) {
      Path away = directory.resolve(name + ".damaged");
      AtomicFile.move(file, away);
      notes.add("%s; it is now %s, and a new table is started".formatted(e.getMessage(), away));
      return CsvLog.open(file, from, columns);
    }
  }

  /** Returns remarks for the user about the tables, one line each. */
  public List<String> notes() {
    return List.copyOf(notes);
  }

  @Override
  public void step(long step, double loss, double rate) {
    write(train, "train/", step, Map.of("loss", loss, "rate", rate));
  }

  @Override
  public void validated(long step, double loss, Map<String, Double> diagnostics) {
    Map<String, Double> values = new LinkedHashMap<>();
    values.put("loss", loss);
    // Constraints may have any name, but commas separate columns.
    diagnostics.forEach((name, value) -> values.put(name.replaceAll("[,\"\\s]+", " "), value));
    try {
      if (validation == null) {
        List<String> names = new ArrayList<>(values.keySet());
        validation = table(VALIDATION, names);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e.getMessage(), e);
    }
    write(validation, "validation/", step, values);
  }

  private void write(CsvLog file, String prefix, long step, Map<String, Double> values) {
    Map<String, Double> named = new LinkedHashMap<>();
    values.forEach((name, value) -> named.put(prefix + name, value));
    try {
      file.write(step, values);
      board.write(step, named);
    } catch (IOException e) {
      throw new UncheckedIOException(e.getMessage(), e);
    }
  }

  @Override
  public void close() throws IOException {
    train.close();
    board.close();
    if (validation != null) {
      validation.close();
    }
  }
}
