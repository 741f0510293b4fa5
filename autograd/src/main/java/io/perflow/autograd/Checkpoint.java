package io.perflow.autograd;

import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.Backend;
import io.perflow.tensor.op.Op;
import io.perflow.tensor.op.Recorder;
import io.perflow.tensor.op.Vjp;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

/**
 * A block of a computation, as one operation that keeps only its inputs and runs the block again
 * for its gradient.
 *
 * <p>The operation's inputs are all tensors through which a gradient may leave the block, each
 * once: its arguments, at {@code positions}, and other tensors that it was observed to use.
 */
record Checkpoint(Function<Tensor[], Tensor> block, int[] positions, Shape shape) implements Op {

  static Tensor run(Function<Tensor[], Tensor> block, Tensor... inputs) {
    Recorder recorder = Recorder.current();
    if (!(recorder instanceof Tracker tracker) || recorder instanceof Captures) {
      return block.apply(inputs.clone());
    }
    Captures captures = new Captures(tracker);
    int[] positions = new int[inputs.length];
    for (int i = 0; i < inputs.length; i++) {
      positions[i] = captures.position(inputs[i]);
    }
    Tensor result;
    try (Scope scope = Scope.open()) {
      Recorder.install(captures);
      try {
        result = scope.keep(block.apply(inputs.clone()));
      } finally {
        Recorder.install(recorder);
      }
    }
    if (tracker.tracks(result)) {
      result =
          result.view(result.layout()); // an input returned as it is: the result is another tensor
    }
    Op op = new Checkpoint(block, positions, result.shape());
    recorder.record(op, captures.all(), Op.only(result));
    return result;
  }

  @Override
  public String name() {
    return "checkpoint";
  }

  @Override
  public Shape outputShape(Tensor... inputs) {
    return shape;
  }

  @Override
  public Tensor[] forward(Backend backend, Tensor... inputs) {
    return Op.only(block.apply(handed(inputs)));
  }

  private Tensor[] handed(Tensor... inputs) {
    return Arrays.stream(positions).mapToObj(p -> inputs[p]).toArray(Tensor[]::new);
  }

  @Override
  public Tensor[] vjp(Vjp v) {
    Tensor[] inputs = new Tensor[v.count()];
    List<Tensor> leaves = new ArrayList<>();
    for (int i = 0; i < inputs.length; i++) {
      inputs[i] = v.input(i);
      if (v.needs(i)) {
        leaves.add(inputs[i]);
      }
    }
    try (Tape tape = Tape.watching(leaves)) {
      Tensor output = block.apply(handed(inputs));
      Tensor[] result = new Tensor[inputs.length];
      if (!tape.follows(output)) {
        return result; // the block ignores its arguments
      }
      Gradients gradients = tape.gradients(output, v.grad());
      for (int i = 0; i < inputs.length; i++) {
        result[i] = v.needs(i) ? gradients.of(inputs[i]) : null;
      }
      return result;
    }
  }

  /**
   * A recorder that notes, in the first run of a block, the tensors through which a gradient may
   * leave it.
   */
  private static final class Captures implements Tracker {
    private final Tracker enclosing;
    private final ArrayList<Tensor> tensors = new ArrayList<>();

    Captures(Tracker enclosing) {
      this.enclosing = enclosing;
    }

    /** Returns the place of a tensor in the list, which is the end if it is new. */
    int position(Tensor tensor) {
      for (int i = 0; i < tensors.size(); i++) {
        if (tensors.get(i) == tensor) {
          return i;
        }
      }
      tensors.add(tensor);
      return tensors.size() - 1;
    }

    Tensor[] all() {
      return tensors.toArray(Tensor[]::new);
    }

    @Override
    public void record(Op op, Tensor[] inputs, Tensor[] outputs) {
      for (Tensor input : inputs) {
        if (enclosing.tracks(input)) {
          position(input);
        }
      }
    }

    @Override
    public boolean tracks(Tensor tensor) {
      return enclosing.tracks(tensor);
    }
  }
}
