package site;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** A check of links inside the project, which finds missing files and anchors. */
final class Links {
  private Links() {}

  /** Returns one line for each broken link: the page, the target, and what is wrong with it. */
  static List<String> broken(Path root, List<Page> pages) {
    Map<Path, Page> byPath = pages.stream().collect(Collectors.toMap(Page::path, p -> p));
    List<String> broken = new ArrayList<>();
    for (Page page : pages) {
      for (String target : page.targets()) {
        if (!Page.isForeign(target)) {
          String fault = fault(root, byPath, page, target);
          if (fault != null) {
            broken.add("%s links to %s: %s".formatted(page.path(), target, fault));
          }
        }
      }
    }
    return broken;
  }

  private static String fault(Path root, Map<Path, Page> pages, Page page, String target) {
    Path file = page.resolve(target);
    if (file.startsWith("..") || Files.notExists(root.resolve(file))) {
      return "there is no such file";
    }
    int hash = target.indexOf('#');
    if (hash < 0) {
      return null;
    }
    Page other = pages.get(file);
    if (other == null) {
      return "only pages have anchors";
    }
    String anchor = target.substring(hash + 1);
    boolean there = other.headings().stream().anyMatch(h -> h.anchor().equals(anchor));
    return there ? null : "there is no such heading";
  }
}
