package io.perflow.tensor;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.fixtures.OpCase;
import io.perflow.fixtures.OpCases;
import io.perflow.fixtures.Threads;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tensors that many threads use at once. */
class SharedTensorsTest {
  private static List<double[]> results(List<OpCase> cases) {
    List<double[]> results = new ArrayList<>();
    try (Scope _ = Scope.open()) { // its memory goes to the next one, perhaps of another thread
      for (OpCase test : cases) {
        results.add(test.op().apply(test.inputs()).toDoubles());
      }
    }
    return results;
  }

  @ParameterizedTest
  @EnumSource
  void everyOperationGivesTheBitsOfOneThread(Threads threads) throws Exception {
    List<OpCase> cases = new ArrayList<>();
    for (OpCase test : OpCases.all()) {
      cases.add(test);
      cases.add(test.map(x -> x.to(DataType.F32)));
    }
    List<List<double[]>> found = threads.all(2 * Threads.COUNT, _ -> results(cases));
    List<double[]> expected = results(cases);
    for (List<double[]> one : found) {
      for (int i = 0; i < cases.size(); i++) {
        assertArrayEquals(expected.get(i), one.get(i), cases.get(i).op()::name);
      }
    }
  }

  @Test
  void aScopeIsClosedByItsThreadAlone() {
    try (Scope scope = Scope.open();
        ExecutorService threads = Threads.PLATFORM.open()) {
      var e =
          assertThrows(ExecutionException.class, () -> threads.submit(scope::close).get())
              .getCause();
      assertTrue(e.getMessage().startsWith("this scope belongs to thread "), e.getMessage());
    }
  }
}
