package io.perflow.flow.log;

import io.perflow.tensor.disk.Disk;
import io.perflow.tensor.io.ProtoMessage;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;

/**
 * A log of scalars and images as an event file that {@code tensorboard --logdir DIRECTORY} shows.
 *
 * <p>The file is a sequence of TFRecords, each a protocol-buffer message {@code Event}, written
 * here without either library. A slash in a name groups charts: {@code loss/train}, {@code
 * loss/validation}.
 */
public final class TensorBoardLog implements ScalarLog {
  // fields of Event
  private static final int WALL_TIME = 1;
  private static final int STEP = 2;
  private static final int FILE_VERSION = 3;
  private static final int SUMMARY = 5;
  private static final int SESSION_LOG = 7;
  // field of Summary, and fields of Summary.Value
  private static final int VALUE = 1;
  private static final int TAG = 1;
  private static final int SIMPLE_VALUE = 2;
  private static final int IMAGE = 4;
  // fields of Summary.Image
  private static final int HEIGHT = 1;
  private static final int WIDTH = 2;
  private static final int COLORSPACE = 3;
  private static final int ENCODED = 4;
  private static final int RGB = 3;
  // field of SessionLog, and its value for a start
  private static final int STATUS = 1;
  private static final int START = 1;

  /** The beginning of the names of all event files. */
  public static final String PREFIX = "events.out.tfevents.";

  private final RecordFile file;
  private final InstantSource clock;

  private TensorBoardLog(RecordFile file, InstantSource clock) {
    this.file = file;
    this.clock = clock;
  }

  /**
   * Starts a new event file in a directory, which is created if it does not exist.
   *
   * @param step the step at which the run starts; entries of earlier files for later steps are
   *     declared void, so that a resumed run appears as one curve
   */
  public static TensorBoardLog open(Path directory, long step) throws IOException {
    return open(directory, step, InstantSource.system());
  }

  static TensorBoardLog open(Path directory, long step, InstantSource clock) throws IOException {
    Disk.current().createDirectories(directory);
    TensorBoardLog log = new TensorBoardLog(newFile(directory, clock), clock);
    log.append(log.event(0).text(FILE_VERSION, "brain.Event:2"));
    if (step > 0) {
      ProtoMessage start = new ProtoMessage().integer(STATUS, START);
      log.append(log.event(step + 1).message(SESSION_LOG, start));
    }
    return log;
  }

  /**
   * Verifies the checksums of an event file.
   *
   * @return the number of its entries; a last one that a killed process has cut short does not
   *     count
   * @throws io.perflow.tensor.io.FileFormatException when an entry is damaged
   */
  public static int verify(Path file) throws IOException {
    return RecordFile.verify(file);
  }

  // TensorBoard reads the files of a directory in the order of their names.
  private static RecordFile newFile(Path directory, InstantSource clock) throws IOException {
    long seconds = clock.instant().getEpochSecond();
    for (int i = 0; ; i++) {
      try {
        return new RecordFile(
            directory.resolve(PREFIX + "%010d.%04d.perflow".formatted(seconds, i)));
      } catch (FileAlreadyExistsException e) {
        continue; // another run started in the same second
      }
    }
  }

  @Override
  public void write(long step, Map<String, Double> values) throws IOException {
    ProtoMessage summary = new ProtoMessage();
    values.forEach(
        (name, value) ->
            summary.message(
                VALUE,
                new ProtoMessage().text(TAG, name).number(SIMPLE_VALUE, value.floatValue())));
    append(event(step).message(SUMMARY, summary));
  }

  /**
   * Adds an image.
   *
   * @param png a PNG file
   * @param width the width of the image in pixels
   * @param height the height of the image in pixels
   */
  public void image(long step, String name, byte[] png, int width, int height) throws IOException {
    ProtoMessage image =
        new ProtoMessage()
            .integer(HEIGHT, height)
            .integer(WIDTH, width)
            .integer(COLORSPACE, RGB)
            .bytes(ENCODED, png);
    ProtoMessage value = new ProtoMessage().text(TAG, name).message(IMAGE, image);
    append(event(step).message(SUMMARY, new ProtoMessage().message(VALUE, value)));
  }

  @Override
  public void close() throws IOException {
    file.close();
  }

  private ProtoMessage event(long step) {
    Instant now = clock.instant();
    double time = now.getEpochSecond() + 1e-9 * now.getNano();
    ProtoMessage event = new ProtoMessage().number(WALL_TIME, time);
    return step == 0 ? event : event.integer(STEP, step); // zero is what a missing field means
  }

  private void append(ProtoMessage event) throws IOException {
    file.append(event.toBytes());
  }
}
