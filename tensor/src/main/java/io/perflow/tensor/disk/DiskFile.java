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
 * A file that is open for reading and writing. Positions are arguments, so that the next write
 * overwrites what a failed one has left. An interrupt does not close it, and exceptions name the
 * file. Any number of threads may use it.
 */
public final class DiskFile implements Closeable {
  private final Path name;
  private final RandomAccessFile file;

  private DiskFile(Path name, RandomAccessFile file) {
    this.name = name;
    this.file = file;
  }

  /** Opens a file, or creates an empty one. */
  public static DiskFile open(Path file) throws IOException {
    return open(file, file);
  }

  /**
   * Creates a file that must not exist.
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

  /** Opens a file for reading only. */
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

  /**
   * Returns an exception that says which file cannot be written and why, in words where the system
   * gives none.
   */
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
    // The message has the form "path (reason)".
    return e instanceof FileNotFoundException && text.endsWith(")")
        ? text.substring(text.lastIndexOf('(') + 1, text.length() - 1)
        : text;
  }

  /**
   * Locks the file until it is closed.
   *
   * @return false when another thread or process has locked it
   * @throws IOException when the file system has no locks
   */
  public boolean lock() throws IOException {
    try {
      FileLock lock = file.getChannel().tryLock(); // ends when the file is closed
      return lock != null;
    } catch (OverlappingFileLockException e) {
      return false;
    }
  }

  /** Returns the length of the file in bytes. */
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
   * @return the number of bytes read, which at the end of the file is less than the array's length
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

  /** Truncates the file. */
  public synchronized void truncate(long length) throws IOException {
    try {
      Disk.current().truncate(file, length);
    } catch (IOException e) {
      throw cannotWrite(name, e);
    }
  }

  /** Waits until the contents have reached the disk. */
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
