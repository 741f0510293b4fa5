package io.perflow.cluster.mpi;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The few functions of MPI that messages between processes need. MPI is asked for threads that take
 * turns, and every call here holds one lock.
 */
final class Mpi {
  private static final int TEXT = 8192; // the longest that any library says about itself
  private static final Linker LINKER = Linker.nativeLinker();

  private final Library library;
  private final Abi abi;
  private final int rank;
  private final int size;
  private final MethodHandle send;
  private final MethodHandle receive;
  private final MethodHandle test;
  private final MethodHandle cancel;
  private final MethodHandle probe;
  private final MethodHandle count;
  private final MemorySegment number = Arena.global().allocate(JAVA_INT);
  private final MemorySegment status = Arena.global().allocate(Abi.STATUS, Long.BYTES);
  // what MPI may still read or write must not go away
  private final List<Request> abandoned = new ArrayList<>();
  private final Set<Integer> dropped = new HashSet<>(); // tags of what nobody may have received

  /** A message on its way. */
  record Request(MemorySegment handle, MemorySegment bytes, boolean receiving) {}

  /** A call that failed; {@code truncated} says that a message was longer than its room. */
  static final class Failure extends Exception {
    private static final long serialVersionUID = 1L;
    private final boolean truncated;

    Failure(String message, boolean truncated) {
      super(message);
      this.truncated = truncated;
    }

    boolean truncated() {
      return truncated;
    }
  }

  private Mpi(Library library, Map<String, String> environment) throws Failure {
    this.library = library;
    abi = Abi.of(library.symbols(), library.file(), version(library));
    call("MPI_Init_thread", ADDRESS, ADDRESS, JAVA_INT, ADDRESS)
        .run(MemorySegment.NULL, MemorySegment.NULL, abi.serialized(), number);
    if (number.get(JAVA_INT, 0) < abi.serialized()) {
      throw new IllegalStateException(
          "%s was built without threads; gradients travel while others are computed"
              .formatted(library.file()));
    }
    call("MPI_Comm_set_errhandler", abi.handle(), abi.handle())
        .run(abi.world(), abi.errorsReturn());
    call("MPI_Comm_rank", abi.handle(), ADDRESS).run(abi.world(), number);
    rank = number.get(JAVA_INT, 0);
    call("MPI_Comm_size", abi.handle(), ADDRESS).run(abi.world(), number);
    size = number.get(JAVA_INT, 0);
    requireLauncher(environment);
    MemoryLayout h = abi.handle();
    send = function("MPI_Isend", ADDRESS, JAVA_INT, h, JAVA_INT, JAVA_INT, h, ADDRESS);
    receive = function("MPI_Irecv", ADDRESS, JAVA_INT, h, JAVA_INT, JAVA_INT, h, ADDRESS);
    test = function("MPI_Test", ADDRESS, ADDRESS, ADDRESS);
    cancel = function("MPI_Cancel", ADDRESS);
    probe = function("MPI_Iprobe", JAVA_INT, JAVA_INT, h, ADDRESS, ADDRESS);
    count = function("MPI_Get_count", ADDRESS, h, ADDRESS);
  }

  /** Joins the processes that the launcher has started; one that was started alone is alone. */
  static Mpi start() {
    try {
      return new Mpi(Library.open(), System.getenv());
    } catch (Failure e) {
      throw new IllegalStateException("MPI does not start: " + e.getMessage(), e);
    }
  }

  // A library that is not the launcher's takes every process for a job of its own.
  private void requireLauncher(Map<String, String> environment) {
    Optional<String> started =
        List.of("OMPI_COMM_WORLD_SIZE", "PMI_SIZE").stream()
            .filter(environment::containsKey)
            .map(environment::get)
            .findFirst();
    if (started.isPresent() && !started.get().equals(Integer.toString(size))) {
      throw new IllegalStateException(
          ("%s processes were started, and %s sees %d: it is another MPI than that of mpiexec; name"
                  + " the right library with -D%s=FILE")
              .formatted(started.get(), library.file(), size, Library.SETTING));
    }
  }

