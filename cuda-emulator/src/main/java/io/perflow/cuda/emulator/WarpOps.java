package io.perflow.cuda.emulator;

import io.perflow.cuda.emulator.ptx.Instruction;
import io.perflow.cuda.emulator.ptx.Operand;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.IntBinaryOperator;

/** Shuffles, votes, matches, reductions and barriers of a warp. */
final class WarpOps {
  private static final int LANES = Clock.WARP;

  private WarpOps() {}

  /** Returns the operation of an instruction, given how to get its operands as arrays. */
  static Op of(
      Frame frame,
      Instruction i,
      BiFunction<Operand, Kind, Object> source,
      BiFunction<Operand, Kind, Object> target) {
    List<Operand> o = i.operands();
    if (i.base().equals("activemask")) {
      return activeMask((int[]) target.apply(o.get(0), Kind.INT));
    }
    int[] members = (int[]) source.apply(o.getLast(), Kind.INT);
    return switch (i.base()) {
      case "bar" -> barrier(frame, i, members);
      case "shfl" -> shuffle(frame, i, members, source, target);
      case "vote" -> vote(frame, i, members, source, target);
      case "match" -> match(frame, i, members, source, target);
      default -> reduce(frame, i, members, source, target);
    };
  }

  private static Op activeMask(int[] to) {
    return (lanes, from, end) -> {
      for (int k = from; k < end; ) {
        int start = k;
        int mask = 0;
        for (; k < end && lanes[k] / LANES == lanes[start] / LANES; k++) {
          mask |= 1 << lanes[k];
        }
        for (int j = start; j < k; j++) {
          to[lanes[j]] = mask;
        }
      }
    };
  }

  private static WarpOp barrier(Frame frame, Instruction i, int[] members) {
    return new WarpOp(frame, i, members) {
      @Override
      void run(int first, int present) {
        // Lanes that part of the warp leaves out are not ordered against it.
        if (present == frame.live[first / LANES]) {
          frame.clock.warpBarrier(first / LANES);
        }
      }
    };
  }

  private static WarpOp shuffle(
      Frame frame,
      Instruction i,
      int[] members,
      BiFunction<Operand, Kind, Object> source,
      BiFunction<Operand, Kind, Object> target) {
    List<Operand> o = i.operands();
    Operand.Pair pair = o.get(0) instanceof Operand.Pair p ? p : null;
    Object to = target.apply(pair == null ? o.get(0) : pair.first(), Kind.INT);
    boolean[] inRange =
        (boolean[]) target.apply(pair == null ? new Operand.Sink() : pair.second(), Kind.PREDICATE);
    int[] value = (int[]) source.apply(o.get(1), Kind.INT);
    int[] by = (int[]) source.apply(o.get(2), Kind.INT);
    int[] segment = (int[]) source.apply(o.get(3), Kind.INT);
    String mode = i.opcode().get(2);
    return new WarpOp(frame, i, members) {
      private final int[] seen = new int[LANES];

      @Override
      void run(int first, int present) {
        System.arraycopy(value, first, seen, 0, Math.min(LANES, value.length - first));
        for (int rest = present; rest != 0; rest &= rest - 1) {
          int lane = Integer.numberOfTrailingZeros(rest);
          int from = partner(mode, lane, by[first + lane], segment[first + lane]);
          inRange[first + lane] = from >= 0;
          int read = from < 0 ? lane : from;
          if ((present & members[first + lane] & 1 << read) == 0) {
            throw frame.fault(
                KernelFault.Kind.INACTIVE_LANE,
                at,
                first + lane,
                "lane %d reads from lane %d, which takes no part".formatted(lane, read));
          }
          put(to, first + lane, seen[read]);
        }
      }
    };
  }

  private static void put(Object register, int lane, int bits) {
    if (register instanceof float[] r) {
      r[lane] = Float.intBitsToFloat(bits);
    } else {
      ((int[]) register)[lane] = bits;
    }
  }

  /** Returns the lane read from, or -1 when it lies outside of the segment. */
  private static int partner(String mode, int lane, int by, int control) {
    int fixed = control >> 8 & 31;
    int clamp = control & 31;
    int last = lane & fixed | clamp & ~fixed;
    int step = by & 31;
    return switch (mode) {
      case "up" -> lane - step >= last ? lane - step : -1;
      case "down" -> lane + step <= last ? lane + step : -1;
      case "bfly" -> (lane ^ step) <= last ? lane ^ step : -1;
      case "idx" -> {
        int j = lane & fixed | step & ~fixed;
        yield j <= last ? j : -1;
      }
      default -> throw new IllegalArgumentException("shuffle mode " + mode + " is not known");
    };
  }

