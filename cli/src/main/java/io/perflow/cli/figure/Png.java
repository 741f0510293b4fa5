package io.perflow.cli.figure;

import io.perflow.tensor.io.AtomicFile;
import io.perflow.tensor.io.FileFormatException;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.zip.CRC32;
import javax.imageio.ImageIO;
import javax.imageio.stream.MemoryCacheImageOutputStream;

/** A finished image in the PNG format. */
public final class Png {
  private static final long SIGNATURE = 0x89504e470d0a1a0aL;
  private static final int HEADER = 0x49484452; // IHDR
  private static final int END = 0x49454e44; // IEND
  private static final int CHUNK = 12; // of a chunk besides its data: length, type, checksum

  private final byte[] bytes;
  private final int width;
  private final int height;

  private Png(byte[] bytes, int width, int height) {
    this.bytes = bytes;
    this.width = width;
    this.height = height;
  }

  static Png of(BufferedImage image) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (var stream = new MemoryCacheImageOutputStream(bytes)) {
      ImageIO.write(image, "png", stream);
    } catch (IOException e) {
      throw new UncheckedIOException("memory refused an image", e);
    }
    return new Png(bytes.toByteArray(), image.getWidth(), image.getHeight());
  }

  /**
   * Reads a file and verifies the checksum of every chunk.
   *
   * @throws FileFormatException when it is not a PNG file, or a damaged one
   */
  public static Png read(Path file) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    ByteBuffer in = ByteBuffer.wrap(bytes);
    require(in.remaining() > Long.BYTES && in.getLong() == SIGNATURE, file, "is not a PNG file");
    int width = 0;
    int height = 0;
    int type = 0;
    while (type != END) {
      require(in.remaining() >= CHUNK, file, "is cut short");
      int length = in.getInt();
      require(length >= 0 && length <= in.remaining() + Integer.BYTES - CHUNK, file, "is damaged");
      CRC32 sum = new CRC32();
      sum.update(in.slice(in.position(), Integer.BYTES + length));
      type = in.getInt();
      if (type == HEADER && length >= 2 * Integer.BYTES) {
        width = in.getInt(in.position());
        height = in.getInt(in.position() + Integer.BYTES);
      }
      in.position(in.position() + length);
      require((int) sum.getValue() == in.getInt(), file, "is damaged: a checksum differs");
    }
    require(!in.hasRemaining(), file, "continues after its end");
    return new Png(bytes, width, height);
  }

  private static void require(boolean sound, Path file, String what) throws FileFormatException {
    if (!sound) {
      throw new FileFormatException(file.toString(), null, what);
    }
  }

  /** Returns the bytes of the file. */
  public byte[] bytes() {
    return bytes.clone();
  }

  /** Returns the width in pixels. */
  public int width() {
    return width;
  }

  /** Returns the height in pixels. */
  public int height() {
    return height;
  }

  /** Writes the file, complete or not at all. */
  public void write(Path file) throws IOException {
    AtomicFile.write(file, out -> out.write(bytes));
  }

  /** Returns an address that holds the image itself, for pages. */
  String dataUri() {
    return "data:image/png;base64," + Base64.getEncoder().encodeToString(bytes);
  }
}
