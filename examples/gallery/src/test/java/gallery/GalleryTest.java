package gallery;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GalleryTest {
  @TempDir private Path directory;

  @Test
  void picturesAreSmallFiles() throws IOException {
    Gallery.main(new String[] {directory.toString()});
    for (String name : new String[] {"obstacles.png", "mean.png", "abc.png", "control.png"}) {
      long size = Files.size(directory.resolve(name));
      assertTrue(size > 10_000 && size < 200_000, name + " has " + size + " bytes");
    }
  }
}
