package io.perflow.tensor.io;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.Collections;
import java.util.Enumeration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.zip.CRC32;
import java.util.zip.CheckedInputStream;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/**
 * Files that hold several arrays in NumPy's npz format: a zip archive of {@link Npy} arrays.
 *
 * <pre>{@code
 * try (Npz file = Npz.read(path)) {
 *   Tensor u = file.load("velocity");
 * }
 * Npz.write(path, Map.of("velocity", u, "pressure", p));
 * }</pre>
 *
 * <p>Arrays are read on demand; the archive must not change meanwhile. Entries may be stored or
 * deflated. An array is allocated only if its shape, the size of its entry and what the compressed
 * bytes can expand to agree, and its checksum is verified. Several threads may load at once.
 */
public final class Npz implements AutoCloseable {
  /** Deflate makes at most 258 bytes out of 2 bits. */
  private static final long MAX_EXPANSION = 1032;

  private static final String SUFFIX = ".npy";

  /** The longest text that is read. */
  private static final int MAX_TEXT = Json.MAX_LENGTH;

  private final Location at;
  private final ZipFile zip;
  private final Map<String, ZipEntry> entries;

  private Npz(Location at, ZipFile zip, Map<String, ZipEntry> entries) {
    this.at = at;
    this.zip = zip;
    this.entries = Collections.unmodifiableMap(entries);
  }

  /**
   * Opens an archive and checks its directory. Entries whose names are not those of npy arrays are
   * skipped.
   *
   * @throws FileFormatException when it is not a zip archive or its sizes are impossible
   */
  public static Npz read(Path file) throws IOException {
    Location at = Location.of(file);
    long length = Files.size(file);
    ZipFile zip = open(file, at);
    try {
      return new Npz(at, zip, directory(zip, at, length));
    } catch (IOException e) {
      zip.close();
      throw e;
    }
  }

  private static ZipFile open(Path file, Location at) throws IOException {
    try {
      return new ZipFile(file.toFile());
    } catch (ZipException | EOFException | IllegalArgumentException e) {
      throw at.error(e, "not a sound zip archive");
    }
  }

  private static Map<String, ZipEntry> directory(ZipFile zip, Location at, long length)
      throws FileFormatException {
    Map<String, ZipEntry> entries = new LinkedHashMap<>();
    long compressed = 0;
    Enumeration<? extends ZipEntry> all = zip.entries();
    while (all.hasMoreElements()) {
      ZipEntry entry = all.nextElement();
      checkSizes(entry, at.entry(entry.getName()), length);
      compressed +=
          entry.getCompressedSize(); // each is at most length, and there are few: no overflow
      if (compressed > length) {
        throw at.error(
            "the entries together claim more than the %d bytes of the file: they overlap", length);
      }
      if (entry.getName().endsWith(SUFFIX)) {
        String name = entry.getName().substring(0, entry.getName().length() - SUFFIX.length());
        if (entries.put(name, entry) != null) {
          throw at.entry(name).error("appears twice");
        }
      }
    }
    return entries;
  }

  private static void checkSizes(ZipEntry entry, Location at, long length)
      throws FileFormatException {
    long size = entry.getSize();
    long compressed = entry.getCompressedSize();
    if (size < 0 || compressed < 0 || compressed > length) {
      throw at.error("claims %d bytes, %d compressed, in a file of %d", size, compressed, length);
    }
    if (entry.getMethod() == ZipEntry.STORED && size != compressed) {
      throw at.error("is stored, but claims %d bytes and %d compressed", size, compressed);
    }
    if (size > (compressed + 1) * MAX_EXPANSION) {
      throw at.error("claims %d bytes, which %d compressed ones cannot hold", size, compressed);
    }
  }

  /** Returns the names of the arrays in the order of the archive, without {@code .npy}. */
  public Set<String> names() {
    return entries.keySet();
  }

  /** Returns the shape of the tensor that an array becomes. */
  public Shape shape(String name) throws IOException {
    return header(name).shape();
  }

  /** Returns the type of the tensor that an array becomes. */
  public DataType type(String name) throws IOException {
    return header(name).type().target();
  }

  /**
   * Describes an array without reading its numbers; it may be one that cannot be loaded.
   *
   * @throws FileFormatException when there is none of this name, or its header is damaged
   */
  public NpyInfo describe(String name) throws IOException {
    return head(name, NpyHeader::describe);
  }

