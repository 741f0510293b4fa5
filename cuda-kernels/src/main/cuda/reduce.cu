// flags: -fmad=false
//
// Many numbers to one; matches ScalarReductions. No atomics: the order of every sum is fixed by the
// shapes alone, so results have the same bits on every device.
//
// Element j of result r lies at kept(r) + reduced(j). Each result is cut into `parts` stretches of
// `chunk` elements; with more than one part a second kernel joins them. A sum over a stretch runs
// in at most a few hundred steps per thread, then over a tree.
#include "functions.cuh"
#include "walk.cuh"
#include "warp.cuh"

template <class T>
struct Sum {
  static constexpr int UNROLL = 4;
  T value = 0;
  __device__ void add(T x, int) { value += x; }
  __device__ void merge(const Sum& o) { value += o.value; }
  __device__ Sum at_lane(int d) const { return {from_lane(value, d)}; }
  __device__ T result() const { return value; }
};

template <class T>
struct Max {
  static constexpr int UNROLL = 1;
  T value = T(-INFINITY);
  __device__ void add(T x, int) { value = larger(value, x); }
  __device__ void merge(const Max& o) { value = larger(value, o.value); }
  __device__ Max at_lane(int d) const { return {from_lane(value, d)}; }
  __device__ T result() const { return value; }
};

template <class T>
struct Min {
  static constexpr int UNROLL = 1;
  T value = T(INFINITY);
  __device__ void add(T x, int) { value = smaller(value, x); }
  __device__ void merge(const Min& o) { value = smaller(value, o.value); }
  __device__ Min at_lane(int d) const { return {from_lane(value, d)}; }
  __device__ T result() const { return value; }
};

// The first largest, a NaN above all numbers; place -1 while there is none.
template <class T>
struct ArgMax {
  static constexpr int UNROLL = 1;
  T value = 0;
  int place = -1;
  __device__ void add(T x, int j) { merge({x, j}); }
  __device__ void merge(const ArgMax& o) {
    bool tie = !beats(o.value, value) && !beats(value, o.value);
    if (o.place >= 0 && (place < 0 || beats(o.value, value) || (tie && o.place < place))) *this = o;
  }
  __device__ ArgMax at_lane(int d) const { return {from_lane(value, d), from_lane(place, d)}; }
  __device__ T result() const { return T(place); }
};

template <class A>
__device__ A warp_merge(A a) {
#pragma unroll 1
  for (int d = WARP / 2; d > 0; d /= 2) a.merge(a.at_lane(d));
  return a;
}

// Elements from, from + step, … below to.
template <class A, class T>
__device__ A stretch(const T* x, const Walk<1>& reduced, int from, int to, int step) {
  A a;
  if (reduced.rank == 1) {
    int stride = reduced.stride[0][0];
#pragma unroll A::UNROLL
    for (int j = from; j < to; j += step) a.add(x[(long long)j * stride], j);
  } else {
#pragma unroll 1
    for (int j = from; j < to; j += step) {
      int at[1];
      reduced.locate(j, at);
      a.add(x[at[0]], j);
    }
  }
  return a;
}

template <class A, class T>
__device__ void put(void* out, int index, int parts, const A& a) {
  if (parts == 1) {
    static_cast<T*>(out)[index] = a.result();
  } else {
    static_cast<A*>(out)[index] = a;
  }
}

struct Cut {
  int results;
  int count;  // elements of a result
  int parts;
  int chunk;  // elements of a part, but for the last
};

// A warp for each part of each result: for neighbours in memory that are summed.
// Grid: as many blocks of 256 threads as cover results * parts warps, or fewer.
template <class A, class T>
__device__ void reduce_rows(void* out, const T* x, const Cut& cut, const Walk<1>& kept,
                            const Walk<1>& reduced) {
  int lane = threadIdx.x % WARP;
  int warps = blockDim.x / WARP;
  for (int job = blockIdx.x * warps + threadIdx.x / WARP; job < cut.results * cut.parts;
       job += gridDim.x * warps) {
    int at[1];
    kept.locate(job / cut.parts, at);
    int from = job % cut.parts * cut.chunk;
    int to = min(from + cut.chunk, cut.count);
    A a = warp_merge(stretch<A>(x + at[0], reduced, from + lane, to, WARP));
    if (lane == 0) put<A, T>(out, job, cut.parts, a);
  }
}

