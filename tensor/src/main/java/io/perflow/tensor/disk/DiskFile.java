package io.perflow.tensor.disk;

import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A file that is open for reading and writing. Positions are arguments, so that what a failed write
 * has left is written over by the next one. An interrupt does not close it, and exceptions name the
 * file. Any number of threads may use it.
 */
public final class DiskFile implements Closeable {
  private final Path name;
  private final RandomAccessFile file;

  private DiskFile(Path name, RandomAccessFile file) {
    this.name = name;
    this.file = file;
  }

  /** Opens a file, or makes an empty one. */
  public static DiskFile open(Path file) throws IOException {
    return open(file, file);
  }

  /**
   * Makes a file that must not exist.
   *
   * @param name for messages, when the user knows the file by another one
   * @throws FileAlreadyExistsException when it exists
   */
  public static DiskFile create(Path file, Path name) throws IOException {
    try {
      Disk.current().create(file);
    } catch (FileAlreadyExistsException e) {
      throw e;
    } catch (IOException e) {
      throw cannotWrite(name, e);
    }
    try {
      return open(file, name);
    } catch (IOException e) {
      try {
        Disk.current().delete(file);
      } catch (IOException again) {
        e.addSuppressed(again);
      }
      throw e;
    }
  }

  /** Opens a file that is not to be changed. */
  public static DiskFile reading(Path file) throws IOException {
    return new DiskFile(file, new RandomAccessFile(file.toFile(), "r"));
  }

  private static DiskFile open(Path file, Path name) throws IOException {
    try {
      return new DiskFile(name, Disk.current().open(file));
    } catch (IOException e) {
      throw cannotWrite(name, e);
    }
  }

  /** Says which file cannot be written, and why, in words where the system has none. */
  public static IOException cannotWrite(Path name, IOException e) {
    return new IOException("cannot write " + name + ": " + reason(e, name), e);
  }

  private static String reason(IOException e, Path name) {
    Path directory = name.toAbsolutePath().getParent();
    if (!Files.exists(directory)) {
      return "the directory " + directory + " does not exist; create it first";
    }
    if (!Files.isDirectory(directory)) {
      return directory + " is not a directory";
    }
    if (!Files.isWritable(directory)) {
      return "the directory " + directory + " is not writable";
    }
    String text = e instanceof FileSystemException f ? f.getReason() : e.getMessage();
    if (text == null) {
      return e.getClass().getSimpleName();
    }
    // the message is "path (reason)"
    return e instanceof FileNotFoundException && text.endsWith(")")
        ? text.substring(text.lastIndexOf('(') + 1, text.length() - 1)
        : text;
  }

  /**
   * Reserves the file until it is closed.
   *
   * @return whether no one else has it, in this process or in another
   * @throws IOException when the file system has no locks
   */
  public boolean lock() throws IOException {
    try {
      FileLock lock = file.getChannel().tryLock(); // ends with the file
      return lock != null;
    } catch (OverlappingFileLockException e) {
      return false;
    }
  }

  /** Returns how many bytes the file has. */
  public synchronized long length() throws IOException {
    return file.length();
  }

  /** Writes bytes from a position on. */
  public synchronized void write(long at, byte[] bytes, int from, int count) throws IOException {
    try {
      file.seek(at);
      Disk.current().write(file, bytes, from, count);
    } catch (IOException e) {
      throw cannotWrite(name, e);
    }
  }

  /** Writes bytes from a position on. */
  public void write(long at, byte[] bytes) throws IOException {
    write(at, bytes, 0, bytes.length);
  }

  /**
   * Reads bytes from a position on.
   *
   * @return how many, fewer than the array has at the end of the file
   */
  public synchronized int read(long at, byte[] bytes) throws IOException {
    file.seek(at);
    int count = 0;
    while (count < bytes.length) {
      int got = file.read(bytes, count, bytes.length - count);
      if (got < 0) {
        break;
      }
      count += got;
    }
    return count;
  }

  /** Cuts the file. */
  public synchronized void truncate(long length) throws IOException {
    try {
      Disk.current().truncate(file, length);
    } catch (IOException e) {
      throw cannotWrite(name, e);
    }
  }

  /** Returns when the contents have reached the disk. */
  public synchronized void force() throws IOException {
    try {
      Disk.current().force(file);
    } catch (IOException e) {
      throw cannotWrite(name, e);
    }
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
