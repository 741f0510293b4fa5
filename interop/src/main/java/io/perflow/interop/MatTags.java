package io.perflow.interop;

import io.perflow.tensor.io.FileFormatException;
import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.InflaterInputStream;
import java.util.zip.ZipException;

/**
 * A check of the lengths in a MATLAB 5 file against each other, before a library that trusts them
 * reads it.
 *
 * <p>After a header of 128 bytes comes one element for each array: a tag (type and length), then
 * the array, perhaps deflated. An array is a sequence of such elements again, padded to eight
 * bytes: flags, extents, name and numbers. Elements of up to four bytes have their length in the
 * upper half of the type and their data in the place of the length.
 */
final class MatTags {
  private static final int HEADER = 128;
  private static final int MATRIX = 14;
  private static final int COMPRESSED = 15;

  /**
   * The number of elements of an array before its content: flags, extents, name; the next one holds
   * the numbers.
   */
  private static final int HEAD = 3;

  /** The longest such element that is accepted: 64 extents have 256 bytes, a name has fewer. */
  private static final int MAX_HEAD = 1 << 12;

  private final Path file;
  private final ByteOrder order;

  private MatTags(Path file, ByteOrder order) {
    this.file = file;
    this.order = order;
  }

  /** A type and a length; {@code small} when the data is within the tag. */
  private record Tag(int type, long length, boolean small) {}

  /**
   * Checks the elements of a file.
   *
   * @throws FileFormatException when an element is longer than the one that contains it
   */
  static void check(Path file) throws IOException {
    long left = Files.size(file) - HEADER;
    try (InputStream in = new BufferedInputStream(Files.newInputStream(file))) {
      byte[] header = in.readNBytes(HEADER);
      boolean little = header.length == HEADER && header[HEADER - 2] == 'I';
      MatTags tags = new MatTags(file, little ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
      while (left > 0) {
        Tag tag = tags.tag(in);
        left -= 8;
        tags.require(tag.length() <= left, tag.length(), left);
        byte[] start = in.readNBytes((int) Math.min(tag.length(), 4 * (8 + MAX_HEAD)));
        InputStream content = new ByteArrayInputStream(start);
        if (tag.type() == MATRIX) {
          tags.array(content, tag.length());
        } else if (tag.type() == COMPRESSED) {
          tags.compressed(new InflaterInputStream(content));
        }
        in.skipNBytes(tag.length() - start.length);
        left -= tag.length();
      }
    } catch (EOFException | ZipException e) {
      throw new FileFormatException(
          file.toString(), null, "not a sound MATLAB file: it ends too early or is damaged", e);
    }
  }

  private void compressed(InputStream in) throws IOException {
    Tag tag = tag(in);
    if (tag.type() == MATRIX) {
      array(in, tag.length());
    }
  }

  private void array(InputStream in, long length) throws IOException {
    long left = length;
    for (int i = 0; i <= HEAD && left >= 8; i++) {
      Tag tag = tag(in);
      left -= 8;
      long most = i < HEAD ? Math.min(left, MAX_HEAD) : left;
      require(tag.small() || tag.length() <= most, tag.length(), most);
      if (i < HEAD && !tag.small()) {
        long padded = Math.min((tag.length() + 7) / 8 * 8, left);
        in.skipNBytes(padded);
        left -= padded;
      }
    }
  }

  private Tag tag(InputStream in) throws IOException {
    byte[] bytes = in.readNBytes(8);
    if (bytes.length < 8) {
      throw new EOFException();
    }
    ByteBuffer buffer = ByteBuffer.wrap(bytes).order(order);
    int type = buffer.getInt();
    return type >>> 16 != 0
        ? new Tag(type & 0xffff, type >>> 16, true)
        : new Tag(type, Integer.toUnsignedLong(buffer.getInt()), false);
  }

  private void require(boolean fits, long length, long most) throws FileFormatException {
    if (!fits) {
      throw new FileFormatException(
          file.toString(),
          null,
          "not a sound MATLAB file: an element has %d bytes where %d are left"
              .formatted(length, most));
    }
  }
}
