package io.perflow.cli.studio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.support.ui.Select;

/** What a person does on the page, in a real browser; the console must stay empty. */
class StudioPageTest {
  @TempDir static Path home;
  private static StudioServer server;
  private static Browser browser;
  private boolean complaintsExpected;

  @BeforeAll
  static void start() throws IOException {
    TinyModels.write(home);
    server = StudioServer.start(TinyModels.library(home), 0);
    browser = new Browser(false, 1300, 1000);
  }

  @AfterAll
  static void stop() {
    browser.close();
    server.close();
  }

  @BeforeEach
  void open() {
    browser.open(server.url());
  }

  @AfterEach
  void theConsoleIsEmpty() {
    List<String> complaints = browser.complaints();
    assertTrue(complaintsExpected || complaints.isEmpty(), complaints.toString());
  }

  private static void change(Runnable what) {
    browser.forget();
    what.run();
    browser.waitUntilDone();
  }

  private static WebElement sensor(int number) {
    return browser.all("#sensors .sensor").get(number);
  }

  @Test
  void itBeginsWithTheLawsSensorsAndShowsEverything() {
    assertEquals(6, browser.sensors());
    assertEquals(20, browser.all("#drawings .sample:not([hidden])").size());
    // truth, mean, deviation and error
    assertEquals(4, browser.all("#gallery figure:not([hidden])").size());
    assertTrue(browser.text("judgement").contains("mass=300"), browser.text("judgement"));
    assertTrue(browser.text("judgement").contains("6 readings of T"), browser.text("judgement"));
    assertTrue(browser.text("x-name").equals("x [m]"), browser.text("x-name"));
    assertTrue(browser.text("board-bar").contains("K"), browser.text("board-bar"));
    assertTrue(browser.text("command").contains("--system kriging --samples 20"));
    long first = browser.number("Number(document.documentElement.dataset.firstPicture)");
    assertTrue(first >= 0, "first picture after " + first + " ms");
  }

  @Test
  void placeDragAndRemoveByMouse() {
    change(() -> browser.clickMap(0.71, 0.33));
    assertEquals(7, browser.sensors());
    WebElement placed = sensor(6);
    String before = placed.getDomAttribute("aria-label");
    assertTrue(before.startsWith("Sensor 7 at x 0.719, y 0.656"), before);
    change(() -> browser.actions().clickAndHold(placed).moveByOffset(-90, 60).release().perform());
    assertEquals(7, browser.sensors());
    assertNotEquals(before, sensor(6).getDomAttribute("aria-label"));
    change(() -> browser.id("remove").click());
    assertEquals(6, browser.sensors());
  }

  @Test
  void placeMoveAndRemoveByKeys() {
    WebElement board = browser.id("board");
    change(() -> board.sendKeys(Keys.ARROW_RIGHT, Keys.ARROW_UP, Keys.ENTER));
    assertEquals(7, browser.sensors());
    String before = sensor(6).getDomAttribute("aria-label");
    change(() -> sensor(6).sendKeys(Keys.ARROW_LEFT));
    String after = sensor(6).getDomAttribute("aria-label");
    assertNotEquals(before, after);
    change(() -> sensor(6).sendKeys(Keys.DELETE));
    assertEquals(6, browser.sensors());
  }

  @Test
  void samplesComeOneByOneAndAChangeEndsThem() {
    change(() -> new Select(browser.id("model")).selectByIndex(modelNumber("puffs-flow")));
    browser.forget();
    setNumber("steps", 200);
    browser.waitFor("document.querySelectorAll('#drawings .sample:not([hidden])').length > 1");
    browser.waitFor("document.querySelectorAll('#drawings .sample:not([hidden])').length < 20");
    setNumber("steps", 2);
    browser.waitUntilDone();
    assertEquals(20, browser.all("#drawings .sample:not([hidden])").size());
  }

  private static int modelNumber(String name) {
    List<WebElement> options = new Select(browser.id("model")).getOptions();
    for (int i = 0; i < options.size(); i++) {
      if (options.get(i).getText().startsWith(name + " ")) {
        return i;
      }
    }
    throw new AssertionError(name);
  }

  private static void setNumber(String id, int value) {
    browser.script(
        "const e = document.getElementById('%s'); e.value = %d; e.dispatchEvent(new Event('change'))"
            .formatted(id, value));
  }

  @Test
  void anotherModelWithFramesAndQuantities() {
    change(() -> new Select(browser.id("model")).selectByIndex(modelNumber("puffs")));
    assertEquals(2, browser.all("#quantities button").size());
    assertEquals("2", browser.id("frame").getDomProperty("max"));
    String before = browser.text("layer-title");
    browser.all("#quantities button").get(1).click();
    assertEquals("mean of T [K], kriging", browser.text("layer-title"));
    assertNotEquals(before, browser.text("layer-title"));
    browser.id("frame").sendKeys(Keys.ARROW_RIGHT);
    assertEquals("t 1 s", browser.text("frame-name"));
    Object top = browser.script("return document.getElementById('gallery').offsetTop");
    browser.all("#gallery figure button").get(2).click();
    assertEquals(top, browser.script("return document.getElementById('gallery').offsetTop"));
    String shown = browser.text("layer-title");
    assertTrue(shown.startsWith("standard deviation of T"), shown);
  }

