package io.perflow.cuda.emulator;

import io.perflow.cuda.emulator.ptx.Instruction;
import io.perflow.cuda.emulator.ptx.Operand;
import java.util.List;
import java.util.Random;
import java.util.function.BiFunction;

/**
 * The tensor-core products {@code wmma} of shape 16 × 16 × 8 with TF32 factors and float sums.
 *
 * <p>Which thread holds which element of a matrix is not specified, and here it is a permutation
 * that no device uses, another one for each role: a kernel that gets the right result does not
 * depend on the layout. Products are exact and summed in double; devices round on the way in a
 * manner that is not documented, so results are predictions within a few units of the last place.
 */
final class TensorOps {
  private static final int M = 16;
  private static final int N = 16;
  private static final int K = 8;
  private static final int TF32_UNUSED_BITS = 0x1fff;

  /** Alignment in bytes that wmma asks of the address and of the stride. */
  private static final int ALIGNMENT = 32;

  private static final int STRIDE_ALIGNMENT = 16;

  /** element[p] is the element, counted by rows, that slot p / 32 of lane p % 32 holds. */
  private static final int[] A = permutation(M * K, 1);

  private static final int[] B = permutation(K * N, 2);
  private static final int[] C = permutation(M * N, 3);

  private TensorOps() {}

  private static int[] permutation(int n, long seed) {
    int[] p = new int[n];
    for (int i = 0; i < n; i++) {
      p[i] = i;
    }
    var random = new Random(seed);
    for (int i = n - 1; i > 0; i--) {
      int j = random.nextInt(i + 1);
      int t = p[i];
      p[i] = p[j];
      p[j] = t;
    }
    return p;
  }

  /** Returns the operation of an instruction, given how to get its operands as arrays. */
  static Op of(
      Frame frame,
      Instruction i,
      Window window,
      Access.Pointer pointer,
      BiFunction<Operand, Kind, Object> source,
      BiFunction<Operand, Kind, Object> target) {
    if (!i.has("m16n16k8")) {
      throw new IllegalArgumentException("only the shape m16n16k8 is known");
    }
    String verb = i.opcode().get(1);
    if (verb.equals("mma")) {
      return product(frame, i, source, target);
    }
    List<Operand> o = i.operands();
    boolean load = verb.equals("load");
    Operand.Vector fragment = (Operand.Vector) o.get(load ? 0 : 1);
    Kind kind = i.type().equals("f32") ? Kind.FLOAT : Kind.INT;
    Object[] registers =
        fragment.elements().stream()
            .map(e -> load ? target.apply(e, kind) : source.apply(e, kind))
            .toArray();
    if (o.size() < 3) {
      throw new IllegalArgumentException("the stride must be given");
    }
    int[] stride = (int[]) source.apply(o.get(2), Kind.INT);
    return transfer(frame, i, window, pointer, registers, stride);
  }

  /** Returns a load or store: one access of a float for each slot of the fragment. */
  private static WarpOp transfer(
      Frame frame,
      Instruction i,
      Window window,
      Access.Pointer pointer,
      Object[] registers,
      int[] stride) {
    String role = i.opcode().get(2);
    int[] layout = role.equals("a") ? A : role.equals("b") ? B : C;
    int columns = role.equals("a") ? K : N;
    boolean byRows = i.has("row");
    long[] addresses = new long[frame.threads];
    boolean load = i.opcode().get(1).equals("load");
    Op[] accesses = new Op[registers.length];
    for (int s = 0; s < accesses.length; s++) {
      accesses[s] = access(frame, i, window, addresses, registers[s], load);
    }
    return new WarpOp(frame, i, null) {
      @Override
      void run(int first, int present) {
        long start = uniform(this, pointer, stride, first);
        for (int s = 0; s < accesses.length; s++) {
          for (int lane = 0; lane < Clock.WARP; lane++) {
            int e = layout[s * Clock.WARP + lane];
            int row = e / columns;
            int column = e % columns;
            int major = byRows ? row : column;
            int minor = byRows ? column : row;
            addresses[first + lane] = start + 4L * (major * stride[first] + minor);
          }
          accesses[s].run(frame.identity, first, first + Clock.WARP);
        }
      }
    };
  }

