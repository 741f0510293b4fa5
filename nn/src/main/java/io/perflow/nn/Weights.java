package io.perflow.nn;

import io.perflow.tensor.NonFinite;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.FileFormatException;
import io.perflow.tensor.io.SafeTensors;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The parameters and buffers of a layer in a safetensors file, under their dotted names: the file
 * that {@code safetensors.torch.save_file(net.state_dict(), path)} writes for the same network.
 */
public final class Weights {
  /** Names that contain this are not weights but additions of a {@link Checkpoint}. */
  static final String SEPARATOR = "/";

  /** The counts of batches in PyTorch's batch norms, which are not needed here. */
  private static final String IGNORED = "num_batches_tracked";

  /** The largest number of names in a message; a file of another network would list hundreds. */
  private static final int SHOWN = 5;

  private Weights() {}

  /** Writes a file, complete or not at all. */
  public static void save(Path file, Layer layer, Map<String, String> metadata) throws IOException {
    save(file, layer, Map.of(), metadata);
  }

  /**
   * Writes a file with the weights and further tensors, complete or not at all.
   *
   * @param more further tensors, whose names must contain a slash, which no weight's name does;
   *     {@link #load} skips them
   */
  public static void save(
      Path file, Layer layer, Map<String, Tensor> more, Map<String, String> metadata)
      throws IOException {
    SafeTensors.write(file, finite(file, joined(layer, more)), FormatVersion.stamped(metadata));
  }

  /**
   * Writes a file in half precision, for distribution, complete or not at all; F64 tensors are
   * written as they are.
   */
  public static void saveHalf(
      Path file, Layer layer, Map<String, Tensor> more, Map<String, String> metadata)
      throws IOException {
    SafeTensors.writeHalf(file, finite(file, joined(layer, more)), FormatVersion.stamped(metadata));
  }

  private static Map<String, Tensor> joined(Layer layer, Map<String, Tensor> more) {
    Map<String, Tensor> all = tensors(layer);
    for (Map.Entry<String, Tensor> tensor : more.entrySet()) {
      if (!tensor.getKey().contains(SEPARATOR)) {
        throw new IllegalArgumentException(
            "[weights] '%s' could be a weight; the names of other tensors must contain a slash"
                .formatted(tensor.getKey()));
      }
      all.put(tensor.getKey(), tensor.getValue());
    }
    return all;
  }

  // Otherwise, programs that load the file would silently use numbers that are not finite.
  private static Map<String, Tensor> finite(Path file, Map<String, Tensor> tensors) {
    requireFinite(file, tensors);
    return tensors;
  }

  /** Refuses to write tensors with numbers that are not finite. */
  static void requireFinite(Path file, Map<String, Tensor> tensors) {
    tensors.forEach(
        (name, tensor) -> {
          NonFinite.in(tensor)
              .ifPresent(
                  found -> {
                    throw new IllegalArgumentException(
                        ("[weights] %s is not written: %s holds %s; the training has diverged:"
                                + " lower the learning rate")
                            .formatted(file, name, found));
                  });
        });
  }

  /** Loads a tensor and refuses numbers that are not finite. */
  static Tensor finite(SafeTensors open, Path file, String name) throws IOException {
    Tensor tensor = open.load(name);
    Optional<String> odd = NonFinite.in(tensor);
    if (odd.isPresent()) {
      throw new FileFormatException(
          file.toString(),
          name,
          "holds %s; take an earlier file, or train again".formatted(odd.get()));
    }
    return tensor;
  }

  static Map<String, Tensor> tensors(Layer layer) {
    Map<String, Tensor> tensors = new LinkedHashMap<>();
    layer.state().forEach((name, parameter) -> tensors.put(name, parameter.value()));
    return tensors;
  }

  /**
   * Overwrites all parameters and buffers, or none when something is wrong; from a checkpoint it
   * reads the weights. Waits until no other thread {@linkplain Layer#hold holds} the network, so
   * that a sample is drawn with the same weights from beginning to end.
   *
   * @throws FileFormatException when the file is damaged, of a later format, or holds numbers that
   *     are not finite
   * @throws IllegalArgumentException listing every name that is missing from the file, every name
   *     that the layer does not have, and every shape that differs
   * @throws IllegalStateException when the calling thread itself holds the network
   */
  public static void load(Path file, Layer layer) throws IOException {
    try (SafeTensors open = SafeTensors.read(file)) {
      load(open, file, layer);
    }
  }

  static void load(SafeTensors file, Path path, Layer layer) throws IOException {
    FormatVersion.check(path, file.metadata());
    Map<String, Parameter> state = layer.state();
    check(file, path, state);
    try (Scope _ = Scope.open()) {
      Map<String, Tensor> read = new LinkedHashMap<>();
      for (String name : state.keySet()) {
        read.put(name, finite(file, path, name));
      }
      try (Hold _ = layer.change()) {
        state.forEach((name, parameter) -> parameter.assign(read.get(name)));
      }
    }
  }

  private static void check(SafeTensors file, Path path, Map<String, Parameter> state)
      throws IOException {
    List<String> missing = new ArrayList<>();
    List<String> shapes = new ArrayList<>();
    for (Map.Entry<String, Parameter> entry : state.entrySet()) {
      String name = entry.getKey();
      if (!file.names().contains(name)) {
        missing.add(name);
        continue;
      }
      Shape expected = entry.getValue().shape();
      Shape found = file.shape(name);
      if (!found.equals(expected)) {
        shapes.add("%s is %s, expected %s".formatted(name, found, expected));
      }
    }
    List<String> extra =
        file.names().stream()
            .filter(name -> !name.contains(SEPARATOR) && !name.endsWith(IGNORED))
            .filter(name -> !state.containsKey(name))
            .toList();
    List<String> wrong = new ArrayList<>();
    note(wrong, "missing", missing);
    note(wrong, "unknown", extra);
    note(wrong, "wrong shape", shapes);
    if (!wrong.isEmpty()) {
      throw new IllegalArgumentException(
          "[weights] %s does not fit the network: %s".formatted(path, String.join("; ", wrong)));
    }
  }

  private static void note(List<String> wrong, String what, List<String> names) {
    if (!names.isEmpty()) {
      String some = String.join(", ", names.subList(0, Math.min(SHOWN, names.size())));
      wrong.add(
          "%s (%d): %s%s".formatted(what, names.size(), some, names.size() > SHOWN ? ", …" : ""));
    }
  }
}
