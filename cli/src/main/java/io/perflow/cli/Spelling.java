package io.perflow.cli;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** A search for the word that a person meant who misspelt it. */
final class Spelling {
  private Spelling() {}

  /** Returns the known word that is nearest, if fewer than about a third of its letters differ. */
  static Optional<String> nearest(String written, Collection<String> known) {
    return known.stream()
        .min(Comparator.comparingInt(word -> distance(written, word)))
        .filter(word -> distance(written, word) <= Math.max(1, (written.length() + 1) / 3));
  }

  /** Returns the number of letters to insert, leave out, replace or exchange with a neighbour. */
  static int distance(String a, String b) {
    int[][] d = new int[a.length() + 1][b.length() + 1];
    for (int i = 0; i <= a.length(); i++) {
      for (int j = 0; j <= b.length(); j++) {
        if (i == 0 || j == 0) {
          d[i][j] = i + j;
          continue;
        }
        int replaced = d[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        d[i][j] = Math.min(replaced, 1 + Math.min(d[i - 1][j], d[i][j - 1]));
        if (i > 1
            && j > 1
            && a.charAt(i - 1) == b.charAt(j - 2)
            && a.charAt(i - 2) == b.charAt(j - 1)) {
          d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
        }
      }
    }
    return d[a.length()][b.length()];
  }
}
