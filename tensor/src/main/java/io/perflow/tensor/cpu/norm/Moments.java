package io.perflow.tensor.cpu.norm;

/** Count, mean and sum of squared deviations, joined exactly but for rounding in double. */
final class Moments {
  double count;
  double mean;
  double squares;

  void add(double n, double m, double sq) {
    if (n > 0) {
      double total = count + n;
      double delta = m - mean;
      squares += sq + delta * delta * (count / total * n);
      mean += delta * (n / total);
      count = total;
    }
  }

  /** Columns of {@code rows} elements given by a shift and the moments about it. */
  void addColumns(int rows, int first, int cols, float[] shift, float[] sum, float[] sq) {
    double inverse = 1.0 / rows;
    double center = cols == 0 ? 0 : shift[first];
    double deviations = 0;
    double spread = 0;
    double inner = 0;
    for (int c = first; c < first + cols; c++) {
      double off = sum[c] * inverse;
      double d = shift[c] + off - center;
      deviations += d;
      spread += d * d;
      inner += sq[c] - sum[c] * off;
    }
    if (cols > 0) {
      double m = deviations / cols;
      add((double) rows * cols, center + m, inner + rows * (spread - deviations * m));
    }
  }

  void store(double[] parts, int to) {
    parts[to] = mean;
    parts[to + 1] = squares;
  }
}
