// Attention softmax(scale q k') v without keeping the scores, and its gradients; matches
// ScalarAttention (Dao et al., "FlashAttention", 2022).
//
// q (b, h, lq, d), k (b, h, lk, d), v (b, h, lk, dv) with any strides; y (b, h, lq, dv) and
// logSumExp (b, h, lq) row-major. d and dv are at most WIDTH, the rest of a row being zeros.
//
// A block of 64 threads has 32 rows (queries, or keys for the gradients of k and v) and meets the
// other side in tiles of 32. Eight threads share four rows: thread r 8 + c computes the scores of
// rows 4 r … 4 r + 3 with c, c + 8, c + 16, c + 24, and holds columns 4 c … 4 c + 3 of every 32 of
// the results for these rows.
// Grid: x heads of all images, y tiles of rows.
#include "walk.cuh"
#include "warp.cuh"

constexpr int TILE = 32;
constexpr int THREADS = 64;
constexpr int ACROSS = 8;  // threads that share rows
constexpr int ROWS = 4;
constexpr int PITCH = TILE + 4;  // of scores in shared memory

struct Heads {
  int b;
  int h;
  int l;
  int d;  // strides
};

struct Sizes {
  Divisor heads;
  int lq;
  int lk;
  int d;
  int dv;
};

// A tile of 32 rows of a matrix in shared memory, zeros beyond its edges.
template <int WIDTH>
struct Matrix {
  static constexpr int PITCH = WIDTH + 4;
  float at[TILE][PITCH];

  __device__ void fill(const float* p, const Heads& s, int first, int rows, int cols) {
    for (int e = threadIdx.x; e < TILE * WIDTH; e += THREADS) {
      int row = e / WIDTH, col = e % WIDTH;
      bool in = first + row < rows && col < cols;
      at[row][col] = in ? p[(long long)(first + row) * s.l + col * s.d] : 0.0f;
    }
  }
};

__device__ inline int row_of(int i) { return threadIdx.x / ACROSS * ROWS + i; }
__device__ inline int other_of(int j) { return threadIdx.x % ACROSS + j * ACROSS; }

// Products of four rows of a with four of b, over the width.
template <int WIDTH>
__device__ void products(const Matrix<WIDTH>& a, const Matrix<WIDTH>& b, float (&s)[ROWS][ROWS]) {
#pragma unroll
  for (int i = 0; i < ROWS; ++i) {
#pragma unroll
    for (int j = 0; j < ROWS; ++j) s[i][j] = 0;
  }
#pragma unroll 2
  for (int d = 0; d < WIDTH; d += 4) {
    Group<float> left[ROWS], right[ROWS];
#pragma unroll
    for (int i = 0; i < ROWS; ++i) {
      left[i] = load(&a.at[row_of(i)][d], 1);
      right[i] = load(&b.at[other_of(i)][d], 1);
    }
#pragma unroll
    for (int i = 0; i < ROWS; ++i) {
#pragma unroll
      for (int j = 0; j < ROWS; ++j) {
#pragma unroll
        for (int e = 0; e < 4; ++e) s[i][j] = fmaf(left[i].e[e], right[j].e[e], s[i][j]);
      }
    }
  }
}

// Results for four rows: this thread's columns of each.
template <int WIDTH>
struct Result {
  static constexpr int COLS = WIDTH / ACROSS;
  float at[ROWS][COLS] = {};

  static __device__ int col_of(int c) { return threadIdx.x % ACROSS * 4 + c / 4 * TILE + c % 4; }

  // Adds weights (rows, 32 others) times a matrix (32 others, width).
  __device__ void add(const float (*weights)[PITCH], const Matrix<WIDTH>& m) {
#pragma unroll 2
    for (int o = 0; o < TILE; ++o) {
      float w[ROWS];
#pragma unroll
      for (int i = 0; i < ROWS; ++i) w[i] = weights[row_of(i)][o];
#pragma unroll
      for (int c = 0; c < COLS; c += 4) {
        Group<float> g = load(&m.at[o][col_of(c)], 1);
#pragma unroll
        for (int i = 0; i < ROWS; ++i) {
#pragma unroll
          for (int e = 0; e < 4; ++e) at[i][c + e] = fmaf(w[i], g.e[e], at[i][c + e]);
        }
      }
    }
  }

