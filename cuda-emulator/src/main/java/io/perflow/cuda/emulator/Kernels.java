package io.perflow.cuda.emulator;

import io.perflow.cuda.driver.CudaException;
import io.perflow.cuda.driver.Param;
import io.perflow.cuda.emulator.ptx.PtxKernel;
import io.perflow.cuda.emulator.ptx.PtxModule;
import io.perflow.cuda.ptx.PtxException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The loaded modules, their kernels, and the limits of a launch. */
final class Kernels {
  /** Shared memory of a block, at most: without opting in, and with it, as devices since sm_70. */
  static final int SHARED = 48 << 10;

  static final int SHARED_OPT_IN = 96 << 10;
  static final int MAX_THREADS = 1024;

  private static final double NEWEST_PTX = 7.8;
  private static final int MAX_GRID_YZ = 65535;
  private static final int MAX_BLOCK_Z = 64;
  private static final int FRAMES_KEPT = 48;

  /** A kernel with its handle; attributes may be changed. */
  static final class Function {
    final Program program;
    final long module;
    int dynamicLimit = SHARED;

    Function(Program program, long module) {
      this.program = program;
      this.module = module;
    }
  }

  private record Module(Map<String, Program> programs, ModuleImage image) {}

  private record FrameKey(Program program, int x, int y, int z) {}

