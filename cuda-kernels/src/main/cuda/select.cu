// flags: -fmad=false
//
// Entries of an axis chosen by an index; matches gather and scatterAdd of ScalarMovement.
//
// `others` walks over all axes but the chosen one, in y and x; strides are those of the axis. A
// thread takes one element of y. `axisFirst` says that neighbours along the axis are neighbours in
// memory, so neighbouring threads take those.
// Grid: any number of blocks of any size.
#include "walk.cuh"

struct Axis {
  int count;  // entries of the axis in y
  int yStride;
  int xStride;
  int axisFirst;

  // Element i as a place among the other axes and an entry of the axis.
  __device__ void split(int i, int others, int& place, int& entry) const {
    place = axisFirst ? i / count : i % others;
    entry = axisFirst ? i % count : i / others;
  }
};

// y(…, i, …) = x(…, index[i], …).
template <class T>
__device__ void gather(T* y, const T* x, const int* index, const Axis& axis,
                       const Walk<2>& others) {
  FOR_EACH(i, axis.count * others.groups) {
    int place, entry, at[2];
    axis.split(i, others.groups, place, entry);
    others.locate(place, at);
    y[at[0] + (long long)entry * axis.yStride] =
        x[at[1] + (long long)index[entry] * axis.xStride];
  }
}

// y(…, s, …) = sum of x(…, i, …) over the i with index s, which are from[first[s]], … up to
// from[first[s + 1] - 1] in ascending order: each sum is one thread's, in one order, in double.
template <class T>
__device__ void scatter_add(T* y, const T* x, const int* first, const int* from,
                            const Axis& axis, const Walk<2>& others) {
  FOR_EACH(i, axis.count * others.groups) {
    int place, entry, at[2];
    axis.split(i, others.groups, place, entry);
    others.locate(place, at);
    double sum = 0;
    for (int j = first[entry]; j < first[entry + 1]; ++j) {
      sum += (double)x[at[1] + (long long)from[j] * axis.xStride];
    }
    y[at[0] + (long long)entry * axis.yStride] = (T)sum;
  }
}

#define SELECT(type, suffix)                                                              \
  extern "C" __global__ void gather_##suffix(type* y, const type* x, const int* index,    \
                                             Axis axis, Walk<2> others) {                 \
    gather(y, x, index, axis, others);                                                    \
  }                                                                                       \
  extern "C" __global__ void scatter_add_##suffix(type* y, const type* x, const int* first, \
                                                  const int* from, Axis axis,             \
                                                  Walk<2> others) {                       \
    scatter_add(y, x, first, from, axis, others);                                         \
  }

SELECT(float, f32)
SELECT(double, f64)
