// Kernels of the emulator's own tests: each exercises a part of the instruction set on a computation whose result is
// known from elsewhere. They are small and say nothing about how the library's kernels are built.

// C = A B, row-major, any extents. Grid (ceil(n/16), ceil(m/16)), block (16, 16).
extern "C" __global__ void matmul(const float *a, const float *b, float *c, int m, int n, int k) {
  __shared__ float as[16][16];
  __shared__ float bs[16][17];
  int row = blockIdx.y * 16 + threadIdx.y;
  int col = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < k; t += 16) {
    int ka = t + threadIdx.x;
    int kb = t + threadIdx.y;
    as[threadIdx.y][threadIdx.x] = row < m && ka < k ? a[row * k + ka] : 0;
    bs[threadIdx.y][threadIdx.x] = kb < k && col < n ? b[kb * n + col] : 0;
    __syncthreads();
    for (int i = 0; i < 16; i++) {
      sum = fmaf(as[threadIdx.y][i], bs[i][threadIdx.x], sum);
    }
    __syncthreads();
  }
  if (row < m && col < n) {
    c[row * n + col] = sum;
  }
}

__device__ float block_sum(float value, float *scratch) {
  for (int step = 16; step > 0; step /= 2) {
    value += __shfl_xor_sync(0xffffffffu, value, step);
  }
  int warp = threadIdx.x / 32;
  if (threadIdx.x % 32 == 0) {
    scratch[warp] = value;
  }
  __syncthreads();
  value = threadIdx.x < blockDim.x / 32 ? scratch[threadIdx.x] : 0;
  if (warp == 0) {
    for (int step = 16; step > 0; step /= 2) {
      value += __shfl_down_sync(0xffffffffu, value, step);
    }
    if (threadIdx.x == 0) {
      scratch[0] = value;
    }
  }
  __syncthreads();
  value = scratch[0];
  __syncthreads();
  return value;
}

// Each block normalises one group of n values to mean 0 and variance 1. Block: a multiple of 32.
extern "C" __global__ void group_norm(const float *__restrict__ x, float *y, int n, float eps) {
  __shared__ float scratch[32];
  x += blockIdx.x * n;
  y += blockIdx.x * n;
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    sum += x[i];
  }
  float mean = block_sum(sum, scratch) / n;
  sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    sum += (x[i] - mean) * (x[i] - mean);
  }
  float scale = 1.0f / sqrtf(block_sum(sum, scratch) / n + eps);
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    y[i] = (x[i] - mean) * scale;
  }
}

// Philox 4x32-10 (Salmon et al. 2011): four words for each thread from counter (i, 0, 0, 0) and key (0, 0).
extern "C" __global__ void philox(uint4 *out, uint4 counter, uint2 key) {
  counter.x += blockIdx.x * blockDim.x + threadIdx.x;
  for (int round = 0; round < 10; round++) {
    unsigned high0 = __umulhi(0xD2511F53u, counter.x);
    unsigned low0 = 0xD2511F53u * counter.x;
    unsigned high1 = __umulhi(0xCD9E8D57u, counter.z);
    unsigned low1 = 0xCD9E8D57u * counter.z;
    counter = make_uint4(high1 ^ counter.y ^ key.x, low1, high0 ^ counter.w ^ key.y, low0);
    key.x += 0x9E3779B9u;
    key.y += 0xBB67AE85u;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = counter;
}

// Steps of the Collatz sequence from i + 1 to 1: every thread loops for another time.
extern "C" __global__ void collatz(int *steps, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) {
    return;
  }
  long long v = i + 1;
  int count = 0;
  while (v != 1) {
    if (v % 2 == 0) {
      v /= 2;
    } else {
      v = 3 * v + 1;
    }
    count++;
  }
  steps[i] = count;
}

// Nested conditions with a warp vote inside: threads part and have to come together again.
extern "C" __global__ void parting(const int *x, int *y) {
  int i = threadIdx.x;
  int v = x[i];
  if (v > 0) {
    if (v % 3 == 0) {
      v *= 7;
    } else {
      for (int k = 0; k < v % 5; k++) {
        v += k * k;
      }
    }
  } else {
    v = -v;
  }
  unsigned odd = __ballot_sync(0xffffffffu, v & 1);
  int all = __all_sync(0xffffffffu, v < 1000);
  y[i] = v + __popc(odd) * 1000 + all * 100000;
}

// Elementary functions of float: y[f * n + i] = f(x[i]).
extern "C" __global__ void functions(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float v = x[i];
    y[i] = expf(v);
    y[n + i] = logf(fabsf(v));
    y[2 * n + i] = sinf(v);
    y[3 * n + i] = cosf(v);
    y[4 * n + i] = tanhf(v);
    y[5 * n + i] = erff(v);
    y[6 * n + i] = powf(fabsf(v), 1.7f);
    y[7 * n + i] = sqrtf(fabsf(v));
    y[8 * n + i] = cbrtf(v);
    y[9 * n + i] = floorf(v) + 0.25f * rintf(v) + 0.125f * truncf(v) + 0.0625f * ceilf(v);
    y[10 * n + i] = log1pf(fabsf(v));
    y[11 * n + i] = fmodf(v, 0.7f);
  }
}

