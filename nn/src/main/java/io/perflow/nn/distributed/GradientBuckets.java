package io.perflow.nn.distributed;

import io.perflow.nn.Parameter;
import io.perflow.nn.distributed.ShardPlan.Block;
import io.perflow.tensor.Device;
import io.perflow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BiConsumer;
import java.util.function.UnaryOperator;

/**
 * The mean of the gradients of all shards of a batch, for every rank. Parameters lie in buckets,
 * the last layers first, because their gradients are computed first. A bucket travels as soon as a
 * rank's last shard has filled it, while the reverse pass goes on.
 *
 * <pre>{@code
 * for (int shard = plan.first(rank); shard < plan.end(rank); shard++) {
 *   tape.gradients(loss(shard), buckets.shard(shard));
 * }
 * optimizer.step(buckets.mean());
 * }</pre>
 */
public final class GradientBuckets implements AutoCloseable {
  private static final int BUCKET = 1 << 20; // numbers: 4 MB

  private final Collective gang;
  private final ShardPlan plan;
  private final List<Parameter> parameters;
  private final List<Bucket> buckets = new ArrayList<>();
  private final ExecutorService travel;
  private Map<Tensor, Slot> slots = Map.of();
  private int shard = -1;
  private int sent; // buckets on their way

  /** The place of a parameter's gradient. */
  private record Slot(Bucket bucket, int index, int offset, int size) {}

  /** The gradients of some parameters. */
  private static final class Bucket {
    final List<Parameter> parameters = new ArrayList<>();
    final OrderedSum sum = new OrderedSum();
    int length;
    float[] result; // null before the sum
    float[] filling; // the current shard's gradients; null once the bucket is complete
    boolean[] filled;
    int missing;
    Future<?> journey;

    void begin() {
      filling = sum.room(length);
      filled = new boolean[parameters.size()];
      missing = parameters.size();
    }

    // keeps the arrays for the next step
    void end() {
      if (!sum.blocks().contains(result)) {
        sum.keep(result);
      }
      sum.clear();
      result = null;
    }
  }

  /** Creates buckets for some parameters. */
  public GradientBuckets(Collection<Parameter> parameters, Collective gang, ShardPlan plan) {
    this.gang = gang;
    this.plan = plan;
    this.parameters = new ArrayList<>(parameters).reversed();
    travel =
        Executors.newSingleThreadExecutor(
            Thread.ofPlatform().name("gradients-of-rank-" + gang.rank()).daemon().factory());
    Bucket last = null;
    for (Parameter parameter : this.parameters) {
      if (last == null || last.length + parameter.size() > BUCKET) {
        last = new Bucket();
        buckets.add(last);
      }
      last.parameters.add(parameter);
      last.length += parameter.size();
    }
  }

  /**
   * Begins a shard of this rank; the returned function receives its gradients as they are computed.
   */
  public BiConsumer<Tensor, Tensor> shard(int number) {
    endShard();
    if (number == plan.first(gang.rank())) {
      beginStep();
    }
    shard = number;
    buckets.forEach(Bucket::begin);
    return this::found;
  }

  // Averages of weights take the parameters' places between steps, so the tensors are looked up
  // anew.
  private void beginStep() {
    sent = 0;
    slots = new IdentityHashMap<>();
    for (Bucket bucket : buckets) {
      int offset = 0;
      for (int i = 0; i < bucket.parameters.size(); i++) {
        Parameter parameter = bucket.parameters.get(i);
        slots.put(parameter.value(), new Slot(bucket, i, offset, parameter.size()));
        offset += parameter.size();
      }
    }
  }

  private void found(Tensor value, Tensor gradient) {
    Slot slot = slots.get(value);
    gradient.device().backend().memory().toFloats(gradient, slot.bucket.filling, slot.offset);
    fill(slot);
  }

  private void fill(Slot slot) {
    Bucket bucket = slot.bucket;
    bucket.filled[slot.index] = true;
    if (--bucket.missing == 0) {
      bucket.sum.add(new Block(shard, 1), bucket.filling);
      bucket.filling = null;
      if (shard == plan.end(gang.rank()) - 1) {
        send();
      }
    }
  }

  // All ranks use the same order.
  private void send() {
    while (sent < buckets.size() && buckets.get(sent).filling == null) {
      Bucket bucket = buckets.get(sent++);
      bucket.journey = travel.submit(() -> travel(bucket));
    }
  }

  private void travel(Bucket bucket) {
    // the only block of a rank is also the place for the sum
    List<float[]> blocks = bucket.sum.blocks();
    bucket.result = blocks.size() == 1 ? blocks.getFirst() : bucket.sum.room(bucket.length);
    gang.allReduce(plan, bucket.sum, bucket.result);
    float share = 1f / plan.shards();
    for (int i = 0; i < bucket.length; i++) {
      bucket.result[i] *= share;
    }
  }

  // A parameter on which the loss does not depend has no gradient.
  private void endShard() {
    if (shard < 0) {
      return;
    }
    for (Slot slot : slots.values()) {
      if (!slot.bucket.filled[slot.index]) {
        Arrays.fill(slot.bucket.filling, slot.offset, slot.offset + slot.size, 0);
        fill(slot);
      }
    }
    shard = -1;
  }

  /**
   * Returns the mean over all shards of all ranks, by parameter value; waits for what is on its
   * way. The tensors are on the parameters' device and belong to the thread's scope.
   *
   * @throws RankLostException when a rank does not send its part
   */
  public UnaryOperator<Tensor> mean() {
    endShard();
    if (plan.first(gang.rank()) == plan.end(gang.rank())) {
      beginStep(); // a rank without shards, which takes part nevertheless
    }
    send();
    Device device = parameters.getFirst().value().device();
    Map<Bucket, Tensor> means = new IdentityHashMap<>();
    for (Bucket bucket : buckets) {
      await(bucket.journey);
      means.put(bucket, Tensor.of(bucket.result, bucket.length).to(device));
      bucket.end();
    }
    Map<Tensor, Slot> found = slots;
    return value -> {
      Slot slot = found.get(value);
      Tensor part = means.get(slot.bucket).slice(0, slot.offset, slot.offset + slot.size);
      return part.reshape(value.shape());
    };
  }

  private static void await(Future<?> journey) {
    try {
      journey.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RankLostException(RankLostException.THIS, "this rank was interrupted");
    } catch (ExecutionException e) {
      switch (e.getCause()) {
        case RuntimeException cause -> throw cause;
        case Error cause -> throw cause;
        default -> throw new IllegalStateException(e.getCause());
      }
    }
  }

  /** Abandons the buckets that are on their way. */
  @Override
  public void close() {
    travel.shutdownNow();
  }
}
