// How a kernel visits the elements of tensors of one shape that lie differently in memory.
//
// The host (io.perflow.cuda.Walk) has sorted the axes by the strides of the result, merged those
// that every operand steps over evenly, and dropped those of extent 1. Pointers already stand at
// the first element. Where the innermost axis allows it, elements are visited in groups of 16
// bytes, which are loaded at once.
#pragma once

constexpr int MAX_RANK = 8;

// Division of 0 <= n < 2^31 by a number known to the host, as a multiplication (Granlund and
// Montgomery, "Division by invariant integers using multiplication", 1994).
struct Divisor {
  int value;
  unsigned multiplier;
  int shift;

  __device__ int quotient(int n) const {
    return (__umulhi((unsigned)n, multiplier) + (unsigned)n) >> shift;
  }
};

template <int K>
struct Walk {
  int rank;    // at least 1
  int groups;  // how many groups of elements there are
  int width;   // elements of a group: 1, or as many as fill 16 bytes
  int step[K];              // between the elements of a group: 1, or 0 for one that is repeated
  Divisor extent[MAX_RANK]; // in groups, innermost axis first
  int stride[K][MAX_RANK];  // between groups, in elements

  // Where group i lies in each operand.
  __device__ void locate(int i, int (&at)[K]) const {
#pragma unroll
    for (int k = 0; k < K; ++k) at[k] = 0;
#pragma unroll 1
    for (int d = 0; d < rank; ++d) {
      int next = d + 1 < rank ? extent[d].quotient(i) : 0;
      int here = i - next * extent[d].value;
#pragma unroll
      for (int k = 0; k < K; ++k) at[k] += here * stride[k][d];
      i = next;
    }
  }
};

// 16 bytes of numbers.
template <class T>
struct Group;

template <>
struct alignas(16) Group<float> {
  static constexpr int WIDTH = 4;
  float e[WIDTH];
};

template <>
struct alignas(16) Group<double> {
  static constexpr int WIDTH = 2;
  double e[WIDTH];
};

// A group from memory: neighbours, or one number repeated.
template <class T>
__device__ Group<T> load(const T* p, int step) {
  if (step != 0) return *reinterpret_cast<const Group<T>*>(p);
  Group<T> g;
#pragma unroll
  for (int j = 0; j < Group<T>::WIDTH; ++j) g.e[j] = *p;
  return g;
}

template <class T>
__device__ void store(T* p, const Group<T>& g) {
  *reinterpret_cast<Group<T>*>(p) = g;
}

// The groups of this thread: a loop over the whole grid, so that any grid is right.
#define FOR_EACH(i, count)                                                       \
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (count) && i >= 0;     \
       i += gridDim.x * blockDim.x)
