package io.perflow.cuda.driver;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The kernels of {@code .cu} files compiled for the CPU by a C++ compiler, with {@code fiber.h} in
 * place of CUDA: the second opinion on what the source means, from which neither nvcc nor an
 * interpreter of PTX has been in the way.
 */
@SuppressWarnings("restricted") // native code, compiled here
public final class FiberKernels implements AutoCloseable {
  /** For tests that use it: there is one address space, and all devices begin at the same place. */
  public static final String ADDRESSES = "addresses of the emulated device";

  private static final Pattern DYNAMIC =
      Pattern.compile("extern __shared__ (?:__align__\\(\\d+\\) )?([\\w ]+?) ?(\\w+)\\[\\];");
  private static final int COMPILER_SECONDS = 600;

  private final Map<String, MethodHandle> launches = new HashMap<>();
  private final MethodHandle map;
  private final MethodHandle unmap;
  private final Map<Long, Long> mapped = new HashMap<>(); // address to bytes
  private boolean closed;

  private FiberKernels(List<Library> libraries) {
    libraries.forEach(l -> l.kernels.forEach(k -> launches.put(k, l.launch)));
    map = libraries.getFirst().map;
    unmap = libraries.getFirst().unmap;
  }

  private record Library(
      List<String> kernels, MethodHandle launch, MethodHandle map, MethodHandle unmap) {}

  /** Whether there is a C++ compiler. */
  public static boolean available() {
    try {
      Process p = new ProcessBuilder("g++", "--version").redirectErrorStream(true).start();
      p.getInputStream().readAllBytes();
      return p.waitFor() == 0 && System.getProperty("os.name").equals("Linux");
    } catch (IOException | InterruptedException e) {
      return false;
    }
  }

  /** Compiles sources; the value of each is the list of its kernels. */
  public static FiberKernels compile(Map<Path, List<String>> sources, Path header, Path directory)
      throws IOException, InterruptedException {
    var libraries = new ArrayList<Library>();
    for (var source : sources.entrySet()) {
      libraries.add(library(source.getKey(), source.getValue(), header, directory));
    }
    return new FiberKernels(libraries);
  }

  private static Library library(Path source, List<String> kernels, Path header, Path directory)
      throws IOException, InterruptedException {
    String name = source.getFileName().toString().replace(".cu", "");
    Path code = directory.resolve(name + ".cpp");
    Path library = directory.resolve("lib" + name + "-fiber.so");
    Matcher dynamic = DYNAMIC.matcher(Files.readString(source));
    // Memory of a size that the launch gives is the one thing that C++ has no word for.
    String text = dynamic.replaceAll("$1 *$2 = ($1 *)fiber::dynamic;");
    Files.writeString(
        code,
        "#include \"%s\"\n#line 1 \"%s\"\n%s\n%s"
            .formatted(header.toAbsolutePath(), source, text, dispatch(kernels)));
    Path log = directory.resolve(name + ".log");
    Process compiler =
        new ProcessBuilder(
                "g++",
                "-shared",
                "-fPIC",
                "-O2",
                "-std=c++17",
                "-march=native",
                "-ffp-contract=off",
                "-fno-strict-aliasing",
                "-w",
                "-I",
                source.toAbsolutePath().getParent().toString(),
                "-o",
                library.toString(),
                code.toString())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    if (!compiler.waitFor(COMPILER_SECONDS, TimeUnit.SECONDS) || compiler.exitValue() != 0) {
      throw new IOException(source + " does not compile: " + Files.readString(log));
    }
    var symbols = SymbolLookup.libraryLookup(library, Arena.global());
    return new Library(
        kernels,
        function(
            symbols,
            "fiber_launch",
            FunctionDescriptor.of(
                JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT,
                ADDRESS)),
        function(symbols, "fiber_map", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG)),
        function(symbols, "fiber_unmap", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG)));
  }

  private static String dispatch(List<String> kernels) {
    var code = new StringBuilder();
    code.append(
        """
        extern "C" int fiber_launch(const char *name, int gx, int gy, int gz, int bx, int by, int bz, void **args) {
          void (*kernel)(void **) = 0;
        """);
    for (String kernel : kernels) {
      code.append(
          "  if (!strcmp(name, \"%s\")) kernel = [](void **a) { fiber::call(%s, a); };\n"
              .formatted(kernel, kernel));
    }
    code.append(
        "  return kernel ? fiber::launch(kernel, dim3(gx, gy, gz), dim3(bx, by, bz), args) : 2;\n"
            + "}\n");
    return code.toString();
  }

  private static MethodHandle function(SymbolLookup symbols, String name, FunctionDescriptor type) {
    return Linker.nativeLinker().downcallHandle(symbols.findOrThrow(name), type);
  }

  /** Whether a kernel is among those compiled. */
  public boolean has(String kernel) {
    return launches.containsKey(kernel);
  }

  /** Gives all memory back; whatever compares must stop. */
  @Override
  public synchronized void close() {
    closed = true;
    mapped.forEach((address, bytes) -> call(unmap, address, bytes));
    mapped.clear();
  }

  /** Whether the memory is gone. */
  synchronized boolean closed() {
    return closed;
  }

  /** Memory at a given address; the segment is for the copies of the test. */
  synchronized MemorySegment map(long address, long bytes) {
    if (call(map, address, bytes) != 0) {
      throw new IllegalStateException("%#x cannot be mapped".formatted(address));
    }
    mapped.put(address, bytes);
    return MemorySegment.ofAddress(address).reinterpret(bytes);
  }

  synchronized void unmap(long address, long bytes) {
    mapped.remove(address);
    call(unmap, address, bytes);
  }

  private static int call(MethodHandle f, long address, long bytes) {
    try {
      return (int) f.invokeExact(address, bytes);
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  /** Runs a kernel to its end. */
  synchronized void launch(String kernel, int[] grid, int[] block, MemorySegment[] arguments) {
    try (var arena = Arena.ofConfined()) {
      MemorySegment pointers = arena.allocate(ADDRESS, Math.max(1, arguments.length));
      for (int i = 0; i < arguments.length; i++) {
        pointers.setAtIndex(ADDRESS, i, arguments[i]);
      }
      int code =
          (int)
              launches
                  .get(kernel)
                  .invokeExact(
                      arena.allocateFrom(kernel),
                      grid[0],
                      grid[1],
                      grid[2],
                      block[0],
                      block[1],
                      block[2],
                      pointers);
      if (code != 0) {
        throw new IllegalStateException(kernel + " on fibers: threads wait for each other");
      }
    } catch (RuntimeException e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }
}
