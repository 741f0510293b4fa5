// flags: -fmad=false
//
// Pooling of images (n, c, h, w) and its adjoints; matches ScalarPooling. In the adjoints no two
// threads add to one pixel at once, and each pixel's windows are summed in order.
//
// The written image lies (n, h, w, c) when channelsLast, else (n, c, h, w); the images that are
// read have any strides. A thread writes one element. Grid: any number of blocks of any size.
#include "functions.cuh"
#include "walk.cuh"
#include "warp.cuh"

struct Strides {
  int n;
  int c;
  int h;
  int w;
};

struct Windows {
  int sizeH;
  int sizeW;
  int strideH;
  int strideW;
};

// The written image.
struct Written {
  Divisor c;
  Divisor h;
  Divisor w;
  int count;
  int channelsLast;

  __device__ void split(int e, int& n, int& channel, int& y, int& x) const {
    const Divisor& first = channelsLast ? c : w;
    const Divisor& second = channelsLast ? w : h;
    const Divisor& third = channelsLast ? h : c;
    int a = first.quotient(e);
    int b = second.quotient(a);
    n = third.quotient(b);
    int i = e - a * first.value, j = a - b * second.value, k = b - n * third.value;
    channel = channelsLast ? i : k;
    y = channelsLast ? k : j;
    x = channelsLast ? j : i;
  }
};

__device__ inline long long at(const Strides& s, int n, int c, int h, int w) {
  return (long long)n * s.n + (long long)c * s.c + (long long)h * s.h + (long long)w * s.w;
}

// Largest of each window and its position in the plane: the first of equals, NaN above all.
template <class T>
__device__ void max_pool(T* y, T* positions, const T* x, int width, const Strides& xs,
                         const Windows& windows, const Written& out) {
  FOR_EACH(e, out.count) {
    int n, c, row, col;
    out.split(e, n, c, row, col);
    int top = row * windows.strideH, left = col * windows.strideW;
    T best = x[at(xs, n, c, top, left)];
    int place = top * width + left;
    for (int h = top; h < top + windows.sizeH; ++h) {
      for (int w = left; w < left + windows.sizeW; ++w) {
        T candidate = x[at(xs, n, c, h, w)];
        if (beats(candidate, best)) {
          best = candidate;
          place = h * width + w;
        }
      }
    }
    y[e] = best;
    positions[e] = T(place);
  }
}

// Mean of each window.
template <class T>
__device__ void avg_pool(T* y, const T* x, const Strides& xs, const Windows& windows,
                         const Written& out) {
  FOR_EACH(e, out.count) {
    int n, c, row, col;
    out.split(e, n, c, row, col);
    int top = row * windows.strideH, left = col * windows.strideW;
    T sum = 0;
    for (int h = top; h < top + windows.sizeH; ++h) {
      for (int w = left; w < left + windows.sizeW; ++w) sum += x[at(xs, n, c, h, w)];
    }
    y[e] = sum / (windows.sizeH * windows.sizeW);
  }
}

// The windows (rows or columns of them) that cover a pixel: first to last.
__device__ inline int first_window(int pixel, int size, int stride) {
  return pixel < size ? 0 : (pixel - size) / stride + 1;
}

__device__ inline int last_window(int pixel, int stride, int windows) {
  return min(pixel / stride, windows - 1);
}

// Each gradient spread evenly over its window.
template <class T>
__device__ void avg_pool_grad(T* dx, const T* dy, int rows, int cols, const Strides& ds,
                              const Windows& windows, const Written& out) {
  FOR_EACH(e, out.count) {
    int n, c, h, w;
    out.split(e, n, c, h, w);
    T sum = 0;
    int lastRow = last_window(h, windows.strideH, rows);
    int lastCol = last_window(w, windows.strideW, cols);
    for (int r = first_window(h, windows.sizeH, windows.strideH); r <= lastRow; ++r) {
      for (int s = first_window(w, windows.sizeW, windows.strideW); s <= lastCol; ++s) {
        sum += dy[at(ds, n, c, r, s)] / (windows.sizeH * windows.sizeW);
      }
    }
    dx[e] = sum;
  }
}

// Adds the gradients (n, c, rows, cols) to dx, zeros so far, at their positions. The windows that
// chose a pixel are not known beforehand, so a warp takes a whole plane, 32 windows at a time;
// those of the 32 that chose the same pixel are summed by the first of them, in order.
// Grid: as many blocks as cover one warp for each plane, or fewer.
template <class T>
__device__ void max_pool_grad(T* dx, const T* dy, const T* positions, int planes, int rows,
                              int cols, const Strides& xs, const Strides& ds, const Strides& ps,
                              const Divisor& channels, int width) {
  int lane = threadIdx.x % WARP;
  int warps = blockDim.x / WARP;
  for (int plane = blockIdx.x * warps + threadIdx.x / WARP; plane < planes;
       plane += gridDim.x * warps) {
    int n = channels.quotient(plane);
    int c = plane - n * channels.value;
    for (int first = 0; first < rows * cols; first += WARP) {
      int i = first + lane;
      bool in = i < rows * cols;
      int r = in ? i / cols : 0, s = in ? i % cols : 0;
      int place = in ? (int)positions[at(ps, n, c, r, s)] : -1;
      T value = in ? dy[at(ds, n, c, r, s)] : T(0);
      T sum = 0;
      bool earliest = true;
      for (int l = 0; l < WARP; ++l) {
        int other = __shfl_sync(ALL_LANES, place, l);
        T others = __shfl_sync(ALL_LANES, value, l);
        if (other == place) {
          sum += others;
          if (l < lane) earliest = false;
        }
      }
      if (in && earliest) dx[at(xs, n, c, place / width, place % width)] += sum;
      __syncwarp();
    }
  }
}

#define POOL(type, suffix)                                                                    \
  extern "C" __global__ void max_pool_##suffix(type* y, type* positions, const type* x,       \
                                               int width, Strides xs, Windows windows,        \
                                               Written out) {                                 \
    max_pool(y, positions, x, width, xs, windows, out);                                       \
  }                                                                                           \
  extern "C" __global__ void max_pool_grad_##suffix(                                          \
      type* dx, const type* dy, const type* positions, int planes, int rows, int cols,        \
      Strides xs, Strides ds, Strides ps, Divisor channels, int width) {                      \
    max_pool_grad(dx, dy, positions, planes, rows, cols, xs, ds, ps, channels, width);        \
  }                                                                                           \
  extern "C" __global__ void avg_pool_##suffix(type* y, const type* x, Strides xs,            \
                                               Windows windows, Written out) {                \
    avg_pool(y, x, xs, windows, out);                                                         \
  }                                                                                           \
  extern "C" __global__ void avg_pool_grad_##suffix(type* dx, const type* dy, int rows,       \
                                                    int cols, Strides ds, Windows windows,    \
                                                    Written out) {                            \
    avg_pool_grad(dx, dy, rows, cols, ds, windows, out);                                      \
  }

POOL(float, f32)
POOL(double, f64)
