package io.perflow.cluster.mpi;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;

/**
 * Starts a program on the processes of an MPI job. The first one runs it, and finds all of them at
 * {@code Engine.connect("mpi")}; the others do what it has them do.
 *
 * <pre>{@code
 * mpiexec -n 4 java -cp ... io.perflow.cluster.mpi.MpiMain my.Program its arguments
 * }</pre>
 */
public final class MpiMain {
  private MpiMain() {}

  /**
   * Starts a program.
   *
   * @param arguments a class with a {@code main} method, and the arguments for it
   */
  public static void main(String[] arguments) throws Throwable {
    if (arguments.length == 0) {
      throw new IllegalArgumentException("name the class whose main method is to be run");
    }
    Job job = Job.join();
    if (job.leads()) {
      // A program may end by System.exit, and Ctrl-C ends it as well. A checkpoint comes first
      // then, since this waits for what is being commanded.
      Runtime.getRuntime().addShutdownHook(new Thread(job::end, "mpi-end"));
      program(arguments[0]).invokeExact(Arrays.copyOfRange(arguments, 1, arguments.length));
    } else {
      CountDownLatch over = new CountDownLatch(1);
      // Ctrl-C reaches all processes, and the first one decides when the others may go.
      Runtime.getRuntime().addShutdownHook(new Thread(() -> await(over), "mpi-serve"));
      try {
        job.serve();
      } finally {
        over.countDown();
      }
    }
  }

  private static MethodHandle program(String name) {
    try {
      return MethodHandles.publicLookup()
          .findStatic(
              Class.forName(name), "main", MethodType.methodType(void.class, String[].class));
    } catch (ReflectiveOperationException e) {
      throw new IllegalArgumentException(
          name + " is no public class with a public main method on the class path", e);
    }
  }

  private static void await(CountDownLatch over) {
    try {
      over.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
