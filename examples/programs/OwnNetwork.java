// A layer and a training loop of your own: a small convolutional network reads the radius of a
// disc from a noisy picture. The lines come in the order of a PyTorch program.

import io.perflow.autograd.Tape;
import io.perflow.nn.*;
import io.perflow.nn.optim.*;
import io.perflow.tensor.*;

/** Convolution, norm and activation, with the input added where the widths agree. */
final class Block extends UnaryLayer {
  private final Conv2d conv;
  private final GroupNorm norm;

  Block(int in, int out, int stride, Rng rng) {
    conv = child("conv", Conv2d.of(in, out, 3).stride(stride).padding(1).build(rng.split("conv")));
    norm = child("norm", GroupNorm.silu(4, out));
  }

  protected Tensor forward(Tensor x) {
    Tensor y = norm.apply(conv.apply(x));
    return y.shape().equals(x.shape()) ? x.add(y) : y;
  }
}

/** From pictures (n, 1, 16, 16) to radii (n, 1). */
final class Radius extends UnaryLayer {
  private final Block down;
  private final Block mix;
  private final Linear head;

  Radius(Rng rng) {
    down = child("down", new Block(1, 16, 2, rng.split("down")));
    mix = child("mix", new Block(16, 16, 1, rng.split("mix")));
    head = child("head", Linear.of(16, 1).build(rng.split("head")));
  }

  protected Tensor forward(Tensor x) {
    return head.apply(mix.apply(down.apply(x)).mean(2, 3));
  }
}

record Batch(Tensor pictures, Tensor radii) {
  static Batch draw(int n, Rng rng) {
    float[] pixels = new float[n * 256];
    float[] radii = new float[n];
    double[] u = rng.split("place").uniform(Device.cpu(), Shape.of(n, 3), DataType.F64).toDoubles();
    for (int i = 0; i < n; i++) {
      radii[i] = (float) (2 + 4 * u[3 * i]);
      double y = 6 + 4 * u[3 * i + 1];
      double x = 6 + 4 * u[3 * i + 2];
      for (int p = 0; p < 256; p++) {
        pixels[256 * i + p] = Math.hypot(p / 16 - y, p % 16 - x) < radii[i] ? 1 : 0;
      }
    }
    Tensor noise = rng.split("noise").normal(Shape.of(n, 1, 16, 16)).mul(0.3);
    return new Batch(Tensor.of(pixels, n, 1, 16, 16).add(noise), Tensor.of(radii, n, 1));
  }
}

void main() {
  Rng rng = Rng.of(1);
  Radius net = new Radius(rng.split("net"));
  Optimizer optimizer = AdamW.of(3e-3).build(net.parameters());
  Batch test = Batch.draw(256, rng.split("test"));
  for (int step = 0; step <= 300; step++) {
    try (Scope scope = Scope.open()) { // memory of a step goes back at its end
      if (step % 100 == 0) {
        double error = Loss.meanAbsoluteError(net.apply(test.pictures()), test.radii()).item();
        IO.println("step %3d: mean error of the radius %.2f pixels".formatted(step, error));
      }
      Batch batch = Batch.draw(32, rng.split("step " + step));
      try (Tape tape = Tape.watching(net.values())) { // records, as PyTorch does by default
        Tensor loss = Loss.meanSquaredError(net.apply(batch.pictures()), batch.radii());
        optimizer.step(tape.gradients(loss)); // backward() and step() in one
      }
    }
  }
}

// Output:
// step   0: mean error of the radius 3.81 pixels
// step 100: mean error of the radius 0.77 pixels
// step 200: mean error of the radius 0.25 pixels
// step 300: mean error of the radius 0.14 pixels
