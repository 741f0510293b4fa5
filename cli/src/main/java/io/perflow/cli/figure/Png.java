package io.perflow.cli.figure;

import io.perflow.tensor.io.AtomicFile;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Base64;
import javax.imageio.ImageIO;
import javax.imageio.stream.MemoryCacheImageOutputStream;

/** A finished image in the PNG format. */
public final class Png {
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

  /** The bytes of the file. */
  public byte[] bytes() {
    return bytes.clone();
  }

  /** Pixels across. */
  public int width() {
    return width;
  }

  /** Pixels down. */
  public int height() {
    return height;
  }

  /** Writes the file, complete or not at all. */
  public void write(Path file) throws IOException {
    AtomicFile.write(file, out -> out.write(bytes));
  }

  /** An address that holds the image itself, for pages. */
  String dataUri() {
    return "data:image/png;base64," + Base64.getEncoder().encodeToString(bytes);
  }
}