  // Row-major results of rows `first` on, `cols` wide, row i times factor[i].
  __device__ void store(float* to, int first, int rows, int cols, const float (&factor)[ROWS]) {
#pragma unroll
    for (int i = 0; i < ROWS; ++i) {
#pragma unroll
      for (int c = 0; c < COLS; ++c) {
        if (first + row_of(i) < rows && col_of(c) < cols) {
          to[(long long)(first + row_of(i)) * cols + col_of(c)] = at[i][c] * factor[i];
        }
      }
    }
  }
};

// Sum and largest over the eight threads that share rows.
__device__ inline float shared_sum(float x) {
#pragma unroll
  for (int d = ACROSS / 2; d > 0; d /= 2) x += from_lane(x, d);
  return x;
}

__device__ inline float shared_max(float x) {
#pragma unroll
  for (int d = ACROSS / 2; d > 0; d /= 2) {
    float other = from_lane(x, d);
    x = other > x || other != other ? other : x;
  }
  return x;
}

__device__ inline const float* head(const float* p, const Heads& s, const Sizes& sizes) {
  int b = sizes.heads.quotient(blockIdx.x);
  int h = blockIdx.x - b * sizes.heads.value;
  return p + (long long)b * s.b + h * s.h;
}

template <int WIDTH>
__device__ void attention(float* y, float* logSumExp, const float* q, const float* k,
                          const float* v, float scale, const Heads& qs, const Heads& ks,
                          const Heads& vs, const Sizes& sizes) {
  __shared__ alignas(16) Matrix<WIDTH> queries, keys, values;
  __shared__ float weights[TILE][PITCH];
  int first = blockIdx.y * TILE;
  q = head(q, qs, sizes);
  k = head(k, ks, sizes);
  v = head(v, vs, sizes);
  queries.fill(q, qs, first, sizes.lq, sizes.d);
  Result<WIDTH> result;
  float most[ROWS], total[ROWS];
#pragma unroll
  for (int i = 0; i < ROWS; ++i) {
    most[i] = -INFINITY;
    total[i] = 0;
  }
  for (int key = 0; key < sizes.lk; key += TILE) {
    __syncthreads();  // the tile before has been read
    keys.fill(k, ks, key, sizes.lk, sizes.d);
    values.fill(v, vs, key, sizes.lk, sizes.dv);
    __syncthreads();
    float s[ROWS][ROWS];
    products(queries, keys, s);
#pragma unroll
    for (int i = 0; i < ROWS; ++i) {
      float highest = most[i];
#pragma unroll
      for (int j = 0; j < ROWS; ++j) {
        s[i][j] = key + other_of(j) < sizes.lk ? scale * s[i][j] : -INFINITY;
        highest = s[i][j] > highest || s[i][j] != s[i][j] ? s[i][j] : highest;
      }
      highest = shared_max(highest);
      float shrink = expf(most[i] - highest);  // what was summed below a lower maximum
      most[i] = highest;
      total[i] *= shrink;
#pragma unroll
      for (int j = 0; j < ROWS; ++j) {
        float p = expf(s[i][j] - highest);
        total[i] += p;
        weights[row_of(i)][other_of(j)] = p;
      }
#pragma unroll
      for (int c = 0; c < Result<WIDTH>::COLS; ++c) result.at[i][c] *= shrink;
    }
    __syncwarp();  // rows of weights stay within a warp
    result.add(weights, values);
    __syncwarp();
  }
  float factor[ROWS];
  long long at = (long long)blockIdx.x * sizes.lq;
#pragma unroll
  for (int i = 0; i < ROWS; ++i) {
    float sum = shared_sum(total[i]);
    factor[i] = 1 / sum;
    if (other_of(0) == 0 && first + row_of(i) < sizes.lq) {
      logSumExp[at + first + row_of(i)] = most[i] + logf(sum);
    }
  }
  result.store(y + at * sizes.dv, first, sizes.lq, sizes.dv, factor);
}

