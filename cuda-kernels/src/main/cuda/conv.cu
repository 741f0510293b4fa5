// Convolution and its two adjoints as matrix products whose left matrix is read from the image
// (implicit GEMM); matches ScalarConvolution. Images lie (n, h, w, c), channels innermost.
//
// Forward and adjoint in x are one kernel. With rows m = (n, r, c) of the image that is written,
// columns the channels of it, and k = (u, v, i) over kernel taps and channels of the image that is
// read:
//   y(m, o) = bias(o) + sum over k of image(n, place(r, u), place(c, v), i) filter(k, o)
// Forward, place(r, u) = r stride + u - pad. Adjoint, place(r, u) = (r + pad - u) / stride where
// that is whole, with the filter's channels exchanged. Beyond the edge lie zeros, or the image
// again where the axis is periodic.
//
// Grid: x tiles of rows, y tiles of columns, z groups (forward) or groups * splits (weights).
#include "image.cuh"

template <class Tile, int V, class T>
__device__ void convolve(T* y, const T* image, const T* filter, const T* bias,
                         const Convolution& c) {
  int group = blockIdx.z;
  ImageByPixel<T, V> left = {image + group * c.channels.value, c};
  AlongLines<T, Tile::PIECE> right = {filter + (long long)group * c.depth * c.filterPitch,
                                      c.filterPitch, c.depth, c.filterPitch};
  int first = group * c.outChannels;
  Rows<T> rows = {y + first, bias == nullptr ? nullptr : bias + first, T(1), c.pixels,
                  c.outChannels, c.outPitch, c.vector};
  gemm<Tile>(left, right, rows, blockIdx.x * Tile::HEIGHT, blockIdx.y * Tile::WIDTH, 0, c.depth);
}

#define CONVOLVE(name, type, Tile, V)                                                        \
  extern "C" __global__ void __launch_bounds__(Tile::THREADS)                                \
      conv_##name(type* y, const type* image, const type* filter, const type* bias,          \
                  Convolution c) {                                                           \
    convolve<Tile, V>(y, image, filter, bias, c);                                            \
  }

using Narrow = Tile<float, 128, 32, 16, 4, 4>;
using Small = Tile<float, 64, 64, 16, 4, 4>;
using Large = Tile<float, 128, 128, 8, 8, 8>;
using Doubles = Tile<double, 32, 32, 16, 2, 2>;

CONVOLVE(narrow_v4_f32, float, Narrow, 4)
CONVOLVE(small_v4_f32, float, Small, 4)
CONVOLVE(large_v4_f32, float, Large, 4)
CONVOLVE(narrow_f32, float, Narrow, 1)
CONVOLVE(small_f32, float, Small, 1)
CONVOLVE(large_f32, float, Large, 1)
CONVOLVE(small_f64, double, Doubles, 1)

// A(m, k) of the weight gradient: m = (u, v, i), k = pixel of dy; neighbouring channels at once.
template <class T, int VECTOR>
struct ImageByTap {
  static constexpr int V = VECTOR;
  static constexpr bool ALONG_K = false;
  struct Line {
    int i;  // channel, or -1 beyond the last tap
    int u;
    int v;
  };

  const T* data;
  const Convolution& c;

  __device__ Line line(int m) const {
    if (m >= c.depth) return {-1, 0, 0};
    int u, v, i;
    split_depth(c, m, u, v, i);
    return {i, u, v};
  }

  __device__ void load(const Line& line, int k, T (&out)[V]) const {
    int n, r, s;
    split_pixel(c, k, n, r, s);
    int y = c.h.place(r * c.h.scale + c.h.shift, line.u);
    int x = c.w.place(s * c.w.scale + c.w.shift, line.v);
    bool in = line.i >= 0 && k < c.pixels && y >= 0 && x >= 0;
    const T* p =
        data + (long long)((n * c.h.extent + y) * c.w.extent + x) * c.inPitch + line.i;
    if constexpr (V > 1) {
      Group<T> g = {};
      if (in) g = ::load(p, 1);
#pragma unroll
      for (int j = 0; j < V; ++j) out[j] = g.e[j];
    } else {
      out[0] = in ? *p : T(0);
    }
  }
};

// dw as (split, u, v, i, o): each split sums `chunk` pixels; a reduction joins the splits.
template <class Tile, int V, class T>
__device__ void weight_gradient(T* dw, const T* image, const T* dy, int splits, int chunk,
                                const Convolution& c) {
  int group = blockIdx.z / splits;
  int split = blockIdx.z % splits;
  int first = group * c.outChannels;
  ImageByTap<T, V> left = {image + group * c.channels.value, c};
  AlongLines<T, V> right = {dy + first, c.outChannels, c.pixels, c.outPitch};
  Rows<T> rows = {dw + (long long)split * c.depth * c.outPitch + first, nullptr, T(1), c.depth,
                  c.outChannels, c.outPitch, c.vector};
  int from = split * chunk;
  gemm<Tile>(left, right, rows, blockIdx.x * Tile::HEIGHT, blockIdx.y * Tile::WIDTH, from,
             min(from + chunk, c.pixels));
}

#define WEIGHT_GRADIENT(name, type, Tile, V)                                                 \
  extern "C" __global__ void __launch_bounds__(Tile::THREADS)                                \
      conv_weight_##name(type* dw, const type* image, const type* dy, int splits, int chunk, \
                         Convolution c) {                                                    \
    weight_gradient<Tile, V>(dw, image, dy, splits, chunk, c);                               \
  }

WEIGHT_GRADIENT(small_v4_f32, float, Small, 4)
WEIGHT_GRADIENT(large_v4_f32, float, Large, 4)
WEIGHT_GRADIENT(small_f32, float, Small, 1)
WEIGHT_GRADIENT(small_f64, double, Doubles, 1)

// Adds what a convolution's adjoint put on the margin of a periodic image to the other side: dx (n,
// h, w, c) from padded (n, h + 2 padH, w + 2 padW, c); a pad of 0 leaves its axis alone. Needed
// only where stride and extent do not divide; otherwise the convolution itself wraps round.
// Grid: any number of blocks of any size; a thread for each element of dx.
template <class T>
__device__ void fold(T* dx, const T* padded, const T* bias, int count, Divisor h, Divisor w,
                     Divisor c, int padH, int padW) {
  FOR_EACH(e, count) {
    int pixel = c.quotient(e);
    int line = w.quotient(pixel);
    int image = h.quotient(line);
    int channel = e - pixel * c.value;
    int x = pixel - line * w.value;
    int y = line - image * h.value;
    int high = h.value + 2 * padH, wide = w.value + 2 * padW;
    T sum = bias == nullptr ? T(0) : bias[channel];
    for (int a = y + padH - h.value; a < high; a += h.value) {
      if (a < 0) continue;
      for (int b = x + padW - w.value; b < wide; b += w.value) {
        if (b < 0) continue;
        sum += padded[((long long)(image * high + a) * wide + b) * c.value + channel];
      }
    }
    dx[e] = sum;
  }
}

#define FOLD(type, suffix)                                                                   \
  extern "C" __global__ void conv_fold_##suffix(type* dx, const type* padded,                \
                                                const type* bias, int count, Divisor h,      \
                                                Divisor w, Divisor c, int padH, int padW) {  \
    fold(dx, padded, bias, count, h, w, c, padH, padW);                                      \
  }

FOLD(float, f32)
FOLD(double, f64)
