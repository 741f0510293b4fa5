// Matrix products, batched and broadcast; matches ScalarGemm.
//
// Grid: x tiles of rows, y tiles of columns, z at most as many blocks as there are products. Block:
// THREADS of the tile. `batch` walks over the products: where each begins in c, a and b.
//
// Kernels are named for how A and B lie: k along memory (k), or rows of A (m) and columns of B (n).
// Those take 16 bytes at a time and need every extent and stride along memory to allow it; the
// plain kernels take any strides.
#include "gemm.cuh"

struct Product {
  int m;
  int n;
  int k;
  int products;
  int aPitch;  // from line to line; for the plain kernels from row to row, and aStep along k
  int bPitch;  // likewise; for the plain kernels from k to k, and bStep from column to column
  int cPitch;
  int aStep;
  int bStep;
  int vector;  // whether C takes 16 bytes at a time
};

template <class Tile, class A, class B, class T>
__device__ void product(T* c, const T* a, const T* b, T factor, const Product& p,
                        const Walk<3>& batch) {
  for (int z = blockIdx.z; z < p.products; z += gridDim.z) {
    int at[3];
    batch.locate(z, at);
    A loadA;
    loadA.data = a + at[1];
    loadA.lines = p.m;
    loadA.depth = p.k;
    B loadB;
    loadB.data = b + at[2];
    loadB.lines = p.n;
    loadB.depth = p.k;
    if constexpr (A::V == 1) {
      loadA.lineStride = p.aPitch;
      loadA.depthStride = p.aStep;
      loadB.lineStride = p.bStep;
      loadB.depthStride = p.bPitch;
    } else {
      loadA.pitch = p.aPitch;
      loadB.pitch = p.bPitch;
    }
    Rows<T> rows = {c + at[0], nullptr, factor, p.m, p.n, p.cPitch, p.vector};
    gemm<Tile>(loadA, loadB, rows, blockIdx.x * Tile::HEIGHT, blockIdx.y * Tile::WIDTH, 0, p.k);
  }
}

#define MATMUL(name, type, Tile, A, B)                                                       \
  extern "C" __global__ void __launch_bounds__(Tile::THREADS)                                \
      matmul_##name(type* c, const type* a, const type* b, type factor, Product p,           \
                    Walk<3> batch) {                                                         \
    product<Tile, A, B>(c, a, b, factor, p, batch);                                          \
  }

using Small = Tile<float, 64, 64, 16, 4, 4>;
using Large = Tile<float, 128, 128, 8, 8, 8>;
using Doubles = Tile<double, 32, 32, 16, 2, 2>;
using K4 = AlongK<float, 4>;
using Lines4 = AlongLines<float, 4>;
using RowsF32 = Strided<float, true>;
using ColsF32 = Strided<float, false>;
using RowsF64 = Strided<double, true>;
using ColsF64 = Strided<double, false>;

MATMUL(kk_small_f32, float, Small, K4, K4)
MATMUL(kn_small_f32, float, Small, K4, Lines4)
MATMUL(mk_small_f32, float, Small, Lines4, K4)
MATMUL(mn_small_f32, float, Small, Lines4, Lines4)
MATMUL(kk_large_f32, float, Large, K4, K4)
MATMUL(kn_large_f32, float, Large, K4, Lines4)
MATMUL(mk_large_f32, float, Large, Lines4, K4)
MATMUL(mn_large_f32, float, Large, Lines4, Lines4)
MATMUL(plain_f32, float, Small, RowsF32, ColsF32)
MATMUL(plain_f64, double, Doubles, RowsF64, ColsF64)