  private NpyHeader header(String name) throws IOException {
    return head(name, NpyHeader::read);
  }

  private interface HeadReader<T> {
    T read(InputStream in, Location at, long length) throws IOException;
  }

  private <T> T head(String name, HeadReader<T> reader) throws IOException {
    ZipEntry entry = entry(name);
    Location here = at.entry(name);
    try (InputStream in = zip.getInputStream(entry)) {
      return reader.read(in, here, entry.getSize());
    } catch (ZipException | EOFException e) {
      throw here.error(e, "damaged");
    }
  }

  /**
   * Reads an array.
   *
   * @throws FileFormatException when there is none of this name, or it is damaged
   */
  public Tensor load(String name) throws IOException {
    ZipEntry entry = entry(name);
    Location here = at.entry(name);
    CRC32 checksum = new CRC32();
    try (InputStream in = new CheckedInputStream(zip.getInputStream(entry), checksum)) {
      Tensor tensor = Npy.read(in, here, entry.getSize());
      if (in.read() >= 0) {
        throw here.error("expands to more than the %d bytes it claims", entry.getSize());
      }
      if (checksum.getValue() != entry.getCrc()) {
        throw here.error(
            "damaged: checksum %08x, expected %08x", checksum.getValue(), entry.getCrc());
      }
      return tensor;
    } catch (ZipException | EOFException e) {
      throw here.error(e, "damaged");
    }
  }

  /** Reads all arrays, in the order of the archive. */
  public Map<String, Tensor> loadAll() throws IOException {
    Map<String, Tensor> all = new LinkedHashMap<>();
    for (String name : names()) {
      all.put(name, load(name));
    }
    return all;
  }

  /**
   * Reads a text that lies beside the arrays, such as {@code metadata.json}; NumPy shows it as
   * bytes under the same name.
   *
   * @return the text, or nothing when there is none of this name
   * @throws FileFormatException when it is damaged, too long or not UTF-8
   */
  public Optional<String> text(String name) throws IOException {
    ZipEntry entry = zip.getEntry(name);
    if (entry == null) {
      return Optional.empty();
    }
    Location here = at.entry(name);
    if (entry.getSize() > MAX_TEXT) {
      throw here.error("a text of %d bytes, at most %d are read", entry.getSize(), MAX_TEXT);
    }
    try (InputStream in = zip.getInputStream(entry)) {
      byte[] bytes = in.readNBytes((int) entry.getSize());
      CRC32 checksum = new CRC32();
      checksum.update(bytes);
      if (bytes.length < entry.getSize() || checksum.getValue() != entry.getCrc()) {
        throw here.error("damaged: %d bytes, or their checksum, are not as claimed", bytes.length);
      }
      return Optional.of(here.utf8("the text", bytes));
    } catch (ZipException | EOFException e) {
      throw here.error(e, "damaged");
    }
  }

  private ZipEntry entry(String name) throws FileFormatException {
    ZipEntry entry = entries.get(name);
    if (entry == null) {
      throw at.error(
          "has no array %s, only %s",
          FileFormatException.quote(name), FileFormatException.quote(String.join(", ", names())));
    }
    return entry;
  }

  @Override
  public void close() throws IOException {
    zip.close();
  }

  // ---- writing

  /** Writes arrays uncompressed; the file is then complete, or unchanged if writing failed. */
  public static void write(Path file, Map<String, Tensor> arrays) throws IOException {
    write(writer(file), arrays);
  }

  /** Writes arrays compressed; the file is then complete, or unchanged if writing failed. */
  public static void writeCompressed(Path file, Map<String, Tensor> arrays) throws IOException {
    write(compressedWriter(file), arrays);
  }

  private static void write(Writer opened, Map<String, Tensor> arrays) throws IOException {
    try (Writer writer = opened) {
      for (Map.Entry<String, Tensor> array : arrays.entrySet()) {
        writer.add(array.getKey(), array.getValue());
      }
      writer.commit();
    }
  }

  /** Starts an archive to which arrays are added one by one. */
  public static Writer writer(Path file) throws IOException {
    return new Writer(AtomicFile.create(file), false);
  }

  /** Starts an archive to which arrays are added one by one, compressed. */
  public static Writer compressedWriter(Path file) throws IOException {
    return new Writer(AtomicFile.create(file), true);
  }

