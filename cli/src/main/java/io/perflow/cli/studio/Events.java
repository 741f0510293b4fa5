package io.perflow.cli.studio;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.Json;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;

/** What a page is told of its job, in order: each event is a line of JSON. */
final class Events {
  private final OutputStream out;

  Events(OutputStream out) {
    this.out = out;
  }

  /**
   * Sends an event now.
   *
   * @throws UncheckedIOException when the page is gone
   */
  synchronized void send(String event, Map<String, Object> content) {
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("event", event);
    line.putAll(content);
    try {
      out.write((Json.write(line) + "\n").getBytes(StandardCharsets.UTF_8));
      out.flush();
    } catch (IOException e) {
      throw new UncheckedIOException("the page is gone", e);
    }
  }

  /** The numbers of a field as the page reads them: F32, little endian, in base64. */
  static String encoded(Tensor field) {
    float[] numbers = field.to(DataType.F32).toFloats();
    ByteBuffer bytes = ByteBuffer.allocate(4 * numbers.length).order(ByteOrder.LITTLE_ENDIAN);
    bytes.asFloatBuffer().put(numbers);
    return Base64.getEncoder().encodeToString(bytes.array());
  }
}
