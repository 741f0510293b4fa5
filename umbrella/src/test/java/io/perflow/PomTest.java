package io.perflow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPath;
import javax.xml.xpath.XPathExpressionException;
import javax.xml.xpath.XPathFactory;
import javax.xml.xpath.XPathNodes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.w3c.dom.Document;

/** The POMs have what Maven Central asks for, and the BOM lists them all. */
class PomTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final XPath PATH = XPathFactory.newInstance().newXPath();

  static List<Path> poms() throws IOException {
    try (Stream<Path> modules = Files.list(ROOT)) {
      return Stream.concat(Stream.of(ROOT), modules)
          .map(module -> module.resolve("build/publications/maven/pom-default.xml"))
          .filter(Files::exists)
          .sorted()
          .toList();
    }
  }

  @ParameterizedTest
  @MethodSource("poms")
  void hasWhatMavenCentralAsksFor(Path pom) throws Exception {
    Document read = read(pom);
    for (String element :
        List.of(
            "groupId",
            "artifactId",
            "version",
            "name",
            "description",
            "url",
            "licenses/license/name",
            "licenses/license/url",
            "developers/developer/name",
            "developers/developer/email",
            "scm/connection",
            "scm/developerConnection",
            "scm/url")) {
      assertFalse(text(read, "/project/" + element).isBlank(), element);
    }
    assertTrue(text(read, "/project/url").startsWith("https://"));
    assertTrue(text(read, "/project/scm/connection").startsWith("scm:git:"));
    assertFalse(text(read, "/project/version").endsWith("SNAPSHOT"));
    assertEquals(List.of(), texts(read, "//dependency[not(version)]/artifactId"), "no version");
    assertEquals(0, texts(read, "//repositories").size(), "Maven Central allows no repositories");
  }

  @ParameterizedTest
  @MethodSource("poms")
  void bringsNoSpark(Path pom) throws Exception {
    for (String group : texts(read(pom), "//dependency/groupId")) {
      assertFalse(group.matches("org\\.(apache\\.spark|apache\\.hadoop|scala-lang).*"), group);
    }
  }

  @Test
  void theBomListsEveryArtifact() throws Exception {
    TreeSet<String> artifacts = new TreeSet<>();
    for (Path pom : poms()) {
      artifacts.add(text(read(pom), "/project/artifactId"));
    }
    assertTrue(artifacts.remove("perflow-bom"), artifacts.toString());
    assertTrue(artifacts.contains("perflow-nn"), artifacts.toString());
    Document bom = read(ROOT.resolve("build/publications/maven/pom-default.xml"));
    assertEquals(
        artifacts, new TreeSet<>(texts(bom, "//dependencyManagement//dependency/artifactId")));
  }

  private static Document read(Path pom) throws Exception {
    return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(pom.toFile());
  }

  private static String text(Document pom, String path) throws XPathExpressionException {
    return PATH.evaluate(path, pom);
  }

  private static List<String> texts(Document pom, String path) throws XPathExpressionException {
    List<String> texts = new ArrayList<>();
    PATH.evaluateExpression(path, pom, XPathNodes.class)
        .forEach(node -> texts.add(node.getTextContent()));
    return texts;
  }
}
