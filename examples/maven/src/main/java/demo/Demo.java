package demo;

import io.perflow.Perflow;

/** Uses the library from the module path. */
public final class Demo {
  private Demo() {}

  /**
   * Prints the version of the library it found.
   *
   * @param args none
   */
  public static void main(String[] args) {
    System.out.println("maven demo on perflow-nn " + Perflow.version());
  }
}
