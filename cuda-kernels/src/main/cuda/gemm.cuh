// The product of two matrices, tile by tile: C(m, n) = sum over k of A(m, k) B(k, n), k ascending,
// every step a fused multiply-add.
//
// A block computes a tile of C. It moves along k in steps of DEPTH: while it multiplies one pair of
// stripes in shared memory, the next pair is already on its way from global memory to registers,
// and goes to the other half of shared memory afterwards, so that one barrier per step is enough. A
// thread holds ROWS x COLS results in registers, in pieces of 16 bytes as far apart as the tile
// allows, which spreads the threads of a warp over all banks of shared memory.
//
// Where A and B come from is the matter of two loaders: matrices, or images read as matrices. A
// loader has
//   V        how many neighbours it loads at once, 1 or as many as fill 16 bytes
//   ALONG_K  whether those neighbours follow each other in k, else in m (or n)
//   Line     what it remembers of a row m (or column n), made by line(m)
//   load     the V elements from (line, k) on, zeros beyond the edges.
#pragma once

#include "walk.cuh"

template <class Number, int HEIGHT_, int WIDTH_, int DEPTH_, int ROWS_, int COLS_>
struct Tile {
  using T = Number;
  static constexpr int HEIGHT = HEIGHT_;  // of the tile of C
  static constexpr int WIDTH = WIDTH_;
  static constexpr int DEPTH = DEPTH_;  // of a step along k
  static constexpr int ROWS = ROWS_;    // of C that one thread computes
  static constexpr int COLS = COLS_;
  static constexpr int PIECE = Group<T>::WIDTH;
  static constexpr int ACROSS = WIDTH / COLS;  // threads along a row of the tile
  static constexpr int THREADS = HEIGHT / ROWS * ACROSS;
};

// One operand of a tile: EXTENT rows (or columns) of it, DEPTH deep.
template <class Tile, class Loader, int EXTENT>
struct Side {
  using T = typename Tile::T;
  static constexpr int V = Loader::V;
  static constexpr int PITCH = EXTENT + Tile::PIECE;  // in shared memory, against bank conflicts
  static constexpr int PER_LINE = Loader::ALONG_K ? Tile::DEPTH / V : EXTENT / V;
  static constexpr int LOADS = EXTENT * Tile::DEPTH / V;
  static constexpr int SLOTS = (LOADS + Tile::THREADS - 1) / Tile::THREADS;
  // When loads run along m, all loads of a thread are of the same m.
  static constexpr int LINES = Loader::ALONG_K ? SLOTS : 1;
  static_assert(Tile::THREADS % PER_LINE == 0, "a thread keeps its place within a line");

  const Loader& loader;
  typename Loader::Line lines[LINES];
  T held[SLOTS][V];

  // `first` is the row m (or column n) of the tile's corner.
  __device__ Side(const Loader& loader, int first) : loader(loader) {
#pragma unroll
    for (int s = 0; s < LINES; ++s) lines[s] = loader.line(first + extent_of(s));
  }

  static __device__ int load_of(int slot) { return threadIdx.x + slot * Tile::THREADS; }

  static __device__ int extent_of(int slot) {
    return Loader::ALONG_K ? load_of(slot) / PER_LINE : load_of(slot) % PER_LINE * V;
  }

  static __device__ int depth_of(int slot) {
    return Loader::ALONG_K ? load_of(slot) % PER_LINE * V : load_of(slot) / PER_LINE;
  }

  static __device__ bool has(int slot) {
    return LOADS % Tile::THREADS == 0 || load_of(slot) < LOADS;
  }

  // From global memory to registers: the stripe from k on.
  __device__ void fetch(int k) {
#pragma unroll
    for (int s = 0; s < SLOTS; ++s) {
      if (has(s)) loader.load(lines[s < LINES ? s : 0], k + depth_of(s), held[s]);
    }
  }

  // From registers to shared memory, as (DEPTH, EXTENT).
  __device__ void put(T (*shared)[PITCH]) const {
#pragma unroll
    for (int s = 0; s < SLOTS; ++s) {
      if (!has(s)) continue;
      if constexpr (Loader::ALONG_K) {
#pragma unroll
        for (int j = 0; j < V; ++j) shared[depth_of(s) + j][extent_of(s)] = held[s][j];
      } else if constexpr (V == Tile::PIECE) {
        Group<T> g;
#pragma unroll
        for (int j = 0; j < V; ++j) g.e[j] = held[s][j];
        store(&shared[depth_of(s)][extent_of(s)], g);
      } else {
        shared[depth_of(s)][extent_of(s)] = held[s][0];
      }
    }
  }
};

// COUNT numbers of a stripe in shared memory for this thread, in pieces `apart`.
template <class T, int COUNT, int EXTENT>
__device__ void pieces(const T* stripe, int index, T (&out)[COUNT]) {
  constexpr int PIECE = Group<T>::WIDTH;
#pragma unroll
  for (int c = 0; c < COUNT; c += PIECE) {
    Group<T> g = load(stripe + c / PIECE * (EXTENT / (COUNT / PIECE)) + index * PIECE, 1);
#pragma unroll
    for (int j = 0; j < PIECE; ++j) out[c + j] = g.e[j];
  }
}