  private static WarpOp vote(
      Frame frame,
      Instruction i,
      int[] members,
      BiFunction<Operand, Kind, Object> source,
      BiFunction<Operand, Kind, Object> target) {
    boolean ballot = i.has("ballot");
    Object to = target.apply(i.operands().get(0), ballot ? Kind.INT : Kind.PREDICATE);
    boolean[] value = (boolean[]) source.apply(i.operands().get(1), Kind.PREDICATE);
    return new WarpOp(frame, i, members) {
      @Override
      void run(int first, int present) {
        for (int rest = present; rest != 0; rest &= rest - 1) {
          int lane = Integer.numberOfTrailingZeros(rest);
          int asked = present & members[first + lane];
          int yes = 0;
          for (int r = asked; r != 0; r &= r - 1) {
            int other = Integer.numberOfTrailingZeros(r);
            yes |= value[first + other] ? 1 << other : 0;
          }
          if (ballot) {
            answer[lane] = yes;
          } else {
            boolean all = yes == asked;
            boolean result = i.has("any") ? yes != 0 : i.has("uni") ? all || yes == 0 : all;
            answer[lane] = result ? 1 : 0;
          }
        }
        for (int rest = present; rest != 0; rest &= rest - 1) {
          int lane = Integer.numberOfTrailingZeros(rest);
          if (to instanceof boolean[] p) {
            p[first + lane] = answer[lane] != 0;
          } else {
            put(to, first + lane, answer[lane]);
          }
        }
      }

      private final int[] answer = new int[LANES];
    };
  }

  private static WarpOp match(
      Frame frame,
      Instruction i,
      int[] members,
      BiFunction<Operand, Kind, Object> source,
      BiFunction<Operand, Kind, Object> target) {
    if (!i.has("any") || !i.type().equals("b32")) {
      throw new IllegalArgumentException("only match.any of 32 bits is known");
    }
    int[] to = (int[]) target.apply(i.operands().get(0), Kind.INT);
    int[] value = (int[]) source.apply(i.operands().get(1), Kind.INT);
    return new WarpOp(frame, i, members) {
      private final int[] seen = new int[LANES];

      @Override
      void run(int first, int present) {
        System.arraycopy(value, first, seen, 0, Math.min(LANES, value.length - first));
        for (int rest = present; rest != 0; rest &= rest - 1) {
          int lane = Integer.numberOfTrailingZeros(rest);
          int equal = 0;
          for (int r = present & members[first + lane]; r != 0; r &= r - 1) {
            int other = Integer.numberOfTrailingZeros(r);
            equal |= seen[other] == seen[lane] ? 1 << other : 0;
          }
          to[first + lane] = equal;
        }
      }
    };
  }

  private static WarpOp reduce(
      Frame frame,
      Instruction i,
      int[] members,
      BiFunction<Operand, Kind, Object> source,
      BiFunction<Operand, Kind, Object> target) {
    int[] to = (int[]) target.apply(i.operands().get(0), Kind.INT);
    int[] value = (int[]) source.apply(i.operands().get(1), Kind.INT);
    boolean unsigned = i.type().startsWith("u");
    IntBinaryOperator combine =
        switch (i.opcode().get(2)) {
          case "add" -> Integer::sum;
          case "min" -> unsigned ? Integers::min_u32 : Math::min;
          case "max" -> unsigned ? Integers::max_u32 : Math::max;
          case "and" -> Bits::and_b32;
          case "or" -> Bits::or_b32;
          case "xor" -> Bits::xor_b32;
          default -> throw new IllegalArgumentException("this reduction is not known");
        };
    return new WarpOp(frame, i, members) {
      private final int[] seen = new int[LANES];

      @Override
      void run(int first, int present) {
        System.arraycopy(value, first, seen, 0, Math.min(LANES, value.length - first));
        for (int rest = present; rest != 0; rest &= rest - 1) {
          int lane = Integer.numberOfTrailingZeros(rest);
          int asked = present & members[first + lane];
          int result = seen[Integer.numberOfTrailingZeros(asked)];
          for (int r = asked & asked - 1; r != 0; r &= r - 1) {
            result = combine.applyAsInt(result, seen[Integer.numberOfTrailingZeros(r)]);
          }
          to[first + lane] = result;
        }
      }
    };
  }
}
