package io.perflow.cluster.mpi;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.List;
import java.util.Map;

/** Finds the MPI library of this system: the one that belongs to whoever started the process. */
record Library(String file, SymbolLookup symbols) {
  /** The property that names a library. */
  static final String SETTING = "perflow.mpi";

  private static final Linker LINKER = Linker.nativeLinker();
  private static final int NOW_AND_FOR_ALL = 0x102; // RTLD_NOW | RTLD_GLOBAL on Linux
  private static final List<String> MPICH =
      List.of("libmpi_abi.so.0", "libmpich.so.12", "libmpi.so.12", "libmpich.so", "libmpi_cray.so");
  private static final List<String> OPEN_MPI = List.of("libmpi.so.40", "libmpi.so.80", "libmpi.so");

  /** Opens the library that a setting names, or else that of the launcher that is seen. */
  static Library open() {
    return open(System.getProperty(SETTING, ""), System.getenv());
  }

  static Library open(String named, Map<String, String> environment) {
    // UCX, below MPICH, would take the signals that the JVM lives by.
    set("UCX_ERROR_SIGNALS", "");
    if (!named.isEmpty()) {
      return load(named);
    }
    boolean open = environment.containsKey("OMPI_COMM_WORLD_SIZE");
    List<List<String>> order = open ? List.of(OPEN_MPI, MPICH) : List.of(MPICH, OPEN_MPI);
    for (List<String> names : order) {
      for (String name : names) {
        if (loaded(name).address() != 0) {
          return load(name);
        }
      }
    }
    throw new IllegalStateException(
        ("there is no MPI library: tried %s and %s; install MPICH or Open MPI, or name the library"
                + " with -D%s=FILE")
            .formatted(
                String.join(", ", order.getFirst()), String.join(", ", order.getLast()), SETTING));
  }

  private static Library load(String name) {
    if (loaded(name).address() == 0) {
      throw new IllegalStateException(
          "%s cannot be loaded as the MPI library that -D%s names: %s"
              .formatted(name, SETTING, reason()));
    }
    SymbolLookup symbols = SymbolLookup.libraryLookup(name, Arena.global());
    if (symbols.find("MPI_Get_library_version").isEmpty()) {
      throw new IllegalStateException(
          "%s is no MPI library of version 3 or later: it lacks MPI_Get_library_version"
              .formatted(name));
    }
    return new Library(name, symbols);
  }

  // Open MPI's plug-ins look for its symbols among those that all may see.
  private static MemorySegment loaded(String name) {
    MethodHandle open =
        system(
            "dlopen",
            FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.ADDRESS, ValueLayout.JAVA_INT));
    try (Arena arena = Arena.ofConfined()) {
      return (MemorySegment) open.invokeExact(arena.allocateFrom(name), NOW_AND_FOR_ALL);
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  private static String reason() {
    MethodHandle error = system("dlerror", FunctionDescriptor.of(ValueLayout.ADDRESS));
    try {
      MemorySegment text = (MemorySegment) error.invokeExact();
      return text.address() == 0 ? "no reason" : text.reinterpret(4096).getString(0);
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  private static void set(String variable, String value) {
    MethodHandle setenv =
        system(
            "setenv",
            FunctionDescriptor.of(
                ValueLayout.JAVA_INT,
                ValueLayout.ADDRESS,
                ValueLayout.ADDRESS,
                ValueLayout.JAVA_INT));
    try (Arena arena = Arena.ofConfined()) {
      int result =
          (int) setenv.invokeExact(arena.allocateFrom(variable), arena.allocateFrom(value), 0);
      if (result != 0) {
        throw new IllegalStateException("the environment cannot be changed");
      }
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  private static MethodHandle system(String name, FunctionDescriptor type) {
    MemorySegment symbol =
        LINKER
            .defaultLookup()
            .find(name)
            .orElseThrow(
                () ->
                    new IllegalStateException(
                        "this system has no %s: MPI is supported on Linux".formatted(name)));
    return LINKER.downcallHandle(symbol, type);
  }
}
