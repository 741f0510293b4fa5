package io.perflow.cuda.driver;

/**
 * One parameter of a kernel as its PTX declares it: type without the dot ({@code u64}, {@code f32},
 * {@code b8} for a structure), size, alignment and offset in the parameter space, all in bytes.
 */
public record Param(String name, String type, int bytes, int alignment, int offset) {
  @Override
  public String toString() {
    return type.equals("b8") ? "b8[%d] %s".formatted(bytes, name) : type + " " + name;
  }
}
