package io.perflow.cli.studio;

import io.perflow.tensor.Device;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.openqa.selenium.support.ui.Select;

/** Takes pictures of the page with the shipped models. */
final class StudioPicture {
  private StudioPicture() {}

  /**
   * Takes them.
   *
   * @param args the directory of the models, the file of the picture of docs/studio.md, and if
   *     wanted a directory for others: dark, as on a phone, and of other models
   */
  public static void main(String[] args) throws IOException {
    Path models = Path.of(args[0]);
    Library library =
        Library.of(
            List.of(models.resolve("darcy-flow.safetensors")), models, List.of(), Device.cpu());
    try (StudioServer server = StudioServer.start(library, 0)) {
      try (Browser light = new Browser(false, 1200, 1020).open(server.url())) {
        compare(light);
        Files.write(Path.of(args[1]), light.screenshot());
        if (args.length > 2) {
          others(light, Path.of(args[2]));
        }
      }
      if (args.length > 2) {
        try (Browser dark = new Browser(true, 1360, 1180).open(server.url())) {
          Files.write(Path.of(args[2], "dark.png"), dark.screenshot());
          dark.screen(390, 1800);
          Files.write(Path.of(args[2], "phone.png"), dark.screenshot());
        }
      }
    }
  }

  // kriging beside the flow, a few samples of each
  private static void compare(Browser browser) {
    browser.forget();
    browser.script("document.querySelector('#methods input[value=kriging]').click()");
    browser.waitUntilDone();
    browser.actions().moveToElement(browser.id("board"), 60, -40).perform();
    browser.waitFor("document.querySelectorAll('#histogram .bin').length > 2");
  }

  private static void others(Browser browser, Path directory) throws IOException {
    List<String> names =
        new Select(browser.id("model")).getOptions().stream().map(o -> o.getText()).toList();
    for (String model : List.of("burgers ", "poisson ")) {
      browser.forget();
      int number = names.indexOf(names.stream().filter(n -> n.startsWith(model)).findFirst().get());
      new Select(browser.id("model")).selectByIndex(number);
      browser.waitUntilDone();
      Files.write(directory.resolve(model.strip() + ".png"), browser.screenshot());
    }
  }
}