  private static Op access(
      Frame frame, Instruction i, Window window, long[] addresses, Object register, boolean load) {
    Transfers.Transfer move =
        load ? Transfers.load("b32", register, false) : Transfers.store("b32", register);
    var purpose = load ? Access.Purpose.LOAD : Access.Purpose.STORE;
    return new Access(frame, i, purpose, window, new Access.Pointer(addresses, 0), 4) {
      @Override
      void transfer(byte[] data, int[] offsets, int[] lanes, int from, int to) {
        move.run(data, offsets, 0, lanes, from, to);
      }
    };
  }

  /** Returns the address of the matrix, which all lanes must agree on. */
  private static long uniform(WarpOp op, Access.Pointer pointer, int[] stride, int first) {
    Frame frame = op.frame;
    demandWholeWarp(op, first);
    long start = address(pointer, first);
    for (int lane = 1; lane < Clock.WARP; lane++) {
      if (address(pointer, first + lane) != start || stride[first + lane] != stride[first]) {
        throw frame.fault(
            KernelFault.Kind.DIVERGENT,
            op.at,
            first + lane,
            "address or stride differ in the warp");
      }
    }
    if (start % ALIGNMENT != 0 || stride[first] * 4L % STRIDE_ALIGNMENT != 0) {
      throw frame.fault(
          KernelFault.Kind.MISALIGNED,
          op.at,
          first,
          "matrix at %#x with stride %d".formatted(start, stride[first]));
    }
    return start;
  }

  private static void demandWholeWarp(WarpOp op, int first) {
    if (op.frame.live[first / Clock.WARP] != -1) {
      throw op.frame.fault(
          KernelFault.Kind.DIVERGENT, op.at, first, "wmma needs all 32 lanes of the warp");
    }
  }

  private static long address(Access.Pointer p, int lane) {
    long base = p.base() instanceof long[] b ? b[lane] : ((int[]) p.base())[lane] & 0xffffffffL;
    return base + p.offset();
  }

  private static WarpOp product(
      Frame frame,
      Instruction i,
      BiFunction<Operand, Kind, Object> source,
      BiFunction<Operand, Kind, Object> target) {
    float[][] d = new float[8][];
    int[][] a = new int[4][];
    int[][] b = new int[4][];
    float[][] c = new float[8][];
    List<Operand> o = i.operands();
    for (int s = 0; s < 8; s++) {
      d[s] = (float[]) target.apply(((Operand.Vector) o.get(0)).elements().get(s), Kind.FLOAT);
      c[s] = (float[]) source.apply(((Operand.Vector) o.get(3)).elements().get(s), Kind.FLOAT);
    }
    for (int s = 0; s < 4; s++) {
      a[s] = (int[]) source.apply(((Operand.Vector) o.get(1)).elements().get(s), Kind.INT);
      b[s] = (int[]) source.apply(((Operand.Vector) o.get(2)).elements().get(s), Kind.INT);
    }
    return new WarpOp(frame, i, null) {
      private final double[] left = new double[M * K];
      private final double[] right = new double[K * N];
      private final float[] sums = new float[M * N];

      @Override
      void run(int first, int present) {
        demandWholeWarp(this, first);
        gather(this, a, A, first, left);
        gather(this, b, B, first, right);
        for (int p = 0; p < M * N; p++) {
          int row = C[p] / N;
          int column = C[p] % N;
          double sum = c[p / Clock.WARP][first + p % Clock.WARP];
          for (int k = 0; k < K; k++) {
            sum += left[row * K + k] * right[k * N + column];
          }
          sums[p] = (float) sum;
        }
        for (int p = 0; p < M * N; p++) {
          d[p / Clock.WARP][first + p % Clock.WARP] = sums[p];
        }
      }
    };
  }

  private static void gather(WarpOp op, int[][] slots, int[] layout, int first, double[] matrix) {
    for (int p = 0; p < layout.length; p++) {
      int bits = slots[p / Clock.WARP][first + p % Clock.WARP];
      float value = Float.intBitsToFloat(bits);
      if ((bits & TF32_UNUSED_BITS) != 0 && Float.isFinite(value)) {
        throw op.frame.fault(
            KernelFault.Kind.NOT_TF32,
            op.at,
            first + p % Clock.WARP,
            "%s has more bits than TF32; round it with __float_to_tf32".formatted(value));
      }
      matrix[layout[p]] = value;
    }
  }
}