// A thread for each part of each result: for neighbours in memory that belong to different results.
// Grid: as many blocks as cover results * parts threads, or fewer.
template <class A, class T>
__device__ void reduce_columns(void* out, const T* x, const Cut& cut, const Walk<1>& kept,
                               const Walk<1>& reduced) {
  FOR_EACH(job, cut.results * cut.parts) {
    int r = job % cut.results;
    int part = job / cut.results;
    int at[1];
    kept.locate(r, at);
    int from = part * cut.chunk;
    A a = stretch<A>(x + at[0], reduced, from, min(from + cut.chunk, cut.count), 1);
    put<A, T>(out, r * cut.parts + part, cut.parts, a);
  }
}

// y(r) from parts (results, parts): a warp for each result.
template <class A, class T>
__device__ void reduce_parts(T* y, const void* in, int results, int parts) {
  int lane = threadIdx.x % WARP;
  int warps = blockDim.x / WARP;
  for (int r = blockIdx.x * warps + threadIdx.x / WARP; r < results; r += gridDim.x * warps) {
    const A* p = static_cast<const A*>(in) + (long long)r * parts;
    A a;
#pragma unroll 1
    for (int j = lane; j < parts; j += WARP) a.merge(p[j]);
    a = warp_merge(a);
    if (lane == 0) y[r] = a.result();
  }
}

#define REDUCTION(name, A, type, suffix)                                                     \
  extern "C" __global__ void reduce_rows_##name##_##suffix(                                  \
      void* out, const type* x, Cut cut, Walk<1> kept, Walk<1> reduced) {                    \
    reduce_rows<A<type>>(out, x, cut, kept, reduced);                                        \
  }                                                                                          \
  extern "C" __global__ void reduce_columns_##name##_##suffix(                               \
      void* out, const type* x, Cut cut, Walk<1> kept, Walk<1> reduced) {                    \
    reduce_columns<A<type>>(out, x, cut, kept, reduced);                                     \
  }                                                                                          \
  extern "C" __global__ void reduce_parts_##name##_##suffix(type* y, const void* in,         \
                                                            int results, int parts) {        \
    reduce_parts<A<type>>(y, in, results, parts);                                            \
  }
#define REDUCTIONS(type, suffix)         \
  REDUCTION(sum, Sum, type, suffix)      \
  REDUCTION(max, Max, type, suffix)      \
  REDUCTION(min, Min, type, suffix)      \
  REDUCTION(argmax, ArgMax, type, suffix)

REDUCTIONS(float, f32)
REDUCTIONS(double, f64)

// Running sums of lines of n elements, in double. `lines` walks over the starts of the lines in y
// and x; the strides are those along a line.

// A warp for each line, 32 elements at a time: for lines whose elements are neighbours.
template <class T>
__device__ void cumsum_rows(T* y, const T* x, int n, int yStride, int xStride,
                            const Walk<2>& lines) {
  int lane = threadIdx.x % WARP;
  int warps = blockDim.x / WARP;
  for (int line = blockIdx.x * warps + threadIdx.x / WARP; line < lines.groups;
       line += gridDim.x * warps) {
    int at[2];
    lines.locate(line, at);
    double before = 0;
    for (int first = 0; first < n; first += WARP) {
      int j = first + lane;
      double sum = j < n ? (double)x[at[1] + (long long)j * xStride] : 0.0;
#pragma unroll
      for (int d = 1; d < WARP; d *= 2) {
        double left = __shfl_up_sync(ALL_LANES, sum, d);
        if (lane >= d) sum += left;
      }
      sum += before;
      if (j < n) y[at[0] + (long long)j * yStride] = (T)sum;
      before = __shfl_sync(ALL_LANES, sum, WARP - 1);
    }
  }
}

// A thread for each line: for lines that lie side by side.
template <class T>
__device__ void cumsum_columns(T* y, const T* x, int n, int yStride, int xStride,
                               const Walk<2>& lines) {
  FOR_EACH(line, lines.groups) {
    int at[2];
    lines.locate(line, at);
    double sum = 0;
    for (int j = 0; j < n; ++j) {
      sum += (double)x[at[1] + (long long)j * xStride];
      y[at[0] + (long long)j * yStride] = (T)sum;
    }
  }
}

#define CUMULATIVE(type, suffix)                                                             \
  extern "C" __global__ void cumsum_rows_##suffix(type* y, const type* x, int n, int yStride, \
                                                  int xStride, Walk<2> lines) {              \
    cumsum_rows(y, x, n, yStride, xStride, lines);                                           \
  }                                                                                          \
  extern "C" __global__ void cumsum_columns_##suffix(                                        \
      type* y, const type* x, int n, int yStride, int xStride, Walk<2> lines) {              \
    cumsum_columns(y, x, n, yStride, xStride, lines);                                        \
  }

CUMULATIVE(float, f32)
CUMULATIVE(double, f64)
