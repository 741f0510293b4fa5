package io.perflow.interop;

/**
 * Something that all fields of a data set have in common, and how a model keeps it.
 *
 * @param sentence what the fields have in common and what to do about it
 * @param option what to add to {@code perflow init}, such as {@code --constrain mass:T=300}
 */
public record Suggestion(String sentence, String option) {
  /** Returns the sentence. */
  @Override
  public String toString() {
    return sentence;
  }
}
