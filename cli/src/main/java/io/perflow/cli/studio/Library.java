package io.perflow.cli.studio;

import io.perflow.cli.Model;
import io.perflow.tensor.Device;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ref.SoftReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The models that a page can choose from. A model is loaded when it is chosen first. */
public final class Library {
  private final Map<String, Path> models;
  private final List<Path> data;
  private final Device device;
  // A prior in memory may have hundreds of megabytes: those not in use may go.
  private final Map<String, SoftReference<Opened>> opened = new HashMap<>();
  private String latestName = "";
  private Opened latest;

  private Library(Map<String, Path> models, List<Path> data, Device device) {
    this.models = models;
    this.data = List.copyOf(data);
    this.device = device;
  }

  /**
   * A library.
   *
   * @param chosen models that a person named, which come first
   * @param directory of further models, the smallest one first; may not exist
   * @param data data sets whose fields can be read
   * @param device what networks run on
   * @throws IllegalArgumentException when there is no model
   */
  public static Library of(List<Path> chosen, Path directory, List<Path> data, Device device)
      throws IOException {
    List<Path> files = new ArrayList<>(chosen);
    if (Files.isDirectory(directory)) {
      try (Stream<Path> found = Files.list(directory)) {
        found
            .filter(file -> file.toString().endsWith(".safetensors"))
            .sorted(Comparator.comparingLong(Library::bytes).thenComparing(Path::toString))
            .forEach(files::add);
      }
    }
    Map<String, Path> models = new LinkedHashMap<>();
    for (Path file : files) {
      models.putIfAbsent(file.toString(), file);
    }
    if (models.isEmpty()) {
      throw new IllegalArgumentException(
          "there is no model in %s; name one: --model FILE".formatted(directory));
    }
    return new Library(models, data, device);
  }

  private static long bytes(Path file) {
    try {
      return Files.isDirectory(file) ? 0 : Files.size(file);
    } catch (IOException e) {
      throw new UncheckedIOException(file + " cannot be read", e);
    }
  }

  /** For the page: names and sizes, in the order of the list. */
  List<Object> toJson() {
    List<Object> list = new ArrayList<>();
    models.forEach(
        (name, file) -> {
          Map<String, Object> entry = new LinkedHashMap<>();
          entry.put("id", name);
          entry.put("name", file.getFileName().toString().replaceFirst("\\.safetensors$", ""));
          entry.put("bytes", bytes(file));
          list.add(entry);
        });
    return list;
  }

  Device device() {
    return device;
  }

  /** A model by its name. */
  synchronized Opened open(String name) throws IOException {
    Path file = models.get(name);
    if (file == null) {
      throw new IllegalArgumentException(
          "there is no model '%s'; there are %s".formatted(name, models.keySet()));
    }
    if (!name.equals(latestName)) {
      SoftReference<Opened> known = opened.get(name);
      Opened found = known == null ? null : known.get();
      latest = null; // so that its memory can be had for the next one
      latestName = "";
      latest = found == null ? Opened.of(Model.load(file), data) : found;
      latestName = name;
      opened.put(name, new SoftReference<>(latest));
    }
    return latest;
  }
}