  private final DeviceMemory memory;
  private final Settings settings;
  private final Map<Long, Module> modules = new HashMap<>();
  private final Map<Long, Function> functions = new HashMap<>();
  private final Map<FrameKey, Frame> frames =
      new LinkedHashMap<>(FRAMES_KEPT, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<FrameKey, Frame> eldest) {
          return size() > FRAMES_KEPT;
        }
      };
  private long handles = 0x10000;

  Kernels(DeviceMemory memory, Settings settings) {
    this.memory = memory;
    this.settings = settings;
  }

  long load(String ptx, String call) {
    try {
      PtxModule parsed = PtxModule.parse(ptx);
      checkHeader(parsed, call);
      var image = new ModuleImage(parsed, memory);
      var programs = new HashMap<String, Program>();
      for (PtxKernel kernel : parsed.kernels().values()) {
        programs.put(kernel.name(), new Program(kernel, image));
      }
      modules.put(++handles, new Module(programs, image));
      return handles;
    } catch (PtxException e) {
      throw Calls.error(CudaException.INVALID_PTX, call, e.getMessage());
    }
  }

  private void checkHeader(PtxModule module, String call) {
    if (Double.parseDouble(module.version()) > NEWEST_PTX) {
      throw Calls.error(
          CudaException.UNSUPPORTED_PTX_VERSION,
          call,
          "PTX %s, this driver knows up to %s".formatted(module.version(), NEWEST_PTX));
    }
    int target = Integer.parseInt(module.target().replaceAll("\\D", ""));
    if (target > settings.capability()) {
      throw Calls.error(
          CudaException.NO_BINARY_FOR_GPU,
          call,
          "PTX for %s, this device is sm_%d".formatted(module.target(), settings.capability()));
    }
  }

  void unload(long module, String call) {
    Module gone = modules.remove(module);
    if (gone == null) {
      throw Calls.error(CudaException.INVALID_HANDLE, call, "no module %#x".formatted(module));
    }
    functions.values().removeIf(f -> f.module == module);
    frames.keySet().removeIf(k -> gone.programs.containsValue(k.program));
    gone.image.globals.values().forEach(a -> memory.free(a.base, call));
  }

  long function(long module, String name, String call) {
    Module owner = modules.get(module);
    if (owner == null) {
      throw Calls.error(CudaException.INVALID_HANDLE, call, "no module %#x".formatted(module));
    }
    Program program = owner.programs.get(name);
    if (program == null) {
      throw Calls.error(CudaException.NOT_FOUND, call, name);
    }
    try {
      // A frame of one thread finds every instruction that is not known.
      var unused = new Frame(program, 1, 1, 1, memory, false);
    } catch (PtxException e) {
      throw Calls.error(CudaException.INVALID_PTX, call, name + ", " + e.getMessage());
    }
    functions.put(++handles, new Function(program, module));
    return handles;
  }

  Function known(long function, String call) {
    Function f = functions.get(function);
    if (f == null) {
      throw Calls.error(CudaException.INVALID_HANDLE, call, "no kernel %#x".formatted(function));
    }
    return f;
  }

  List<String> open() {
    return modules.keySet().stream().map("module %#x"::formatted).toList();
  }

  /** Returns whether an allocation holds variables of modules, which no user has to free. */
  boolean owns(Allocation allocation) {
    return modules.values().stream().anyMatch(m -> m.image.globals.containsValue(allocation));
  }

  Frame frame(Program program, Launch launch) {
    var key = new FrameKey(program, launch.blockX(), launch.blockY(), launch.blockZ());
    return frames.computeIfAbsent(
        key, k -> new Frame(program, k.x, k.y, k.z, memory, settings.races()));
  }

  // ------------------------------------------------------------ what a launch may ask for

  void check(Function f, Launch launch, String call) {
    String kernel = f.program.kernel.name();
    long threads = (long) launch.blockX() * launch.blockY() * launch.blockZ();
    boolean positive =
        Math.min(launch.gridX(), Math.min(launch.gridY(), launch.gridZ())) > 0
            && Math.min(launch.blockX(), Math.min(launch.blockY(), launch.blockZ())) > 0
            && launch.dynamicShared() >= 0;
    boolean fits =
        launch.gridY() <= MAX_GRID_YZ
            && launch.gridZ() <= MAX_GRID_YZ
            && launch.blockZ() <= MAX_BLOCK_Z
            && threads <= MAX_THREADS;
    if (!positive || !fits) {
      throw Calls.error(
          CudaException.INVALID_VALUE,
          call,
          "%s: grid %d x %d x %d of blocks %d x %d x %d"
              .formatted(
                  kernel,
                  launch.gridX(),
                  launch.gridY(),
                  launch.gridZ(),
                  launch.blockX(),
                  launch.blockY(),
                  launch.blockZ()));
    }
    if (threads > f.program.kernel.maxThreads()) {
      throw Calls.error(
          CudaException.LAUNCH_OUT_OF_RESOURCES,
          call,
          "%s: %d threads, compiled for %d"
              .formatted(kernel, threads, f.program.kernel.maxThreads()));
    }
    int shared = f.program.staticSharedBytes + launch.dynamicShared();
    if (shared > f.dynamicLimit) {
      throw Calls.error(
          CudaException.INVALID_VALUE,
          call,
          "%s: %d bytes of shared memory, %d allowed".formatted(kernel, shared, f.dynamicLimit));
    }
  }

  /**
   * Returns the arguments as one piece of parameter memory, if there are as many as the PTX
   * declares.
   */
  static byte[] pack(Program program, MemorySegment[] arguments, String call) {
    List<Param> params = program.kernel.params();
    String kernel = program.kernel.name();
    if (arguments.length != params.size()) {
      throw Calls.error(
          CudaException.INVALID_VALUE,
          call,
          "%s takes %d arguments, %d given".formatted(kernel, params.size(), arguments.length));
    }
    byte[] packed = new byte[program.parameterBytes];
    for (int i = 0; i < arguments.length; i++) {
      Param p = params.get(i);
      if (!arguments[i].isNative() || arguments[i].byteSize() != p.bytes()) {
        throw Calls.error(
            CudaException.INVALID_VALUE,
            call,
            "argument %d of %s: %d bytes of %s memory for %s of %d bytes"
                .formatted(
                    i,
                    kernel,
                    arguments[i].byteSize(),
                    arguments[i].isNative() ? "native" : "heap",
                    p,
                    p.bytes()));
      }
      MemorySegment.copy(arguments[i], ValueLayout.JAVA_BYTE, 0, packed, p.offset(), p.bytes());
    }
    return packed;
  }
}
