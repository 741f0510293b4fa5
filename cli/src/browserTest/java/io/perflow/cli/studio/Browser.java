package io.perflow.cli.studio;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.openqa.selenium.By;
import org.openqa.selenium.Dimension;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.interactions.Actions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;
import org.openqa.selenium.support.ui.WebDriverWait;

/** A headless Chromium that shows the page, and the things a person does there. */
final class Browser implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(4); // on a busy machine

  // It warns of a protocol for a newer browser, of which no part is used that changed.
  private static final Logger SELENIUM = Logger.getLogger("org.openqa.selenium");

  static {
    SELENIUM.setLevel(Level.SEVERE);
  }

  private final ChromeDriver driver;

  Browser(boolean dark, int width, int height) {
    ChromeOptions options = new ChromeOptions();
    options.addArguments(
        "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage");
    options.addArguments("--window-size=%d,%d".formatted(width, height));
    found("chromium", "google-chrome").ifPresent(file -> options.setBinary(file.toFile()));
    LoggingPreferences all = new LoggingPreferences();
    all.enable(LogType.BROWSER, Level.ALL);
    options.setCapability("goog:loggingPrefs", all);
    ChromeDriverService.Builder service = new ChromeDriverService.Builder();
    found("chromedriver").ifPresent(file -> service.usingDriverExecutable(file.toFile()));
    driver = new ChromeDriver(service.build(), options);
    driver.manage().window().setSize(new Dimension(width, height));
    driver.executeCdpCommand(
        "Emulation.setEmulatedMedia",
        Map.of(
            "features",
            List.of(Map.of("name", "prefers-color-scheme", "value", dark ? "dark" : "light"))));
  }

  private static Optional<Path> found(String... names) {
    for (String name : names) {
      for (String directory : System.getenv("PATH").split(File.pathSeparator)) {
        Path file = Path.of(directory, name);
        if (Files.isExecutable(file)) {
          return Optional.of(file);
        }
      }
    }
    return Optional.empty();
  }

  /** Opens the page and waits until the first reconstruction is done. */
  Browser open(String url) {
    driver.get(url);
    waitUntilDone();
    return this;
  }

  /** A width and height of the page itself, as on a phone. */
  void screen(int width, int height) {
    driver.executeCdpCommand(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", width < 600));
  }

  void waitUntilDone() {
    waitFor("document.getElementById('status').textContent.startsWith('done')");
  }

  /** Waits until an expression of JavaScript is true. */
  void waitFor(String condition) {
    new WebDriverWait(driver, PATIENCE, Duration.ofMillis(50))
        .withMessage(() -> condition + "; status: " + text("status") + "; alert: " + text("alert"))
        .until(d -> Boolean.TRUE.equals(script("return Boolean(" + condition + ")")));
  }

  Object script(String code) {
    return driver.executeScript(code);
  }

  long number(String expression) {
    return ((Number) script("return " + expression)).longValue();
  }

  WebElement id(String id) {
    return driver.findElement(By.id(id));
  }

  String text(String id) {
    return String.valueOf(script("return document.getElementById('" + id + "').textContent"));
  }

  List<WebElement> all(String css) {
    return driver.findElements(By.cssSelector(css));
  }

  int sensors() {
    return all("#sensors .sensor").size();
  }

  Actions actions() {
    return new Actions(driver);
  }

  /** Forgets what was shown, so that a later waitUntilDone waits for what comes. */
  void forget() {
    script("document.getElementById('status').textContent = ''");
  }

  /** Clicks the large map at a part of its width and height, from the upper left. */
  void clickMap(double x, double y) {
    WebElement board = id("board");
    Dimension size = board.getSize();
    actions()
        .moveToElement(
            board,
            (int) Math.round((x - 0.5) * size.width),
            (int) Math.round((y - 0.5) * size.height))
        .click()
        .perform();
  }

  /** Warnings and errors of the console so far. */
  List<String> complaints() {
    return driver.manage().logs().get(LogType.BROWSER).getAll().stream()
        .filter(entry -> entry.getLevel().intValue() >= Level.WARNING.intValue())
        .map(LogEntry::getMessage)
        .toList();
  }

  byte[] screenshot() {
    return driver.getScreenshotAs(OutputType.BYTES);
  }

  @Override
  public void close() {
    driver.quit();
  }
}
