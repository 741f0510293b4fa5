package io.perflow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.tensor.io.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** The jars that users get, and the list of what comes with them. */
class SupplyTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  private static List<Path> jars() {
    return Stream.of(System.getProperty("java.class.path").split(java.io.File.pathSeparator))
        .map(Path::of)
        .filter(file -> file.startsWith(ROOT) && file.toString().endsWith(".jar"))
        .toList();
  }

  /** The bytes of the jars do not depend on when, where and in which order they were made. */
  @Test
  void jarsHoldTheLicenceAndNoDates() throws IOException {
    assertTrue(jars().size() >= 6, jars().toString());
    for (Path file : jars()) {
      try (JarFile jar = new JarFile(file.toFile())) {
        List<ZipEntry> entries = jar.stream().map(entry -> (ZipEntry) entry).toList();
        assertEquals(1, new TreeSet<>(times(entries)).size(), file + " has files of several times");
        ZipEntry licence = jar.getEntry("META-INF/LICENSE");
        assertEquals(
            Files.readString(ROOT.resolve("LICENSE")),
            new String(jar.getInputStream(licence).readAllBytes()),
            file.toString());
        String manifest = jar.getManifest().getMainAttributes().keySet().toString();
        assertTrue(!manifest.contains("Date") && !manifest.contains("Built-By"), manifest);
      }
    }
  }

  private static List<String> times(List<ZipEntry> entries) {
    return entries.stream().map(entry -> entry.getTimeLocal().toString()).toList();
  }

  @Test
  void theBillOfMaterialsNamesWhatIsVerified() throws Exception {
    Map<String, String> verified = verified();
    Map<String, Object> bill =
        Json.object(Json.read(ROOT.resolve("build/sbom.cdx.json")), "bill of materials");
    assertEquals("CycloneDX", bill.get("bomFormat"));
    List<Object> components = Json.list(bill.get("components"), "components");
    assertTrue(components.size() > 8, components.toString());
    for (Object one : components) {
      Map<String, Object> component = Json.object(one, "component");
      String name = Json.text(component.get("bom-ref"), "bom-ref");
      Map<String, Object> hash =
          Json.object(Json.list(component.get("hashes"), "hashes").getFirst(), name);
      assertEquals(verified.get(name), hash.get("content"), name);
      Map<String, Object> licence =
          Json.object(Json.list(component.get("licenses"), "licenses").getFirst(), name);
      assertTrue(
          Json.text(licence.get("expression"), name).matches("[A-Z][\\w.-]+( OR [A-Z][\\w.-]+)*"),
          licence.toString());
    }
  }

  // SHA-256 of every artifact by its name
  private static Map<String, String> verified() throws Exception {
    Map<String, String> sums = new TreeMap<>();
    NodeList artifacts =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(ROOT.resolve("gradle/verification-metadata.xml").toFile())
            .getElementsByTagName("artifact");
    for (int i = 0; i < artifacts.getLength(); i++) {
      Element artifact = (Element) artifacts.item(i);
      Element sum = (Element) artifact.getElementsByTagName("sha256").item(0);
      sums.put(artifact.getAttribute("name"), sum.getAttribute("value"));
    }
    return sums;
  }
}