  private static String version(Library library) throws Failure {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment text = arena.allocate(TEXT);
      MethodHandle version =
          LINKER.downcallHandle(
              library.symbols().find("MPI_Get_library_version").orElseThrow(),
              FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS));
      int _ = (int) version.invokeExact(text, arena.allocate(JAVA_INT));
      return text.getString(0);
    } catch (Throwable e) {
      throw failure(e);
    }
  }

  /** What the library says about itself, in one line. */
  String version() {
    try {
      return version(library).strip().lines().findFirst().orElse("").strip();
    } catch (Failure e) {
      return library.file();
    }
  }

  int rank() {
    return rank;
  }

  int size() {
    return size;
  }

  Abi abi() {
    return abi;
  }

  /** A function that is called once or twice, by its name. */
  interface Call {
    /** Calls it; handles are longs. */
    void run(Object... arguments) throws Failure;
  }

  /** A function of the library that has these arguments and returns an error. */
  Call call(String name, MemoryLayout... types) {
    MethodHandle function = function(name, types);
    return arguments -> {
      synchronized (this) {
        try {
          check((int) function.invokeWithArguments(arguments));
        } catch (Throwable e) {
          throw failure(e);
        }
      }
    };
  }

  // handles are passed as longs whatever they are
  private MethodHandle function(String name, MemoryLayout... types) {
    MemorySegment symbol =
        library
            .symbols()
            .find(name)
            .orElseThrow(() -> new IllegalStateException(library.file() + " has no " + name));
    MethodHandle exact = LINKER.downcallHandle(symbol, FunctionDescriptor.of(JAVA_INT, types));
    MethodType wide = exact.type();
    for (int i = 0; i < types.length; i++) {
      wide = types[i].name().isPresent() ? wide.changeParameterType(i, long.class) : wide;
    }
    return MethodHandles.explicitCastArguments(exact, wide);
  }

  /** Begins to send native memory, which stays as it is until {@link #arrived} says so. */
  synchronized Request send(MemorySegment bytes, int to, int tag) throws Failure {
    MemorySegment handle = Arena.ofAuto().allocate(JAVA_LONG);
    try {
      check(
          (int)
              send.invokeExact(
                  bytes, (int) bytes.byteSize(), abi.bytes(), to, tag, abi.world(), handle));
      return new Request(handle, bytes, false);
    } catch (Throwable e) {
      throw failure(e);
    }
  }

  /** Begins to receive into native memory. */
  synchronized Request receive(MemorySegment bytes, int from, int tag) throws Failure {
    MemorySegment handle = Arena.ofAuto().allocate(JAVA_LONG);
    try {
      check(
          (int)
              receive.invokeExact(
                  bytes, (int) bytes.byteSize(), abi.bytes(), from, tag, abi.world(), handle));
      return new Request(handle, bytes, true);
    } catch (Throwable e) {
      throw failure(e);
    }
  }

  /** The bytes of a message that has arrived or left; -1 while it is on its way. */
  synchronized int arrived(Request request) throws Failure {
    try {
      check((int) test.invokeExact(request.handle, number, status));
      return number.get(JAVA_INT, 0) == 0 ? -1 : statusBytes();
    } catch (Throwable e) {
      throw failure(e);
    }
  }

  private int statusBytes() throws Throwable {
    check((int) count.invokeExact(status, abi.bytes(), number));
    return number.get(JAVA_INT, 0);
  }

  /** Whether a message with a tag waits to be received, from anybody. */
  synchronized boolean waits(int tag) throws Failure {
    try {
      check((int) probe.invokeExact(abi.anySource(), tag, abi.world(), number, status));
      return number.get(JAVA_INT, 0) != 0;
    } catch (Throwable e) {
      throw failure(e);
    }
  }

  /** Gives a message up. Its memory stays, since MPI may not have noticed yet. */
  synchronized void abandon(Request request) {
    abandoned.add(request);
    try {
      if (request.receiving) {
        check((int) cancel.invokeExact(request.handle));
      }
    } catch (Throwable e) {
      return; // it has arrived, or will never
    }
  }

  /** Sends a message that fits in any buffer, and does not wait for it. */
  synchronized void drop(MemorySegment bytes, int to, int tag) throws Failure {
    dropped.add(tag);
    abandoned.add(send(bytes, to, tag));
  }

  /** Receives a message that {@link #waits}, from anybody. */
  synchronized MemorySegment take(int bytes, int tag) throws Failure {
    Request request = receive(Arena.ofAuto().allocate(bytes, Long.BYTES), abi.anySource(), tag);
    while (arrived(request) < 0) {
      Thread.onSpinWait(); // it is there
    }
    return request.bytes;
  }

  /**
   * Takes leave of the other processes, all of which do the same.
   *
   * @param longest bytes of what others may have {@linkplain #drop dropped}
   */
  void end(int longest) throws Failure {
    for (int tag : dropped) {
      while (waits(tag)) {
        take(longest, tag); // else some libraries complain
      }
    }
    call("MPI_Finalize").run();
  }

  /** Ends all processes of the job at once. */
  void abort(int code) {
    try {
      call("MPI_Abort", abi.handle(), JAVA_INT).run(abi.world(), code);
    } catch (Failure e) {
      Runtime.getRuntime().halt(code); // whoever started the processes ends the others
    }
  }

  private void check(int error) throws Failure {
    if (error == 0) {
      return;
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment text = arena.allocate(TEXT);
      MemorySegment value = arena.allocate(JAVA_INT);
      int _ =
          (int)
              function("MPI_Error_string", JAVA_INT, ADDRESS, ADDRESS)
                  .invokeExact(error, text, value);
      int _ = (int) function("MPI_Error_class", JAVA_INT, ADDRESS).invokeExact(error, value);
      throw new Failure(
          text.getString(0).lines().findFirst().orElse("error " + error),
          value.get(JAVA_INT, 0) == abi.truncated());
    } catch (Throwable e) {
      throw failure(e);
    }
  }

  private static Failure failure(Throwable e) {
    return switch (e) {
      case Failure failure -> failure;
      case RuntimeException other -> throw other;
      case Error other -> throw other;
      default -> throw new IllegalStateException(e);
    };
  }
}
