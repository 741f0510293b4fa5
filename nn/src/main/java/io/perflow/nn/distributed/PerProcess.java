package io.perflow.nn.distributed;

import java.io.Serializable;

/**
 * Something that every process makes for itself, once, such as a model that is read from a {@link
 * CarriedFile}. Only the recipe travels. Work that holds it is sent to every machine once, so all
 * items there share what was made, and may use it at the same time.
 *
 * @param <T> what is made
 */
public final class PerProcess<T> implements Serializable {
  private static final long serialVersionUID = 1;

  /**
   * How it is made.
   *
   * @param <T> what is made
   */
  @FunctionalInterface
  public interface Recipe<T> extends Serializable {
    /** Makes it. */
    T make() throws Exception;
  }

  private final Recipe<T> recipe;
  private transient T made;

  private PerProcess(Recipe<T> recipe) {
    this.recipe = recipe;
  }

  /** Something that this recipe makes. */
  public static <T> PerProcess<T> of(Recipe<T> recipe) {
    return new PerProcess<>(recipe);
  }

  /** What this process has made, now or before. */
  public synchronized T get() throws Exception {
    if (made == null) {
      made = recipe.make();
    }
    return made;
  }
}
