package io.perflow.cli.figure;

/**
 * The colour space OKLab of Björn Ottosson (2020), in which distances are about as the eye sees
 * them.
 */
final class OkLab {
  private OkLab() {}

  /**
   * Returns lightness, a and b of a colour given as lightness, chroma and hue in degrees, within
   * sRGB.
   */
  static double[] inGamut(double[] lch) {
    if (fits(toLinear(lab(lch, 1)))) {
      return lab(lch, 1);
    }
    double low = 0;
    double high = 1;
    for (int i = 0; i < 24; i++) {
      double middle = (low + high) / 2;
      if (fits(toLinear(lab(lch, middle)))) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return lab(lch, low);
  }

  /** Returns the colour as 0xRRGGBB. */
  static int toRgb(double[] lab) {
    double[] linear = toLinear(lab);
    int rgb = 0;
    for (double c : linear) {
      rgb = rgb << 8 | (int) Math.round(255 * Math.clamp(gamma(c), 0, 1));
    }
    return rgb;
  }

  /** Returns lightness, a and b of 0xRRGGBB. */
  static double[] fromRgb(int rgb) {
    double r = linear((rgb >> 16 & 255) / 255.0);
    double g = linear((rgb >> 8 & 255) / 255.0);
    double b = linear((rgb & 255) / 255.0);
    double l = StrictMath.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
    double m = StrictMath.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
    double s = StrictMath.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
    return new double[] {
      0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
      1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
      0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s
    };
  }

  private static double[] lab(double[] lch, double factor) {
    double hue = Math.toRadians(lch[2]);
    double chroma = factor * lch[1];
    return new double[] {lch[0], chroma * StrictMath.cos(hue), chroma * StrictMath.sin(hue)};
  }

  private static double[] toLinear(double[] lab) {
    double l = cube(lab[0] + 0.3963377774 * lab[1] + 0.2158037573 * lab[2]);
    double m = cube(lab[0] - 0.1055613458 * lab[1] - 0.0638541728 * lab[2]);
    double s = cube(lab[0] - 0.0894841775 * lab[1] - 1.2914855480 * lab[2]);
    return new double[] {
      4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
      -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
      -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s
    };
  }

  private static boolean fits(double[] linear) {
    for (double c : linear) {
      if (c < 0 || c > 1) {
        return false;
      }
    }
    return true;
  }

  private static double cube(double x) {
    return x * x * x;
  }

  // The transfer functions of sRGB (IEC 61966-2-1).
  private static double gamma(double c) {
    return c <= 0.0031308 ? 12.92 * c : 1.055 * StrictMath.pow(c, 1 / 2.4) - 0.055;
  }

  private static double linear(double c) {
    return c <= 0.04045 ? c / 12.92 : StrictMath.pow((c + 0.055) / 1.055, 2.4);
  }
}
