// flags: -fmad=false
//
// Softmax along rows and what attention needs of it when its scores are kept whole; matches
// ScalarAttention. Rows of n neighbours, a warp for each.
// Grid: as many blocks as cover one warp for each row, or fewer. Block: a multiple of 32 threads.
#include "warp.cuh"

#define FOR_EACH_ROW(row, rows)                                                   \
  for (int row = blockIdx.x * (blockDim.x / WARP) + threadIdx.x / WARP; row < (rows); \
       row += gridDim.x * (blockDim.x / WARP))

template <class T>
__device__ T row_max(const T* x, int n, int lane) {
  T most = T(-INFINITY);
  for (int j = lane; j < n; j += WARP) most = x[j] > most || x[j] != x[j] ? x[j] : most;
  return warp_max(most);
}

// y = exp(x - max) / sum.
template <class T>
__device__ void softmax(T* y, const T* x, int rows, int n) {
  int lane = threadIdx.x % WARP;
  FOR_EACH_ROW(row, rows) {
    const T* from = x + (long long)row * n;
    T* to = y + (long long)row * n;
    T most = row_max(from, n, lane);
    T sum = 0;
    for (int j = lane; j < n; j += WARP) sum += exp(from[j] - most);
    sum = warp_sum(sum);
    for (int j = lane; j < n; j += WARP) to[j] = exp(from[j] - most) / sum;
  }
}

// dx = y (dy - sum(y dy)).
template <class T>
__device__ void softmax_grad(T* dx, const T* y, const T* dy, int rows, int n) {
  int lane = threadIdx.x % WARP;
  FOR_EACH_ROW(row, rows) {
    long long at = (long long)row * n;
    T sum = 0;
    for (int j = lane; j < n; j += WARP) sum += y[at + j] * dy[at + j];
    sum = warp_sum(sum);
    for (int j = lane; j < n; j += WARP) dx[at + j] = y[at + j] * (dy[at + j] - sum);
  }
}

// Scores s become their softmax; logSumExp (rows) gets max + log(sum).
template <class T>
__device__ void attention_weights(T* s, T* logSumExp, int rows, int n) {
  int lane = threadIdx.x % WARP;
  FOR_EACH_ROW(row, rows) {
    T* p = s + (long long)row * n;
    T most = row_max(p, n, lane);
    T sum = 0;
    for (int j = lane; j < n; j += WARP) sum += exp(p[j] - most);
    sum = warp_sum(sum);
    for (int j = lane; j < n; j += WARP) p[j] = exp(p[j] - most) / sum;
    if (lane == 0) logSumExp[row] = most + log(sum);
  }
}

// Scores s become the weights p = exp(s - logSumExp) again, and dp the gradient of the scores,
// scale p (dp - sum(dy y)); y and dy are (rows, width).
template <class T>
__device__ void attention_scores_grad(T* s, T* dp, const T* logSumExp, const T* y, const T* dy,
                                      int rows, int n, int width, T scale) {
  int lane = threadIdx.x % WARP;
  FOR_EACH_ROW(row, rows) {
    T mean = 0;
    for (int j = lane; j < width; j += WARP) {
      mean += y[(long long)row * width + j] * dy[(long long)row * width + j];
    }
    mean = warp_sum(mean);
    long long at = (long long)row * n;
    for (int j = lane; j < n; j += WARP) {
      T p = exp(s[at + j] - logSumExp[row]);
      s[at + j] = p;
      dp[at + j] = scale * p * (dp[at + j] - mean);
    }
  }
}

#define SOFTMAX(type, suffix)                                                                \
  extern "C" __global__ void softmax_##suffix(type* y, const type* x, int rows, int n) {     \
    softmax(y, x, rows, n);                                                                  \
  }                                                                                          \
  extern "C" __global__ void softmax_grad_##suffix(type* dx, const type* y, const type* dy,  \
                                                   int rows, int n) {                        \
    softmax_grad(dx, y, dy, rows, n);                                                        \
  }                                                                                          \
  extern "C" __global__ void attention_weights_##suffix(type* s, type* logSumExp, int rows,  \
                                                        int n) {                             \
    attention_weights(s, logSumExp, rows, n);                                                \
  }                                                                                          \
  extern "C" __global__ void attention_scores_grad_##suffix(                                 \
      type* s, type* dp, const type* logSumExp, const type* y, const type* dy, int rows,     \
      int n, int width, type scale) {                                                        \
    attention_scores_grad(s, dp, logSumExp, y, dy, rows, n, width, scale);                   \
  }

SOFTMAX(float, f32)
SOFTMAX(double, f64)
