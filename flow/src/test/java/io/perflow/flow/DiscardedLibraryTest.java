package io.perflow.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.perflow.tensor.Cancellation;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Settings;
import io.perflow.tensor.Tasks;
import java.io.File;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.ObjIntConsumer;
import org.junit.jupiter.api.Test;

/** A server loads the library, uses it on its own threads, and discards it. */
class DiscardedLibraryTest {

  @Test
  void nothingKeepsTheClassesOfALibraryWhoseThreadsWereEnded() throws Exception {
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--add-modules=jdk.incubator.vector",
            "-Xmx512m",
            // The JDK keeps soft references to classes, which are cleared when memory is needed.
            "-XX:SoftRefLRUPolicyMSPerMB=0",
            "-cp",
            System.getProperty("java.class.path"),
            Server.class.getName());
    Process server = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(server.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, server.waitFor(), said);
    List<String> found = said.lines().filter(line -> line.startsWith("threads")).toList();
    assertEquals(List.of("threads ended: collected", "threads alive: kept"), found, said);
  }

  /** The server runs in its own JVM, because other tests would disturb its garbage collector. */
  public static final class Server {
    private Server() {}

    /** Says for an application that ends the library's threads, and one that does not. */
    public static void main(String... args) throws Exception {
      try (ExecutorService threads = Executors.newFixedThreadPool(3)) {
        System.out.println("threads ended: " + fate(used(threads, 1), 100));
        System.out.println("threads alive: " + fate(used(threads, 0), 5));
      }
    }

    private static String fate(WeakReference<ClassLoader> loader, int collections)
        throws InterruptedException {
      for (int i = 0; i < collections && loader.get() != null; i++) {
        System.gc();
        Thread.sleep(50);
      }
      return loader.get() == null ? "collected" : "kept";
    }

    private static WeakReference<ClassLoader> used(ExecutorService threads, int closes)
        throws ReflectiveOperationException, IOException {
      List<URL> path = new ArrayList<>();
      for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
        path.add(Path.of(entry).toUri().toURL());
      }
      try (URLClassLoader own =
          new URLClassLoader(path.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
        Class<?> type = own.loadClass(Application.class.getName());
        @SuppressWarnings("unchecked")
        ObjIntConsumer<ExecutorService> application =
            (ObjIntConsumer<ExecutorService>) type.getConstructor().newInstance();
        application.accept(threads, closes);
        return new WeakReference<>(own);
      }
    }
  }

  /** What the server runs, loaded with the library by a class loader of its own. */
  public static final class Application implements ObjIntConsumer<ExecutorService> {
    @Override
    public void accept(ExecutorService threads, int closes) {
      Settings.threads(4);
      RectifiedFlow flow = Small.flow("burgers", FlowConfig.Prediction.PRIOR);
      Observations seen = Small.observations(flow);
      FlowSampler sampler = FlowSampler.of(flow).solver(OdeSolver.multistep(3));
      Callable<Ensemble> draw =
          () -> {
            try (Cancellation _ = Cancellation.after(Duration.ofMinutes(10))) {
              return sampler.reconstruct(seen, 2, Rng.of(1));
            }
          };
      try {
        for (Future<Ensemble> one : threads.invokeAll(List.of(draw, draw, draw, draw))) {
          one.get();
        }
      } catch (Exception e) {
        throw new AssertionError(e);
      }
      for (int i = 0; i < closes; i++) {
        Tasks.close();
      }
    }
  }
}
