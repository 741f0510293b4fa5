package io.perflow.interop;

/**
 * A property that all fields of a data set have in common, and the way for a model to keep it.
 *
 * @param sentence the sentence that states the property and the advice
 * @param option the option to add to {@code perflow init}, such as {@code --constrain mass:T=300}
 */
public record Suggestion(String sentence, String option) {
  /** Returns the sentence. */
  @Override
  public String toString() {
    return sentence;
  }
}
