package gallery;

import io.perflow.cli.figure.Figure;

/** A picture of the gallery. */
interface Picture {
  /** Name of the file. */
  String name();

  /** The picture. */
  Figure figure();

  /** What was measured on the way. */
  String numbers();
}
