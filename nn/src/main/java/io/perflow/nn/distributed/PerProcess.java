package io.perflow.nn.distributed;

import java.io.Serializable;

/**
 * An object that every process makes for itself, once, such as a model that is read from a {@link
 * CarriedFile}. Only the recipe travels. Work that holds it is sent to every machine once, so all
 * items there share the object, and may use it at the same time.
 *
 * @param <T> the type of the object
 */
public final class PerProcess<T> implements Serializable {
  private static final long serialVersionUID = 1;

  /**
   * The recipe by which the object is made.
   *
   * @param <T> the type of the object
   */
  @FunctionalInterface
  public interface Recipe<T> extends Serializable {
    /** Makes the object. */
    T make() throws Exception;
  }

  private final Recipe<T> recipe;
  private transient T made;

  private PerProcess(Recipe<T> recipe) {
    this.recipe = recipe;
  }

  /** Returns an object that each process makes by this recipe. */
  public static <T> PerProcess<T> of(Recipe<T> recipe) {
    return new PerProcess<>(recipe);
  }

  /** Returns this process's object, which the first call makes. */
  public synchronized T get() throws Exception {
    if (made == null) {
      made = recipe.make();
    }
    return made;
  }
}