// Elementary functions of double, some of which are calls of functions.
extern "C" __global__ void double_functions(const double *x, double *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    double v = x[i];
    y[i] = exp(v);
    y[n + i] = log(fabs(v));
    y[2 * n + i] = sin(v);
    y[3 * n + i] = cos(v);
    y[4 * n + i] = tanh(v);
    y[5 * n + i] = sqrt(fabs(v));
    y[6 * n + i] = v / 3.0 + rint(v);
    y[7 * n + i] = cospi(v);
  }
}

// Integer arithmetic: 20 results for each pair (a[i], b[i]).
extern "C" __global__ void integers(const int *a, const int *b, long long *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    int p = a[i], q = b[i];
    unsigned u = p, w = q;
    long long wide = ((long long)p << 20) ^ q;
    y[i] = p / (q | 1);
    y[n + i] = p % (q | 1);
    y[2 * n + i] = u / (w | 1);
    y[3 * n + i] = u % (w | 1);
    y[4 * n + i] = __mulhi(p, q);
    y[5 * n + i] = __umulhi(u, w);
    y[6 * n + i] = wide / (q | 1);
    y[7 * n + i] = wide % 1000003;
    y[8 * n + i] = __popc(u) + 100 * __clz(w) + 10000 * __ffs(q);
    y[9 * n + i] = __brev(u);
    y[10 * n + i] = p >> (w & 31);
    y[11 * n + i] = u >> (w & 31);
    y[12 * n + i] = __byte_perm(u, w, 0x6420);
    y[13 * n + i] = __funnelshift_l(u, w, q);
    y[14 * n + i] = min(p, q) + 2LL * max(u, w);
    y[15 * n + i] = (short)(p + q) * (long long)(signed char)q;
    y[16 * n + i] = __mul64hi(wide, (long long)p * 77777777777LL);
    y[17 * n + i] = abs(p) - (p < q) + (u < w) * 2;
    y[18 * n + i] = (long long)(float)p + (long long)((double)wide * 0.5) + (unsigned)((float)u * 0.5f);
    y[19 * n + i] = (p & q) | (~p & (q ^ 0x55));
  }
}

// A histogram in shared memory, added to global memory; then the maximum and a claim by compare-and-swap.
extern "C" __global__ void histogram(const int *x, int *bins, int *top, int *owner, int n) {
  __shared__ int local[16];
  if (threadIdx.x < 16) {
    local[threadIdx.x] = 0;
  }
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    atomicAdd(&local[x[i] & 15], 1);
    atomicMax(top, x[i]);
  }
  __syncthreads();
  if (threadIdx.x < 16) {
    atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
  }
  if (threadIdx.x == 0) {
    atomicCAS(owner, -1, (int)blockIdx.x);
  }
}

// Arguments by value, constant memory, dynamic shared memory and a pointer that may be to either memory.
struct Box {
  float scale;
  int shift[3];
  double offset;
};
__constant__ float weights[4] = {0.5f, 1.5f, 2.5f, 3.5f};
extern "C" __global__ void addressing(Box box, const float *x, float *y, int n) {
  extern __shared__ float tile[];
  int i = threadIdx.x;
  tile[i] = x[i] * box.scale + (float)box.offset;
  __syncthreads();
  const float *source = x[i] > 0 ? tile : x;
  y[i] = source[(i + box.shift[i % 3]) % n] * weights[i & 3];
}

// Bytes and halves of words: y[i] = x[i] with its bytes reversed, through shared memory by single bytes.
extern "C" __global__ void bytes(const unsigned *x, unsigned *y) {
  __shared__ unsigned char piece[4 * 64];
  unsigned v = x[threadIdx.x];
  for (int k = 0; k < 4; k++) {
    piece[4 * threadIdx.x + 3 - k] = (unsigned char)(v >> (8 * k));
  }
  unsigned r = 0;
  for (int k = 0; k < 4; k++) {
    r |= (unsigned)piece[4 * threadIdx.x + k] << (8 * k);
  }
  y[threadIdx.x] = r;
}

// Exchange inside a warp, ordered by barriers of the warp: y = x reversed in each group of 32.
extern "C" __global__ void warp_reverse(const float *x, float *y) {
  __shared__ float tile[128];
  int lane = threadIdx.x & 31;
  int base = threadIdx.x - lane;
  tile[threadIdx.x] = x[threadIdx.x];
  __syncwarp();
  float v = tile[base + 31 - lane];
  __syncwarp();
  tile[threadIdx.x] = v;
  y[threadIdx.x] = tile[threadIdx.x];
}