  @Test
  void theDistributionUnderTheMouse() {
    browser.actions().moveToElement(browser.id("board"), 20, 20).perform();
    browser.waitFor("document.querySelectorAll('#histogram .bin').length > 2");
    String text = browser.text("point-text");
    assertTrue(
        text.matches("T at x [\\d.]+, y [\\d.]+: [\\d.]+ ± .* K, truth .*5\\h%:\\h.*"), text);
  }

  @Test
  void theNextSensorIsSuggested() {
    change(() -> browser.id("suggest").click());
    assertEquals(7, browser.sensors());
  }

  @Test
  void readingsOfAPersonsOwn() throws IOException {
    Path good = Files.writeString(home.resolve("own.csv"), "y,x,T\n0.3,0.4,310\n0.8,0.7,295\n");
    change(() -> browser.id("table").sendKeys(good.toString()));
    assertEquals(2, browser.sensors());
    assertEquals("", browser.id("source").getDomProperty("value"));
    sensor(0).click();
    WebElement value = browser.all("#editor-values input").getFirst();
    assertEquals("310", value.getDomProperty("value"));
    complaintsExpected = true; // the browser itself notes the refused request
    Path bad = Files.writeString(home.resolve("bad.csv"), "y,x,T\n0.3,0.4,warm\n");
    browser.id("table").sendKeys(bad.toString());
    browser.waitFor("!document.getElementById('alert').hidden");
    assertTrue(browser.text("alert").startsWith("bad.csv: line 2:"), browser.text("alert"));
    assertEquals(2, browser.sensors());
  }

  @Test
  void readingsFarFromTheTrainingDataAreWarnedOf() throws IOException {
    Path odd = Files.writeString(home.resolve("odd.csv"), "y,x,T\n0.3,0.4,31\n0.8,0.7,29\n");
    change(() -> browser.id("table").sendKeys(odd.toString()));
    browser.waitFor("document.querySelectorAll('#warnings li').length > 0");
    assertTrue(browser.text("warnings").contains("far from the training data"));
  }

  @Test
  void aServerThatIsGoneIsSaidSo() throws IOException {
    complaintsExpected = true;
    StudioServer other = StudioServer.start(TinyModels.library(home), 0);
    browser.open(other.url());
    other.close();
    browser.clickMap(0.5, 0.5);
    browser.waitFor("!document.getElementById('alert').hidden");
    assertTrue(browser.text("alert").contains("the server does not answer"));
  }

  @Test
  void aServerThatEndsIsSaidSoBeforeAnythingIsAsked() throws IOException {
    complaintsExpected = true;
    StudioServer other = StudioServer.start(TinyModels.library(home), 0);
    browser.open(other.url());
    other.close();
    browser.waitFor("!document.getElementById('alert').hidden");
    assertTrue(browser.text("alert").contains("the server does not answer"));
  }

  @Test
  void aLateAnswerToAnEarlierChoiceChangesNothing() {
    browser.script(
        """
        const ask = window.fetch;
        let slow = 1;
        window.fetch = (path, options) => path === 'api/open' && slow-- > 0
          ? ask(path, options).then(r => new Promise(done => setTimeout(() => done(r), 1500)))
              .finally(() => setTimeout(() => { window.late = true; }, 300))
          : ask(path, options);
        """);
    Select models = new Select(browser.id("model"));
    String first = models.getFirstSelectedOption().getText();
    models.selectByIndex(modelNumber("puffs"));
    change(() -> models.selectByVisibleText(first));
    browser.waitFor("window.late");
    browser.waitUntilDone();
    assertEquals(first, models.getFirstSelectedOption().getText());
    assertEquals(1, browser.all("#quantities button").size());
    assertEquals(6, browser.sensors());
  }

  @Test
  void aFieldBeyondTheLastIsTheLast() {
    String last = browser.id("index").getDomProperty("max");
    change(() -> setNumber("index", 9999));
    assertEquals(last, browser.id("index").getDomProperty("value"));
    assertTrue(browser.id("alert").getText().isEmpty());
  }

  @Test
  void aTableThatIsTooLargeIsRefusedBeforeItIsSent() throws IOException {
    Path huge =
        Files.writeString(home.resolve("huge.csv"), "y,x,T\n" + "0,0,300\n".repeat(900_000));
    browser.id("table").sendKeys(huge.toString());
    browser.waitFor("!document.getElementById('alert').hidden");
    assertTrue(
        browser.text("alert").startsWith("huge.csv has 7.2 MB, and the page takes"),
        browser.text("alert"));
    assertEquals(6, browser.sensors());
  }

  @Test
  void onlyWhatMattersIsReadAloud() {
    assertTrue(browser.text("said").startsWith("done in"), browser.text("said"));
    browser.forget();
    browser.script(
        """
        window.spoken = [];
        new MutationObserver(() => window.spoken.push(document.getElementById('said').textContent))
          .observe(document.getElementById('said'), { childList: true, characterData: true, subtree: true });
        """);
    change(() -> setNumber("seed", 2));
    long spoken = browser.number("window.spoken.length");
    assertTrue(spoken >= 2 && spoken <= 4, browser.script("return window.spoken").toString());
  }

  @Test
  void aPhoneNeedsNoScrollingSideways() {
    browser.screen(390, 844);
    long wide = browser.number("document.documentElement.scrollWidth");
    browser.screen(1300, 1000);
    assertTrue(wide <= 390, wide + " pixels");
  }
}
