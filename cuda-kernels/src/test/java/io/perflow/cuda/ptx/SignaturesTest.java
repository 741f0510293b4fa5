package io.perflow.cuda.ptx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.perflow.cuda.driver.Param;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Parameter lists as nvcc writes them. */
class SignaturesTest {
  private static final String HEAD = ".version 7.0\n.target sm_70\n.address_size 64\n";

  @Test
  void kernelsHaveTheirParametersAtTheRightPlaces() {
    Signatures read =
        Signatures.of(
            HEAD
                + """
                .visible .entry scale(
                	.param .u32 scale_param_0, // a count
                	.param .align 8 .b8 scale_param_1[24],
                	.param .f32 scale_param_2,
                	.param .u64 scale_param_3
                )
                .maxntid 256, 1, 1
                {
                	.param .b32 inner; /* .entry of no kernel */
                	ret;
                }
                .visible .entry nothing() { ret; }
                """);
    assertEquals("7.0", read.version());
    assertEquals(
        Map.of(
            "scale",
            List.of(
                new Param("scale_param_0", "u32", 4, 4, 0),
                new Param("scale_param_1", "b8", 24, 8, 8),
                new Param("scale_param_2", "f32", 4, 4, 32),
                new Param("scale_param_3", "u64", 8, 8, 40)),
            "nothing",
            List.of()),
        read.kernels());
  }

  @Test
  void brokenListIsNamedByItsLine() {
    var type =
        assertThrows(
            PtxException.class, () -> Signatures.of(HEAD + ".entry k(.param .u128 a) { ret; }"));
    assertEquals("line 4: type 'u128' is not supported", type.getMessage());
    var end = assertThrows(PtxException.class, () -> Signatures.of(HEAD + ".entry k(.param .u32"));
    assertEquals("line 4: the text ends early", end.getMessage());
  }
}