// mean (b h lq) = sum(dy y): a warp for each row. Grid: x as many blocks as cover the rows.
__device__ inline void attention_means(float* mean, const float* y, const float* dy, int rows,
                                       int dv) {
  int lane = threadIdx.x % WARP;
  int warps = blockDim.x / WARP;
  for (int row = blockIdx.x * warps + threadIdx.x / WARP; row < rows; row += gridDim.x * warps) {
    float sum = 0;
    for (int j = lane; j < dv; j += WARP) {
      sum = fmaf(y[(long long)row * dv + j], dy[(long long)row * dv + j], sum);
    }
    sum = warp_sum(sum);
    if (lane == 0) mean[row] = sum;
  }
}

// dq (b, h, lq, d) row-major; dy row-major. Rows are queries.
template <int WIDTH>
__device__ void attention_grad_q(float* dq, const float* q, const float* k, const float* v,
                                 const float* dy, const float* logSumExp, const float* mean,
                                 float scale, const Heads& qs, const Heads& ks, const Heads& vs,
                                 const Sizes& sizes) {
  __shared__ alignas(16) Matrix<WIDTH> queries, grads, keys, values;
  __shared__ float slopes[TILE][PITCH];
  int first = blockIdx.y * TILE;
  long long at = (long long)blockIdx.x * sizes.lq;
  q = head(q, qs, sizes);
  k = head(k, ks, sizes);
  v = head(v, vs, sizes);
  Heads rowMajor = {0, 0, sizes.dv, 1};
  queries.fill(q, qs, first, sizes.lq, sizes.d);
  grads.fill(dy + at * sizes.dv, rowMajor, first, sizes.lq, sizes.dv);
  Result<WIDTH> result;
  float log[ROWS], middle[ROWS];
#pragma unroll
  for (int i = 0; i < ROWS; ++i) {
    bool in = first + row_of(i) < sizes.lq;
    log[i] = in ? logSumExp[at + first + row_of(i)] : 0;
    middle[i] = in ? mean[at + first + row_of(i)] : 0;
  }
  for (int key = 0; key < sizes.lk; key += TILE) {
    __syncthreads();
    keys.fill(k, ks, key, sizes.lk, sizes.d);
    values.fill(v, vs, key, sizes.lk, sizes.dv);
    __syncthreads();
    float s[ROWS][ROWS], dp[ROWS][ROWS];
    products(queries, keys, s);
    products(grads, values, dp);
#pragma unroll
    for (int i = 0; i < ROWS; ++i) {
#pragma unroll
      for (int j = 0; j < ROWS; ++j) {
        float p = expf(scale * s[i][j] - log[i]);
        slopes[row_of(i)][other_of(j)] =
            key + other_of(j) < sizes.lk ? scale * p * (dp[i][j] - middle[i]) : 0.0f;
      }
    }
    __syncwarp();
    result.add(slopes, keys);
    __syncwarp();
  }
  float factor[ROWS] = {1, 1, 1, 1};
  result.store(dq + at * sizes.d, first, sizes.lq, sizes.d, factor);
}

