package io.perflow.cli;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * The converter of an option that counts something, which names the option when its value is wrong.
 */
final class Count implements ITypeConverter<Integer> {
  @Override
  public Integer convert(String text) {
    try {
      int number = Integer.parseInt(text);
      if (number >= 1) {
        return number;
      }
    } catch (NumberFormatException e) {
      if (text.matches("\\+?\\d+")) {
        throw new TypeConversionException(
            "'%s' is too large: at most %d".formatted(text, Integer.MAX_VALUE));
      }
      // reported below, in the same words as a number that is too small
    }
    throw new TypeConversionException("'%s' is not a whole number of at least 1".formatted(text));
  }
}
