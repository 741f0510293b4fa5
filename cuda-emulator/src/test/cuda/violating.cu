// Kernels of the emulator's own tests that do what kernels must not do, one thing each. Most of them would give the
// right result on a device, most of the time.

// x[i + shift] for a buffer of n elements: out of bounds at one end or the other when shift is not 0.
extern "C" __global__ void beside(float *x, int shift) { x[(int)threadIdx.x + shift] = 1; }

extern "C" __global__ void misaligned(float *x, float2 *y) { y[threadIdx.x] = *(float2 *)(x + 2 * threadIdx.x + 1); }

// Threads write to neighbours' words and read their own with no barrier between.
extern "C" __global__ void shared_race(float *y) {
  __shared__ float s[64];
  s[threadIdx.x] = 0;
  s[threadIdx.x ^ 32] = threadIdx.x;
  y[threadIdx.x] = s[threadIdx.x];
}

// All threads write the same value to the same word.
extern "C" __global__ void same_value(int *y) {
  __shared__ int flag;
  flag = y[0];
  __syncthreads();
  y[threadIdx.x + 1] = flag;
}

// Neighbours in a warp exchange a value as if the warp ran in lock-step.
extern "C" __global__ void warp_race(const float *x, float *y) {
  __shared__ float s[32];
  s[threadIdx.x] = x[threadIdx.x];
  y[threadIdx.x] = s[threadIdx.x ^ 1];
}

// A value travels through global memory between the threads of a block.
extern "C" __global__ void global_race(float *x, float *y) {
  x[threadIdx.x] = threadIdx.x;
  y[threadIdx.x] = x[(threadIdx.x + 1) % blockDim.x];
}

// Each block reads what the next block writes; a barrier does not order blocks.
extern "C" __global__ void block_race(float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int n = gridDim.x * blockDim.x;
  x[i] = i;
  __syncthreads();
  y[i] = x[(i + blockDim.x) % n];
}

// Blocks add to one word, one of them without an atomic operation.
extern "C" __global__ void half_atomic(int *x) {
  if (threadIdx.x == 0) {
    if (blockIdx.x == 1) {
      *x += 1;
    } else {
      atomicAdd(x, 1);
    }
  }
}

extern "C" __global__ void uninitialised(float *y) {
  __shared__ float s[64];
  if (threadIdx.x != 5) {
    s[threadIdx.x] = 1;
  }
  __syncthreads();
  y[threadIdx.x] = s[threadIdx.x];
}

// Half of the threads wait at one barrier and half at another.
extern "C" __global__ void two_barriers(float *y) {
  if (threadIdx.x < 32) {
    y[threadIdx.x] = 1;
    __syncthreads();
  } else {
    y[threadIdx.x] = 2;
    __syncthreads();
    y[threadIdx.x] += 1;
  }
}

// Half of the lanes of a warp take part in a shuffle that names them all.
extern "C" __global__ void half_shuffle(float *y) {
  float v = threadIdx.x;
  if (threadIdx.x < 16) {
    v = __shfl_xor_sync(0xffffffffu, v, 1);
  } else {
    v = __shfl_xor_sync(0xffffffffu, v, 2);
  }
  y[threadIdx.x] = v;
}

// The mask names only the lower half, which reads from the upper half.
extern "C" __global__ void absent_lane(float *y) {
  float v = threadIdx.x;
  if (threadIdx.x < 16) {
    v = __shfl_down_sync(0x0000ffffu, v, 8);
  }
  y[threadIdx.x] = v;
}

// Read as constant for the launch, and written by it.
extern "C" __global__ void not_constant(float *x, float *y) {
  x[threadIdx.x] = 3;
  y[threadIdx.x] = __ldg(x + threadIdx.x);
}

extern "C" __global__ void endless(volatile int *x) {
  while (*x >= 0) {
    *x = *x + 1 & 0xffff;
  }
}

extern "C" __global__ void gives_up(int *x) {
  if (*x == 7) {
    __trap();
  }
}

// A pointer passes through an int on its way.
extern "C" __global__ void cut_pointer(float *x) { *(float *)(unsigned long long)(unsigned)(unsigned long long)x = 1; }

// Dynamic shared memory one float larger than the launch gives.
extern "C" __global__ void beyond_shared(float *y) {
  extern __shared__ float s[];
  s[threadIdx.x + 1] = threadIdx.x;
  y[threadIdx.x] = s[threadIdx.x + 1];
}

// Doubles each of n values; nothing wrong with it.
extern "C" __global__ void twice(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = 2 * x[i];
  }
}

// Sums each column of a (rows, 32 * blocks) matrix, walking down (coalesced) or along rows (strided).
extern "C" __global__ void column_sum(const float *x, float *y, int rows, int columns) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int r = 0; r < rows; r++) {
    sum += x[r * columns + c];
  }
  y[c] = sum;
}
extern "C" __global__ void row_sum(const float *x, float *y, int rows, int columns) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int c = 0; c < columns; c++) {
    sum += x[r * columns + c];
  }
  y[r] = sum;
}

// Transposes 32 x 32 floats through shared memory with rows of 32 words (conflicts) or 33 (none). Block (32, 32).
template <int PITCH> __device__ void transposed(const float *x, float *y) {
  __shared__ float s[32 * PITCH];
  s[threadIdx.y * PITCH + threadIdx.x] = x[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  y[threadIdx.y * 32 + threadIdx.x] = s[threadIdx.x * PITCH + threadIdx.y];
}
extern "C" __global__ void transpose32(const float *x, float *y) { transposed<32>(x, y); }
extern "C" __global__ void transpose33(const float *x, float *y) { transposed<33>(x, y); }
