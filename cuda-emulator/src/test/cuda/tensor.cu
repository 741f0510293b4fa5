// Kernels of the emulator's own tests that need sm_80: asynchronous copies and tensor cores.
#include <cuda_pipeline.h>
#include <mma.h>
using namespace nvcuda;

// C = A B in TF32 with A (16m, 8k), B (8k, 16n) row-major; one warp for each 16 x 16 tile of C. Tiles of A and B are
// copied to shared memory two steps ahead of the product.
extern "C" __global__ void tf32_matmul(const float *a, const float *b, float *c, int n, int k) {
  __shared__ __align__(32) float as[2][16 * 8];
  __shared__ __align__(32) float bs[2][8 * 16];
  int row = blockIdx.y * 16, col = blockIdx.x * 16, lane = threadIdx.x;
  wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 8, float> fc;
  wmma::fill_fragment(fc, 0.0f);
  for (int t = -1; t < k / 8; t++) {
    if (t + 1 < k / 8) {
      int next = t + 1, stage = next & 1;
      __pipeline_memcpy_async(&as[stage][lane * 4], a + (row + lane / 2) * k + next * 8 + lane % 2 * 4, 16);
      __pipeline_memcpy_async(&bs[stage][lane * 4], b + (next * 8 + lane / 4) * n + col + lane % 4 * 4, 16);
    }
    __pipeline_commit();
    if (t >= 0) {
      __pipeline_wait_prior(1);
      __syncthreads();
      wmma::load_matrix_sync(fa, as[t & 1], 8);
      wmma::load_matrix_sync(fb, bs[t & 1], 16);
      for (int i = 0; i < fa.num_elements; i++) {
        fa.x[i] = wmma::__float_to_tf32(fa.x[i]);
      }
      for (int i = 0; i < fb.num_elements; i++) {
        fb.x[i] = wmma::__float_to_tf32(fb.x[i]);
      }
      wmma::mma_sync(fc, fa, fb, fc);
      __syncthreads();
    }
  }
  wmma::store_matrix_sync(c + row * n + col, fc, n, wmma::mem_row_major);
}

// One product of a row-major A and a column-major B without rounding to TF32 first: a mistake.
extern "C" __global__ void unrounded(const float *a, const float *b, float *c) {
  wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 8, float> fc;
  wmma::load_matrix_sync(fa, a, 8);
  wmma::load_matrix_sync(fb, b, 8);
  wmma::load_matrix_sync(fc, c, 16, wmma::mem_col_major);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(c, fc, 16, wmma::mem_col_major);
}
