package io.perflow.nn.distributed;

import java.util.ArrayList;
import java.util.List;

/**
 * The plan that deals the virtual shards of every batch out to ranks. What a shard computes depends
 * on its number alone, and sums over shards are taken in the order of one fixed tree, so results do
 * not depend on the number of ranks.
 *
 * <p>The tree joins neighbours: shards 0 and 1, 2 and 3, then these pairs, and so on. A rank can
 * add up those of its shards that are a subtree, a {@link Block}, and sends the sums of its blocks.
 * Ranks send the least when the shards of each are one block, so choose a number of shards that is
 * the number of ranks times a power of two.
 *
 * @param shards the number of parts of a batch
 * @param ranks the number of ranks that share them
 */
public record ShardPlan(int shards, int ranks) {
  /**
   * A number of consecutive shards that form a subtree.
   *
   * @param first the first shard
   * @param count the number of shards, a power of two
   */
  public record Block(int first, int count) {
    int end() {
      return first + count;
    }

    // Returns the left half of a larger block, if the right half follows.
    boolean joins(Block next) {
      return next.first == end() && next.count == count && first % (2 * count) == 0;
    }

    Block join(Block next) {
      return new Block(first, count + next.count);
    }
  }

  /** Checks the ranges. */
  public ShardPlan {
    if (shards < 1 || ranks < 1) {
      throw new IllegalArgumentException(
          "[shards] %d shards for %d ranks: at least 1 each".formatted(shards, ranks));
    }
  }

  /** Returns the first shard of a rank. */
  public int first(int rank) {
    return (int) ((long) shards * rank / ranks);
  }

  /** Returns the shard after the last one of a rank. */
  public int end(int rank) {
    return first(rank + 1);
  }

  /** Returns the rank that computes a shard. */
  public int owner(int shard) {
    int rank = (int) ((long) shard * ranks / shards);
    while (end(rank) <= shard) {
      rank++;
    }
    return rank;
  }

  /** Returns the fewest blocks that make up the shards of a rank, in their order. */
  public List<Block> blocks(int rank) {
    List<Block> blocks = new ArrayList<>();
    for (int at = first(rank); at < end(rank); ) {
      int count = Integer.highestOneBit(end(rank) - at);
      int aligned = at == 0 ? count : Math.min(count, Integer.lowestOneBit(at));
      blocks.add(new Block(at, aligned));
      at += aligned;
    }
    return blocks;
  }

  /**
   * Returns whether every rank has one block, all of one size, and the tree over ranks is balanced.
   */
  boolean balanced() {
    int each = shards / ranks;
    return Integer.bitCount(ranks) == 1 && shards % ranks == 0 && Integer.bitCount(each) == 1;
  }
}
