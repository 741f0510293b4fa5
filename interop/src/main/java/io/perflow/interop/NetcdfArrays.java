package io.perflow.interop;

import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.FileFormatException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The variables of a classic NetCDF file (versions 1, 2 and 5). Coordinates of a dimension are in
 * the variable of its name; fill values mark missing numbers, and packed numbers are unpacked.
 */
final class NetcdfArrays implements ForeignArrays {
  /** The number of bytes read at a time. */
  private static final int CHUNK = 1 << 18;

  private final Path file;
  private final FileChannel channel;
  private final Contents contents;
  private final Map<String, NetcdfHeader.Variable> variables = new LinkedHashMap<>();
  private final Map<String, Optional<Coordinates>> coordinates = new HashMap<>(); // by dimension
  private final long recordBytes;

  private NetcdfArrays(Path file, FileChannel channel) throws IOException {
    this.file = file;
    this.channel = channel;
    this.contents = new Contents(file);
    List<NetcdfHeader.Variable> all = NetcdfHeader.read(file);
    this.recordBytes = NetcdfHeader.recordBytes(all);
    all.forEach(variable -> variables.put(variable.name(), variable));
    for (NetcdfHeader.Variable variable : variables.values()) {
      for (NetcdfHeader.Dimension dimension : variable.dimensions()) {
        if (!coordinates.containsKey(dimension.name())) {
          coordinates.put(dimension.name(), coordinates(dimension));
        }
      }
      if (variable.type() == NetcdfHeader.Type.TEXT) {
        contents.skip(variable.name(), "texts");
      } else {
        contents.add(describe(variable));
      }
    }
  }

  static NetcdfArrays open(Path file) throws IOException {
    FileChannel channel = FileChannel.open(file);
    try {
      return new NetcdfArrays(file, channel);
    } catch (IOException e) {
      channel.close();
      throw e;
    }
  }

  private ArrayInfo describe(NetcdfHeader.Variable variable) {
    List<DimensionInfo> dimensions = new ArrayList<>();
    for (NetcdfHeader.Dimension dimension : variable.dimensions()) {
      dimensions.add(
          new DimensionInfo(
              Optional.of(dimension.name()),
              dimension.length(),
              coordinates.get(dimension.name()),
              List.of()));
    }
    return new ArrayInfo(
        variable.name(),
        packing(variable).type(),
        dimensions,
        text(variable, "units"),
        text(variable, "long_name").or(() -> text(variable, "standard_name")));
  }

  private Optional<Coordinates> coordinates(NetcdfHeader.Dimension dimension) throws IOException {
    NetcdfHeader.Variable variable = variables.get(dimension.name());
    boolean its =
        variable != null
            && variable.rank() == 1
            && variable.type() != NetcdfHeader.Type.TEXT
            && variable.dimensions().getFirst().name().equals(dimension.name());
    if (!its || dimension.length() == 0) {
      return Optional.empty();
    }
    double[] values = load(variable.name(), 0, dimension.length()).toDoubles();
    return Optional.of(new Coordinates(variable.name(), text(variable, "units"), values));
  }

  private static Optional<String> text(NetcdfHeader.Variable variable, String name) {
    return Optional.ofNullable(variable.attributes().get(name))
        .map(NetcdfHeader.Attribute::text)
        .filter(text -> !text.isEmpty());
  }

  private static Packing packing(NetcdfHeader.Variable variable) {
    NetcdfHeader.Type type = variable.type();
    boolean real = type == NetcdfHeader.Type.FLOAT || type == NetcdfHeader.Type.DOUBLE;
    return Packing.of(
        name -> {
          NetcdfHeader.Attribute attribute = variable.attributes().get(name);
          return attribute == null ? new double[0] : attribute.numbers();
        },
        type.target(),
        real ? new double[] {Packing.UNWRITTEN} : new double[0]);
  }

  @Override
  public Contents contents() {
    return contents;
  }

  @Override
  public Tensor load(String name, int first, int count) throws IOException {
    NetcdfHeader.Variable variable = variables.get(name);
    int[] shape = variable.dimensions().stream().mapToInt(NetcdfHeader.Dimension::length).toArray();
    long begin = variable.begin();
    long entry = variable.bytes();
    if (shape.length > 0) {
      entry = variable.isRecord() ? entry : entry / shape[0];
      shape[0] = count;
    }
    Numbers numbers = Numbers.room(file, name, packing(variable), shape);
    if (!variable.isRecord()) {
      read(variable, numbers, begin + first * entry, shape.length > 0 ? count * entry : entry);
    } else {
      for (int i = 0; i < count; i++) {
        read(variable, numbers, begin + (first + i) * recordBytes, entry);
      }
    }
    return numbers.tensor(shape);
  }

  private void read(NetcdfHeader.Variable variable, Numbers numbers, long from, long bytes)
      throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate((int) Math.min(CHUNK, bytes));
    for (long done = 0; done < bytes; done += buffer.limit()) {
      buffer.clear().limit((int) Math.min(CHUNK, bytes - done));
      while (buffer.hasRemaining()) {
        if (channel.read(buffer, from + done + buffer.position()) < 0) {
          throw new FileFormatException(
              file.toString(), variable.name(), "the data ends too early; the file is truncated");
        }
      }
      buffer.flip();
      while (buffer.hasRemaining()) {
        numbers.add(variable.type().next(buffer));
      }
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
