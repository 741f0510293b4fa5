package io.perflow.tensor.disk;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * The calls of the operating system that change files. The library changes no file by other means,
 * so that a test which {@linkplain #replace replaces} the disk can let any single call fail, or end
 * the process there.
 *
 * <p>Files are not changed through channels, which an interrupt of the thread would close.
 */
public class Disk {
  private static volatile Disk current = new Disk();

  /** Creates the disk of the machine; subclasses add faults. */
  protected Disk() {}

  /** Returns the disk in use. */
  public static Disk current() {
    return current;
  }

  /** Sets the disk for the whole process and returns the previous one. For tests. */
  public static Disk replace(Disk disk) {
    Disk before = current;
    current = disk;
    return before;
  }

  /** Creates an empty file, which must not exist. */
  public void create(Path file) throws IOException {
    Files.createFile(file);
  }

  /** Creates a directory and the missing ones above it. */
  public void createDirectories(Path directory) throws IOException {
    Files.createDirectories(directory);
  }

  /** Opens a file for reading and writing, and creates an empty one if there is none. */
  public RandomAccessFile open(Path file) throws IOException {
    return new RandomAccessFile(file.toFile(), "rw");
  }

  /** Writes bytes at the file's position. */
  public void write(RandomAccessFile file, byte[] bytes, int from, int count) throws IOException {
    file.write(bytes, from, count);
  }

  /** Truncates a file. */
  public void truncate(RandomAccessFile file, long length) throws IOException {
    file.setLength(length);
  }

  /** Waits until the contents of a file have reached the disk. */
  public void force(RandomAccessFile file) throws IOException {
    file.getFD().sync();
  }

  /** Waits until the names in a directory have reached the disk. */
  public void forceDirectory(Path directory) throws IOException {
    // Only a channel can force a directory, and it would refuse an interrupted thread.
    boolean interrupted = Thread.interrupted();
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Renames a file in one step, in place of a file that may have the name. */
  public void move(Path from, Path to) throws IOException {
    Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  /** Deletes a file, if there is one. */
  public void delete(Path file) throws IOException {
    Files.deleteIfExists(file);
  }
}
