package io.perflow.cuda.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.fail;

import org.junit.jupiter.api.Test;

/** A library that is not there is told in one line, before its binding is touched. */
class NvidiaLibraryTest {
  @Test
  void absentLibraryIsNamed() {
    var library = new NvidiaLibrary("cuNone", "libcunone.so.1", "jcunone", "sums");
    var e =
        assertThrows(
            IllegalStateException.class, () -> library.open(() -> fail("the binding was touched")));
    assertEquals(
        "[cuda] cuNone is not installed: libcunone.so.1 cannot be opened; sums stay with our own"
            + " kernels",
        e.getMessage());
  }

  @Test
  void absentNativesOfTheBindingAreNamed() {
    var library = new NvidiaLibrary("the C library", "libc.so.6", "jcunone", "sums");
    var e =
        assertThrows(
            IllegalStateException.class,
            () ->
                library.open(
                    () -> {
                      throw new UnsatisfiedLinkError("no natives");
                    }));
    assertEquals(
        "[cuda] jcunone cannot load its native library; add the jcunone-natives artifact with the"
            + " classifier of this platform",
        e.getMessage());
  }
}