// The tile of C with corner (m0, n0), summed over k from kFrom up to kTo; `output.put(m, n, piece)`
// takes the results. All threads of the block call it.
template <class Tile, class LoadA, class LoadB, class Output>
__device__ void gemm(const LoadA& a, const LoadB& b, const Output& output, int m0, int n0,
                     int kFrom, int kTo) {
  using T = typename Tile::T;
  using SideA = Side<Tile, LoadA, Tile::HEIGHT>;
  using SideB = Side<Tile, LoadB, Tile::WIDTH>;
  constexpr int PIECE = Tile::PIECE;
  __shared__ alignas(16) T stripeA[2][Tile::DEPTH][SideA::PITCH];
  __shared__ alignas(16) T stripeB[2][Tile::DEPTH][SideB::PITCH];

  SideA sideA(a, m0);
  SideB sideB(b, n0);
  int row = threadIdx.x / Tile::ACROSS;
  int col = threadIdx.x % Tile::ACROSS;
  T sums[Tile::ROWS][Tile::COLS] = {};

  sideA.fetch(kFrom);
  sideB.fetch(kFrom);
  sideA.put(stripeA[0]);
  sideB.put(stripeB[0]);
  __syncthreads();
  int half = 0;
  for (int k = kFrom; k < kTo; k += Tile::DEPTH) {
    bool more = k + Tile::DEPTH < kTo;
    if (more) {
      sideA.fetch(k + Tile::DEPTH);
      sideB.fetch(k + Tile::DEPTH);
    }
#pragma unroll
    for (int d = 0; d < Tile::DEPTH; ++d) {
      T left[Tile::ROWS], right[Tile::COLS];
      pieces<T, Tile::ROWS, Tile::HEIGHT>(stripeA[half][d], row, left);
      pieces<T, Tile::COLS, Tile::WIDTH>(stripeB[half][d], col, right);
#pragma unroll
      for (int i = 0; i < Tile::ROWS; ++i) {
#pragma unroll
        for (int j = 0; j < Tile::COLS; ++j) sums[i][j] = fma(left[i], right[j], sums[i][j]);
      }
    }
    if (more) {
      sideA.put(stripeA[half ^ 1]);
      sideB.put(stripeB[half ^ 1]);
    }
    __syncthreads();
    half ^= 1;
  }

#pragma unroll
  for (int i = 0; i < Tile::ROWS; ++i) {
    int m = m0 + i / PIECE * (Tile::HEIGHT / (Tile::ROWS / PIECE)) + row * PIECE + i % PIECE;
#pragma unroll
    for (int j = 0; j < Tile::COLS; j += PIECE) {
      Group<T> piece;
#pragma unroll
      for (int p = 0; p < PIECE; ++p) piece.e[p] = sums[i][j + p];
      output.put(m, n0 + j / PIECE * (Tile::WIDTH / (Tile::COLS / PIECE)) + col * PIECE, piece);
    }
  }
}

// ---- loaders and outputs for matrices in memory

// A matrix of `lines` rows (or columns) of `depth` elements, neighbours in k being neighbours in
// memory; V > 1 needs depth, pitch and address to be multiples of it.
template <class T, int VECTOR>
struct AlongK {
  static constexpr int V = VECTOR;
  static constexpr bool ALONG_K = true;
  using Line = const T*;  // null beyond the last

  const T* data;
  int lines;
  int depth;
  int pitch;  // from line to line

  __device__ Line line(int m) const {
    return m < lines ? data + (long long)m * pitch : nullptr;
  }

  __device__ void load(Line line, int k, T (&out)[V]) const {
    bool in = line != nullptr && k < depth;
    if constexpr (V > 1) {
      Group<T> g = {};
      if (in) g = ::load(line + k, 1);
#pragma unroll
      for (int j = 0; j < V; ++j) out[j] = g.e[j];
    } else {
      out[0] = in ? line[k] : T(0);
    }
  }
};

// The same with neighbours in m (or n) being neighbours in memory, V at a time.
template <class T, int VECTOR>
struct AlongLines {
  static constexpr int V = VECTOR;
  static constexpr bool ALONG_K = false;
  using Line = const T*;

  const T* data;
  int lines;
  int depth;
  int pitch;  // from k to k

  __device__ Line line(int m) const { return m < lines ? data + m : nullptr; }

  __device__ void load(Line line, int k, T (&out)[V]) const {
    bool in = line != nullptr && k < depth;
    const T* p = line + (long long)k * pitch;
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

// Any strides, one element at a time; ORDER says how neighbouring threads are placed.
template <class T, bool ORDER_ALONG_K>
struct Strided {
  static constexpr int V = 1;
  static constexpr bool ALONG_K = ORDER_ALONG_K;
  using Line = const T*;

  const T* data;
  int lines;
  int depth;
  int lineStride;
  int depthStride;

  __device__ Line line(int m) const {
    return m < lines ? data + (long long)m * lineStride : nullptr;
  }

  __device__ void load(Line line, int k, T (&out)[1]) const {
    out[0] = line != nullptr && k < depth ? line[(long long)k * depthStride] : T(0);
  }
};

// C in rows, with a bias per column (or none), times a factor.
template <class T>
struct Rows {
  T* data;
  const T* bias;
  T factor;
  int rows;
  int cols;
  int pitch;
  int vector;  // whether pieces of 16 bytes are aligned

  __device__ void put(int m, int n, Group<T> piece) const {
    if (m >= rows || n >= cols) return;
    T* to = data + (long long)m * pitch + n;
#pragma unroll
    for (int j = 0; j < Group<T>::WIDTH; ++j) {
      piece.e[j] *= factor;
      if (bias != nullptr && n + j < cols) piece.e[j] += bias[n + j];
    }
    if (vector) {
      store(to, piece);
    } else {
#pragma unroll
      for (int j = 0; j < Group<T>::WIDTH; ++j) {
        if (n + j < cols) to[j] = piece.e[j];
      }
    }
  }
};