  /**
   * A writer of an npz archive, array by array. It is made by {@link #writer} and {@link
   * #compressedWriter}.
   *
   * <pre>{@code
   * try (Npz.Writer archive = Npz.writer(path)) {
   *   archive.add("grid", grid);
   *   try (ArrayWriter samples = archive.begin("samples", DataType.F32, Shape.of(1000, 64, 64))) {
   *     …
   *     samples.commit();
   *   }
   *   archive.commit();
   * }
   * }</pre>
   *
   * <p>Without {@link #commit}, {@link #close} discards everything. The same arrays give the same
   * bytes, because entries carry no date. Use it from one thread only.
   */
  public static final class Writer implements AutoCloseable {
    /** The earliest time that a zip archive can hold, which NumPy writes too. */
    private static final LocalDateTime NO_TIME = LocalDateTime.of(1980, 1, 1, 0, 0);

    private final AtomicFile file;
    private final ZipOutputStream zip;
    private final Set<String> names = new HashSet<>();
    private boolean open; // an array in pieces has been begun but not committed

    Writer(AtomicFile file, boolean compressed) {
      this.file = file;
      this.zip = new BufferedZip(file.stream());
      // Without compression, arrays are plain blocks of a deflated entry: a stored entry would have
      // to begin with its checksum, so everything would be computed twice. With compression,
      // mantissas are close to noise: higher levels take up to three times as long to save less
      // than a tenth.
      zip.setLevel(compressed ? Deflater.BEST_SPEED : Deflater.NO_COMPRESSION);
    }

    /**
     * Adds an array.
     *
     * @throws IllegalArgumentException when the name is empty or taken
     */
    public void add(String name, Tensor x) throws IOException {
      zip.putNextEntry(entry(name));
      Npy.write(zip, x);
      zip.closeEntry();
    }

    /**
     * Adds a text beside the arrays, under its whole name, such as {@code metadata.json}.
     *
     * @throws IllegalArgumentException when the name is empty, taken or that of an array
     */
    public void addText(String name, String text) throws IOException {
      if (name.endsWith(SUFFIX)) {
        throw new IllegalArgumentException("a text cannot be named '" + name + "'");
      }
      zip.putNextEntry(named(name));
      zip.write(text.getBytes(StandardCharsets.UTF_8));
      zip.closeEntry();
    }

    /**
     * Begins an array of a known shape that is written in pieces. It must be committed before the
     * next one.
     *
     * @throws IllegalArgumentException when the name is empty or taken
     */
    public ArrayWriter begin(String name, DataType type, Shape shape) throws IOException {
      zip.putNextEntry(entry(name));
      open = true;
      return ArrayWriter.start(
          new EntrySink(), Npy.header(ElementType.of(type), shape).encode(1), type, shape);
    }

    private ZipEntry entry(String name) {
      if (name.isEmpty()) {
        throw new IllegalArgumentException("an array needs a name");
      }
      return named(name + SUFFIX);
    }

    private ZipEntry named(String name) {
      requireEnded();
      if (name.isEmpty() || !names.add(name)) {
        throw new IllegalArgumentException(
            name.isEmpty() ? "a text needs a name" : "two entries named '" + name + "'");
      }
      ZipEntry entry = new ZipEntry(name);
      entry.setTimeLocal(NO_TIME);
      return entry;
    }

    private void requireEnded() {
      if (open) {
        throw new IllegalStateException("the array that was begun last is not committed");
      }
    }

    /** Completes the archive and moves it to its name. */
    public void commit() throws IOException {
      requireEnded();
      zip.finish();
      file.commit();
    }

    @Override
    public void close() throws IOException {
      try (file) {
        zip.close(); // frees the compressor
      }
    }

    private final class EntrySink implements Sink {
      @Override
      public OutputStream stream() {
        return zip;
      }

      @Override
      public void commit() throws IOException {
        zip.closeEntry();
        open = false;
      }

      @Override
      public void close() {
        // An array that was not committed leaves the archive unable to commit.
      }
    }
  }

  /**
   * A zip stream with a larger buffer: the JDK's own has 512 bytes, each of which costs a native
   * call.
   */
  private static final class BufferedZip extends ZipOutputStream {
    BufferedZip(OutputStream out) {
      super(out);
      buf = new byte[1 << 16];
    }
  }
}
