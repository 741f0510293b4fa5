// target: sm_80
//
// Convolution on tensor cores: the products of conv.cu with both factors rounded to TF32, 10 bits
// behind the point, and sums in F32. A choice, never the default: errors are some thousand times
// those of F32.
//
// Grid: x tiles of rows, y tiles of columns, z groups. Block: 128 threads, four warps, each with a
// quarter of the tile as 2 x 2 fragments of 16 x 16. What lane holds which element of a fragment is
// not known here: tiles go in and out through shared memory.
#include <mma.h>

#include "image.cuh"

using namespace nvcuda;

// Rows and columns of a thread do not matter here, only how many threads they make.
using Block = Tile<float, 64, 64, 16, 8, 4>;
constexpr int FRAGMENT = 16;
constexpr int STEP = 8;  // along k of one instruction
constexpr int PITCH = 64 + 4;

using Left = wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::col_major>;
using Right = wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major>;
using Sum = wmma::fragment<wmma::accumulator, 16, 16, 8, float>;

template <class F>
__device__ void round_to_tf32(F& f) {
#pragma unroll
  for (int i = 0; i < f.num_elements; ++i) f.x[i] = wmma::__float_to_tf32(f.x[i]);
}

// Multiplies a pair of stripes (16, 64): fragment (i, j) of this warp's quarter.
__device__ inline void multiply(const float (*a)[PITCH], const float (*b)[PITCH], int row, int col,
                                Sum (&sums)[2][2]) {
#pragma unroll
  for (int k = 0; k < Block::DEPTH; k += STEP) {
    Left left[2];
    Right right[2];
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      wmma::load_matrix_sync(left[i], &a[k][row + i * FRAGMENT], PITCH);
      wmma::load_matrix_sync(right[i], &b[k][col + i * FRAGMENT], PITCH);
      round_to_tf32(left[i]);
      round_to_tf32(right[i]);
    }
#pragma unroll
    for (int i = 0; i < 2; ++i) {
#pragma unroll
      for (int j = 0; j < 2; ++j) wmma::mma_sync(sums[i][j], left[i], right[j], sums[i][j]);
    }
  }
}

extern "C" __global__ void __launch_bounds__(Block::THREADS)
    conv_tf32(float* y, const float* image, const float* filter, const float* bias,
              Convolution c) {
  using LoadA = ImageByPixel<float, 4>;
  using LoadB = AlongLines<float, 4>;
  using SideA = Side<Block, LoadA, Block::HEIGHT>;
  using SideB = Side<Block, LoadB, Block::WIDTH>;
  static_assert(SideA::PITCH == PITCH && SideB::PITCH == PITCH, "stripes are laid out alike");
  __shared__ alignas(32) float stripeA[2][Block::DEPTH][PITCH];
  __shared__ alignas(32) float stripeB[2][Block::DEPTH][PITCH];
  __shared__ alignas(32) float tile[Block::HEIGHT][PITCH];

  int group = blockIdx.z;
  LoadA a = {image + group * c.channels.value, c};
  LoadB b = {filter + (long long)group * c.depth * c.filterPitch, c.filterPitch, c.depth,
             c.filterPitch};
  int m0 = blockIdx.x * Block::HEIGHT, n0 = blockIdx.y * Block::WIDTH;
  SideA sideA(a, m0);
  SideB sideB(b, n0);
  int warp = threadIdx.x / 32;
  int row = warp / 2 * 32, col = warp % 2 * 32;
  Sum sums[2][2];
#pragma unroll
  for (int i = 0; i < 2; ++i) {
#pragma unroll
    for (int j = 0; j < 2; ++j) wmma::fill_fragment(sums[i][j], 0.0f);
  }
  sideA.fetch(0);
  sideB.fetch(0);
  sideA.put(stripeA[0]);
  sideB.put(stripeB[0]);
  __syncthreads();
  int half = 0;
  for (int k = 0; k < c.depth; k += Block::DEPTH) {
    bool more = k + Block::DEPTH < c.depth;
    if (more) {
      sideA.fetch(k + Block::DEPTH);
      sideB.fetch(k + Block::DEPTH);
    }
    multiply(stripeA[half], stripeB[half], row, col, sums);
    if (more) {
      sideA.put(stripeA[half ^ 1]);
      sideB.put(stripeB[half ^ 1]);
    }
    __syncthreads();
    half ^= 1;
  }
#pragma unroll
  for (int i = 0; i < 2; ++i) {
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      wmma::store_matrix_sync(&tile[row + i * FRAGMENT][col + j * FRAGMENT], sums[i][j], PITCH,
                              wmma::mem_row_major);
    }
  }
  __syncthreads();
  int first = group * c.outChannels;
  Rows<float> rows = {y + first, bias == nullptr ? nullptr : bias + first, 1.0f, c.pixels,
                      c.outChannels, c.outPitch, c.vector};
  for (int e = threadIdx.x; e < Block::HEIGHT * Block::WIDTH / 4; e += Block::THREADS) {
    int m = e / (Block::WIDTH / 4), n = e % (Block::WIDTH / 4) * 4;
    rows.put(m0 + m, n0 + n, load(&tile[m][n], 1));
  }
}
