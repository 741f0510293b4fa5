// flags: -fmad=false
//
// A step of a sampler that keeps values or means; matches ScalarAdvance:
//   y = x + weight (d - share mean(d)),  d = free ? to - from : 0.
// All operands have the shape of y or are repeated to it. One whose pointer is null is a number,
// given by value.
#include "walk.cuh"
#include "warp.cuh"

// The operands in the order of a walk, behind y at 0.
enum Operand { Y, X, TO, FROM, FREE, SHARE };

template <class T>
struct Operands {
  const T* x;
  const T* to;
  const T* from;
  const T* free;
  const T* share;
  T xValue;
  T toValue;
  T fromValue;
  T freeValue;
  T shareValue;
  T weight;
};

template <class T>
__device__ T value_or(const T* p, long long at, T value) {
  return p == nullptr ? value : p[at];
}

// Without a mean. Grid: any number of blocks of any size; a thread takes every so many-th element.
template <class T>
__device__ void advance(T* y, const Operands<T>& o, const Walk<5>& walk) {
  FOR_EACH(i, walk.groups) {
    int at[5];
    walk.locate(i, at);
    bool moves = value_or(o.free, at[FREE], o.freeValue) != 0;
    T to = value_or(o.to, at[TO], o.toValue);
    T d = moves ? to - value_or(o.from, at[FROM], o.fromValue) : T(0);
    y[at[Y]] = value_or(o.x, at[X], o.xValue) + o.weight * d;
  }
}

template <class T>
__device__ T direction(const Operands<T>& o, const int (&row)[6], const int (&at)[6]) {
  if (value_or(o.free, row[FREE] + at[FREE], o.freeValue) == 0) return T(0);
  T to = value_or(o.to, row[TO] + at[TO], o.toValue);
  return to - value_or(o.from, row[FROM] + at[FROM], o.fromValue);
}

// With a mean over the elements of `reduced`, one for each of `kept`. The sum runs over the threads'
// own elements, the lanes of a warp and the warps, an order that follows from the shape alone.
// Grid: a block for each mean, of whole warps, at most 512 threads.
template <class T>
__device__ void advance_rows(T* y, const Operands<T>& o, T scale, const Walk<6>& kept,
                             const Walk<6>& reduced) {
  __shared__ T sums[16];
  int row[6], at[6];
  kept.locate(blockIdx.x, row);
  T sum = 0;
  for (int j = threadIdx.x; j < reduced.groups; j += blockDim.x) {
    reduced.locate(j, at);
    sum += direction(o, row, at);
  }
  sum = warp_sum(sum);
  if (threadIdx.x % WARP == 0) sums[threadIdx.x / WARP] = sum;
  __syncthreads();
  T mean = 0;
  for (int w = 0; w < blockDim.x / WARP; ++w) mean += sums[w];
  mean *= scale;
  for (int j = threadIdx.x; j < reduced.groups; j += blockDim.x) {
    reduced.locate(j, at);
    T shift = value_or(o.share, row[SHARE] + at[SHARE], o.shareValue) * mean;
    T x = value_or(o.x, row[X] + at[X], o.xValue);
    y[row[Y] + at[Y]] = x + o.weight * (direction(o, row, at) - shift);
  }
}

#define ADVANCE(type, suffix)                                                                \
  extern "C" __global__ void advance_##suffix(type* y, Operands<type> o, Walk<5> walk) {     \
    advance(y, o, walk);                                                                     \
  }                                                                                          \
  extern "C" __global__ void __launch_bounds__(512) advance_rows_##suffix(                   \
      type* y, Operands<type> o, type scale, Walk<6> kept, Walk<6> reduced) {                \
    advance_rows(y, o, scale, kept, reduced);                                                \
  }

ADVANCE(float, f32)
ADVANCE(double, f64)