// dk (b, h, lk, d) and dv (b, h, lk, dv) row-major. Rows are keys.
template <int WIDTH>
__device__ void attention_grad_kv(float* dk, float* dv, const float* q, const float* k,
                                  const float* v, const float* dy, const float* logSumExp,
                                  const float* mean, float scale, const Heads& qs,
                                  const Heads& ks, const Heads& vs, const Sizes& sizes) {
  __shared__ alignas(16) Matrix<WIDTH> queries, grads, keys, values;
  __shared__ float slopes[TILE][PITCH];
  int first = blockIdx.y * TILE;
  long long at = (long long)blockIdx.x * sizes.lq;
  q = head(q, qs, sizes);
  Heads rowMajor = {0, 0, sizes.dv, 1};
  keys.fill(head(k, ks, sizes), ks, first, sizes.lk, sizes.d);
  values.fill(head(v, vs, sizes), vs, first, sizes.lk, sizes.dv);
  Result<WIDTH> resultK, resultV;
  for (int query = 0; query < sizes.lq; query += TILE) {
    __syncthreads();
    queries.fill(q, qs, query, sizes.lq, sizes.d);
    grads.fill(dy + at * sizes.dv, rowMajor, query, sizes.lq, sizes.dv);
    __syncthreads();
    float p[ROWS][ROWS], dp[ROWS][ROWS];
    products(keys, queries, p);
    products(values, grads, dp);
#pragma unroll
    for (int j = 0; j < ROWS; ++j) {
      int other = query + other_of(j);
      bool in = other < sizes.lq;
      float log = in ? logSumExp[at + other] : 0;
      float middle = in ? mean[at + other] : 0;
#pragma unroll
      for (int i = 0; i < ROWS; ++i) {
        p[i][j] = in ? expf(scale * p[i][j] - log) : 0.0f;
        dp[i][j] = scale * p[i][j] * (dp[i][j] - middle);
        slopes[row_of(i)][other_of(j)] = p[i][j];
      }
    }
    __syncwarp();
    resultV.add(slopes, grads);
    __syncwarp();
#pragma unroll
    for (int i = 0; i < ROWS; ++i) {
#pragma unroll
      for (int j = 0; j < ROWS; ++j) slopes[row_of(i)][other_of(j)] = dp[i][j];
    }
    __syncwarp();
    resultK.add(slopes, queries);
    __syncwarp();
  }
  float factor[ROWS] = {1, 1, 1, 1};
  long long to = (long long)blockIdx.x * sizes.lk;
  resultK.store(dk + to * sizes.d, first, sizes.lk, sizes.d, factor);
  resultV.store(dv + to * sizes.dv, first, sizes.lk, sizes.dv, factor);
}

extern "C" __global__ void attention_means_f32(float* mean, const float* y, const float* dy,
                                               int rows, int dv) {
  attention_means(mean, y, dy, rows, dv);
}

#define ATTENTION(WIDTH)                                                                     \
  extern "C" __global__ void __launch_bounds__(THREADS) attention_##WIDTH##_f32(             \
      float* y, float* logSumExp, const float* q, const float* k, const float* v,            \
      float scale, Heads qs, Heads ks, Heads vs, Sizes sizes) {                              \
    attention<WIDTH>(y, logSumExp, q, k, v, scale, qs, ks, vs, sizes);                       \
  }                                                                                          \
  extern "C" __global__ void __launch_bounds__(THREADS) attention_grad_q_##WIDTH##_f32(      \
      float* dq, const float* q, const float* k, const float* v, const float* dy,            \
      const float* logSumExp, const float* mean, float scale, Heads qs, Heads ks, Heads vs,  \
      Sizes sizes) {                                                                         \
    attention_grad_q<WIDTH>(dq, q, k, v, dy, logSumExp, mean, scale, qs, ks, vs, sizes);     \
  }                                                                                          \
  extern "C" __global__ void __launch_bounds__(THREADS) attention_grad_kv_##WIDTH##_f32(     \
      float* dk, float* dv, const float* q, const float* k, const float* v, const float* dy, \
      const float* logSumExp, const float* mean, float scale, Heads qs, Heads ks, Heads vs,  \
      Sizes sizes) {                                                                         \
    attention_grad_kv<WIDTH>(dk, dv, q, k, v, dy, logSumExp, mean, scale, qs, ks, vs,        \
                             sizes);                                                         \
  }

ATTENTION(32)
ATTENTION(64)
