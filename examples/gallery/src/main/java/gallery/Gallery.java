package gallery;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A program that draws the pictures of {@code docs} and prints the numbers that stand beside them.
 */
public final class Gallery {
  private Gallery() {}

  /**
   * Writes the pictures.
   *
   * @param args the directory for them
   */
  public static void main(String[] args) throws IOException {
    Path directory = Files.createDirectories(Path.of(args[0]));
    for (Picture picture :
        new Picture[] {new Obstacles(), new MeanFlow(), new AbcFlow(), new Control()}) {
      picture.figure().png().write(directory.resolve(picture.name()));
      System.out.println(picture.name() + ": " + picture.numbers());
    }
  }
}
