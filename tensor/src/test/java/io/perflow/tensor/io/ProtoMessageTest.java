package io.perflow.tensor.io;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** The examples of the documentation of protocol buffers' encoding. */
class ProtoMessageTest {
  private static String hex(ProtoMessage message) {
    assertEquals(message.size(), message.toBytes().length);
    return HexFormat.of().formatHex(message.toBytes());
  }

  @Test
  void fieldsAreEncodedAsPublished() {
    assertEquals("089601", hex(new ProtoMessage().integer(1, 150)));
    assertEquals("10feffffffffffffffff01", hex(new ProtoMessage().integer(2, -2)));
    assertEquals("120774657374696e67", hex(new ProtoMessage().text(2, "testing")));
    assertEquals("150000803f", hex(new ProtoMessage().number(2, 1f)));
    assertEquals("11000000000000f03f", hex(new ProtoMessage().number(2, 1.0)));
  }

  @Test
  void messagesNestAndKeepTheirOrder() {
    ProtoMessage inner = new ProtoMessage().integer(1, 150);
    ProtoMessage outer = new ProtoMessage().integer(9, 1).message(3, inner).text(4, "x");
    assertEquals("48011a03089601220178", hex(outer));
    assertEquals("0a0a48011a03089601220178", hex(new ProtoMessage().message(1, outer)));
  }

  @Test
  void contentsAreMadeWhenTheMessageIsWritten() {
    byte[] late = new byte[3];
    ProtoMessage message = new ProtoMessage().bytes(1, late.length, out -> out.write(late));
    late[1] = 7;
    assertEquals("0a03000700", hex(message));
  }
}
