package io.perflow.cli;

import io.perflow.cli.studio.Library;
import io.perflow.cli.studio.StudioServer;
import java.awt.Desktop;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The command {@code studio}, which serves a page on which users place sensors and watch
 * reconstructions.
 */
@Command(
    name = "studio",
    description = {
      "Open a page on which you place sensors and watch the reconstruction.",
      "Prints the address of the page, even with --quiet, and serves the page until you press"
          + " Ctrl-C. Only this machine can reach it."
    })
final class StudioCommand implements Callable<Integer> {
  @Option(
      names = "--model",
      paramLabel = "FILE",
      description =
          "Trained model to begin with; may be repeated. The shipped models can be chosen on the"
              + " page, too.")
  private List<Path> models = new ArrayList<>();

  @Option(
      names = "--data",
      paramLabel = "FILE",
      description =
          "Data set whose fields the sensors can read; may be repeated. If omitted, test fields of"
              + " the model's benchmark are simulated.")
  private List<Path> data = new ArrayList<>();

  @Option(
      names = "--port",
      paramLabel = "N",
      defaultValue = "0",
      description = "Port to listen on. If omitted, a free one.")
  private int port;

  @Option(names = "--open", description = "Open the page in the browser.")
  private boolean open;

  @Mixin private MachineOptions machine = new MachineOptions();

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (port < 0 || port > 65535) {
      throw new IllegalArgumentException(
          "--port %d must be a number from 1 to 65535".formatted(port));
    }
    requireFiles(models);
    requireFiles(data);
    Library library = Library.of(models, Shipped.models(), data, machine.use());
    CountDownLatch stopped = new CountDownLatch(1);
    try (StudioServer server = StudioServer.start(library, port);
        Interrupt _ = new Interrupt(stopped::countDown)) {
      PrintWriter out = PerflowCommand.out(spec); // without the address nobody finds the page
      out.println(server.url());
      out.flush();
      if (open) {
        browse(server.url());
      }
      stopped.await();
    }
    return 0;
  }

  private static void requireFiles(List<Path> files) throws IOException {
    for (Path file : files) {
      if (!Files.exists(file)) {
        throw new NoSuchFileException(file.toString());
      }
    }
  }

  private void browse(String url) throws IOException {
    if (Desktop.isDesktopSupported() && Desktop.getDesktop().isSupported(Desktop.Action.BROWSE)) {
      Desktop.getDesktop().browse(URI.create(url));
    } else {
      PrintWriter err = spec.commandLine().getErr();
      err.println("note: --open finds no browser here; open the address yourself");
      err.flush();
    }
  }
}
