// Images read as the left matrix of a product: what convolutions by different arithmetic share.
// See conv.cu for the formula.
#pragma once

#include "gemm.cuh"

// From a place of the written image and a tap to a place of the image that is read.
struct AxisMap {
  int extent;    // of the image that is read
  int scale;     // place = (scale r + direction u + shift) / divisor
  int direction;
  int shift;
  int divisor;
  int circular;

  // The place, or -1 where there is a zero.
  __device__ int place(int start, int u) const {
    int t = start + direction * u;
    if (circular) {  // at most once round, because padding never exceeds the extent
      int turn = extent * divisor;
      t += t < 0 ? turn : t >= turn ? -turn : 0;
    }
    if (divisor > 1) {
      int q = t / divisor;
      if (q * divisor != t) return -1;
      t = q;
    }
    return t >= 0 && t < extent ? t : -1;
  }
};

struct Convolution {
  AxisMap h;
  AxisMap w;
  Divisor outH;      // of the image that is written
  Divisor outW;
  Divisor channels;  // of one group of the image that is read
  Divisor tapsW;     // kernel width
  int pixels;        // rows of the product: n outH outW
  int depth;         // taps * channels
  int inPitch;       // channels of the image that is read, of all groups
  int outChannels;   // columns of the product: channels of one group of the other image
  int outPitch;      // channels of the other image, of all groups
  int filterPitch;   // columns of the packed filter
  int vector;        // whether the written image takes 16 bytes at a time
};

// Splits k into a tap (u, v) and a channel i.
__device__ inline void split_depth(const Convolution& c, int k, int& u, int& v, int& i) {
  int tap = c.channels.quotient(k);
  i = k - tap * c.channels.value;
  u = c.tapsW.quotient(tap);
  v = tap - u * c.tapsW.value;
}

// Splits m into image n, row r and column s.
__device__ inline void split_pixel(const Convolution& c, int m, int& n, int& r, int& s) {
  int line = c.outW.quotient(m);
  s = m - line * c.outW.value;
  n = c.outH.quotient(line);
  r = line - n * c.outH.value;
}

// A(m, k) = image(n, place(r, u), place(s, v), i), V channels at a time.
template <class T, int VECTOR>
struct ImageByPixel {
  static constexpr int V = VECTOR;
  static constexpr bool ALONG_K = true;
  struct Line {
    int image;  // first pixel of the image, or -1 beyond the last row
    int h;      // scaled and shifted row and column
    int w;
  };

  const T* data;
  const Convolution& c;

  __device__ Line line(int m) const {
    if (m >= c.pixels) return {-1, 0, 0};
    int n, r, s;
    split_pixel(c, m, n, r, s);
    return {n * c.h.extent * c.w.extent, r * c.h.scale + c.h.shift, s * c.w.scale + c.w.shift};
  }

  __device__ void load(const Line& line, int k, T (&out)[V]) const {
    int u, v, i;
    split_depth(c, k, u, v, i);
    int y = c.h.place(line.h, u);
    int x = c.w.place(line.w, v);
    bool in = line.image >= 0 && k < c.depth && y >= 0 && x >= 0;
    const T* p = data + (long long)(line.image + y * c.w.extent + x) * c.inPitch + i;
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
