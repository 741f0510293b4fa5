package io.perflow.nn.onnx;

import io.perflow.tensor.io.ProtoMessage;

/** A named setting of a node, {@code AttributeProto}. */
final class Attribute {
  private static final int NAME = 1;
  private static final int FLOAT = 2;
  private static final int INT = 3;
  private static final int STRING = 4;
  private static final int INTS = 8;
  private static final int TYPE = 20;

  private final ProtoMessage message;

  private Attribute(String name, int type) {
    message = new ProtoMessage().text(NAME, name).integer(TYPE, type);
  }

  static Attribute number(String name, double value) {
    Attribute attribute = new Attribute(name, 1);
    attribute.message.number(FLOAT, (float) value);
    return attribute;
  }

  static Attribute integer(String name, long value) {
    Attribute attribute = new Attribute(name, 2);
    attribute.message.integer(INT, value);
    return attribute;
  }

  static Attribute text(String name, String value) {
    Attribute attribute = new Attribute(name, 3);
    attribute.message.text(STRING, value);
    return attribute;
  }

  static Attribute integers(String name, int... values) {
    Attribute attribute = new Attribute(name, 7);
    for (int value : values) {
      attribute.message.integer(INTS, value);
    }
    return attribute;
  }

  ProtoMessage message() {
    return message;
  }
}
