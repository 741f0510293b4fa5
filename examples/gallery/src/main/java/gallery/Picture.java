package gallery;

import io.perflow.cli.figure.Figure;

/** A picture of the gallery. */
interface Picture {
  /** Returns the name of the file. */
  String name();

  /** Draws the picture. */
  Figure figure();

  /** Returns the numbers that were measured on the way. */
  String numbers();
}
