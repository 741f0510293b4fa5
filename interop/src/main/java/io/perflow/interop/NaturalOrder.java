package io.perflow.interop;

import java.nio.file.Path;
import java.util.Comparator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The order of files by the numbers in their names, 2 before 10. */
final class NaturalOrder implements Comparator<Path> {
  private static final Pattern PIECE = Pattern.compile("\\d+|\\D+");

  @Override
  public int compare(Path a, Path b) {
    int order = compare(a.toString(), b.toString());
    return order != 0 ? order : a.compareTo(b); // 1 and 01
  }

  private static int compare(String a, String b) {
    Matcher left = PIECE.matcher(a);
    Matcher right = PIECE.matcher(b);
    while (true) {
      boolean more = left.find();
      if (more != right.find()) {
        return more ? 1 : -1;
      }
      if (!more) {
        return 0;
      }
      int order = piece(left.group(), right.group());
      if (order != 0) {
        return order;
      }
    }
  }

  private static int piece(String a, String b) {
    boolean numbers = Character.isDigit(a.charAt(0)) && Character.isDigit(b.charAt(0));
    if (!numbers) {
      return a.compareTo(b);
    }
    String x = a.replaceFirst("^0+", "");
    String y = b.replaceFirst("^0+", "");
    return x.length() != y.length() ? Integer.compare(x.length(), y.length()) : x.compareTo(y);
  }
}
