// CUDA C on the CPU, for comparison: includes before a .cu file, compiled by a C++ compiler, and lets its kernels run
// with one fiber for each thread of a block. Blocks run one after the other; the threads of a block take turns at
// barriers and warp operations. Independent of nvcc, of PTX and of what interprets it.
#pragma once
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <utility>

#define __global__
#define __device__
#define __host__
#define __constant__
#define __forceinline__ inline
#define __noinline__
#define __launch_bounds__(...)
#define __align__(n) alignas(n)
// nvcc takes the standard's word between others, g++ its own one only.
#define alignas(n) __attribute__((aligned(n)))
// Blocks run one after the other, so that static memory is the memory of the block.
#define __shared__ static

struct uint3 { unsigned x, y, z; };
struct dim3 {
  unsigned x, y, z;
  dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
};
#define VECTOR2(name, type, size) struct alignas(size) name { type x, y; }; \
  inline name make_##name(type x, type y) { return {x, y}; }
#define VECTOR4(name, type, size) struct alignas(size) name { type x, y, z, w; }; \
  inline name make_##name(type x, type y, type z, type w) { return {x, y, z, w}; }
VECTOR2(float2, float, 8)
VECTOR2(int2, int, 8)
VECTOR2(uint2, unsigned, 8)
VECTOR2(double2, double, 16)
VECTOR4(float4, float, 16)
VECTOR4(int4, int, 16)
VECTOR4(uint4, unsigned, 16)

static uint3 threadIdx, blockIdx;
static dim3 blockDim, gridDim;
static const int warpSize = 32;

namespace fiber {
enum State { READY, AT_BARRIER, AT_WARP, DONE };
const int LIMIT = 1024, STACK = 128 * 1024;
struct Thread {
  ucontext_t context;
  State state;
  unsigned mask;
  uint64_t value;
  uint3 index;
};
static Thread threads[LIMIT];
static ucontext_t scheduler;
static char *stacks;
static int current, count;
static void (*body)(void **);
static void **arguments;
alignas(64) static unsigned char dynamic[100 * 1024];

static void enter() {
  body(arguments);
  threads[current].state = DONE;
  swapcontext(&threads[current].context, &scheduler);
}

static void wait(State state, unsigned mask) {
  int self = current;
  threads[self].state = state;
  threads[self].mask = mask;
  swapcontext(&threads[self].context, &scheduler);
}

// Whether every live lane that a waiting lane names waits too.
static bool gathered(int warp) {
  for (int t = warp; t < warp + 32 && t < count; t++) {
    if (threads[t].state == AT_WARP) {
      for (int o = warp; o < warp + 32 && o < count; o++) {
        State s = threads[o].state;
        if ((threads[t].mask >> (o - warp) & 1) && s != AT_WARP && s != DONE) return false;
      }
    }
  }
  return true;
}

static bool release() {
  bool any = false, all = true;
  for (int t = 0; t < count; t++) all &= threads[t].state == AT_BARRIER || threads[t].state == DONE;
  for (int t = 0; t < count; t++) {
    bool free = threads[t].state == AT_BARRIER ? all : threads[t].state == AT_WARP && gathered(t / 32 * 32);
    if (threads[t].state == AT_WARP && free) {
      for (int o = t / 32 * 32; o < t / 32 * 32 + 32 && o < count; o++) {
        if (threads[o].state == AT_WARP) threads[o].state = READY;
      }
      any = true;
    } else if (free) {
      threads[t].state = READY;
      any = true;
    }
  }
  return any;
}

static int block() {
  for (int t = 0; t < count; t++) {
    getcontext(&threads[t].context);
    threads[t].context.uc_stack.ss_sp = stacks + (size_t)t * STACK;
    threads[t].context.uc_stack.ss_size = STACK;
    threads[t].context.uc_link = &scheduler;
    makecontext(&threads[t].context, enter, 0);
    threads[t].state = READY;
    unsigned u = t;
    threads[t].index = {u % blockDim.x, u / blockDim.x % blockDim.y, u / (blockDim.x * blockDim.y)};
  }
  do {
    for (int t = 0; t < count; t++) {
      if (threads[t].state == READY) {
        current = t;
        threadIdx = threads[t].index;
        swapcontext(&scheduler, &threads[t].context);
      }
    }
  } while (release());
  for (int t = 0; t < count; t++) {
    if (threads[t].state != DONE) return 1;
  }
  return 0;
}

static int launch(void (*kernel)(void **), dim3 grid, dim3 size, void **args) {
  if (!stacks) {
    stacks = (char *)mmap(0, (size_t)LIMIT * STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  }
  body = kernel;
  arguments = args;
  gridDim = grid;
  blockDim = size;
  count = size.x * size.y * size.z;
  for (unsigned z = 0; z < grid.z; z++) {
    for (unsigned y = 0; y < grid.y; y++) {
      for (unsigned x = 0; x < grid.x; x++) {
        blockIdx = {x, y, z};
        if (block()) return 1;
      }
    }
  }
  return 0;
}

template <class... A, size_t... I> void invoke(void (*f)(A...), void **a, std::index_sequence<I...>) {
  f(*(A *)a[I]...);
}
template <class... A> void call(void (*f)(A...), void **a) { invoke(f, a, std::index_sequence_for<A...>()); }

// The value of another lane of the warp; all lanes of the mask pass here together.
template <class T> T exchange(unsigned mask, T value, int from) {
  int self = current, warp = self / 32 * 32;
  memcpy(&threads[self].value, &value, sizeof(T));
  wait(AT_WARP, mask);
  T result;
  memcpy(&result, &threads[warp + from].value, sizeof(T));
  wait(AT_WARP, mask);
  return result;
}
}  // namespace fiber

inline void __syncthreads() { fiber::wait(fiber::AT_BARRIER, 0); }
inline void __syncwarp(unsigned mask = ~0u) { fiber::wait(fiber::AT_WARP, mask); }

template <class T> T __shfl_sync(unsigned mask, T v, int source, int width = 32) {
  int lane = fiber::current & 31;
  return fiber::exchange(mask, v, (lane & ~(width - 1)) | (source & (width - 1)));
}
template <class T> T __shfl_xor_sync(unsigned mask, T v, int with, int width = 32) {
  int lane = fiber::current & 31, from = lane ^ with;
  return fiber::exchange(mask, v, from < (lane & ~(width - 1)) + width ? from : lane);
}
template <class T> T __shfl_up_sync(unsigned mask, T v, int by, int width = 32) {
  int lane = fiber::current & 31, from = lane - by;
  return fiber::exchange(mask, v, from >= (lane & ~(width - 1)) ? from : lane);
}
template <class T> T __shfl_down_sync(unsigned mask, T v, int by, int width = 32) {
  int lane = fiber::current & 31, from = lane + by;
  return fiber::exchange(mask, v, from < (lane & ~(width - 1)) + width ? from : lane);
}
inline unsigned __ballot_sync(unsigned mask, int predicate) {
  unsigned votes = 0;
  for (int lane = 0; lane < 32; lane++) {
    int yes = fiber::exchange(mask, predicate, lane);
    votes |= (mask >> lane & 1) && yes ? 1u << lane : 0;
  }
  return votes;
}
inline int __all_sync(unsigned mask, int p) { return __ballot_sync(mask, p) == mask; }
inline int __any_sync(unsigned mask, int p) { return __ballot_sync(mask, p) != 0; }

template <class T> T atomicAdd(T *at, T v) { T old = *at; *at = old + v; return old; }
template <class T> T atomicMax(T *at, T v) { T old = *at; *at = old < v ? v : old; return old; }
template <class T> T atomicMin(T *at, T v) { T old = *at; *at = v < old ? v : old; return old; }
template <class T> T atomicCAS(T *at, T is, T v) { T old = *at; if (old == is) *at = v; return old; }

inline int min(int a, int b) { return a < b ? a : b; }
inline int max(int a, int b) { return a > b ? a : b; }
inline unsigned min(unsigned a, unsigned b) { return a < b ? a : b; }
inline unsigned max(unsigned a, unsigned b) { return a > b ? a : b; }
inline long long min(long long a, long long b) { return a < b ? a : b; }
inline long long max(long long a, long long b) { return a > b ? a : b; }
inline float min(float a, float b) { return fminf(a, b); }
inline float max(float a, float b) { return fmaxf(a, b); }
inline double min(double a, double b) { return fmin(a, b); }
inline double max(double a, double b) { return fmax(a, b); }

template <class T> T __ldg(const T *p) { return *p; }
inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((uint64_t)a * b >> 32); }
inline int __mulhi(int a, int b) { return (int)((int64_t)a * b >> 32); }
inline long long __mul64hi(long long a, long long b) { return (long long)((__int128)a * b >> 64); }
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned n) {
  return (unsigned)((((uint64_t)high << 32 | low) << (n & 31)) >> 32);
}
inline unsigned __brev(unsigned v) {
  unsigned r = 0;
  for (int i = 0; i < 32; i++) r |= (v >> i & 1) << (31 - i);
  return r;
}
inline unsigned __byte_perm(unsigned a, unsigned b, unsigned selectors) {
  uint64_t bytes = (uint64_t)b << 32 | a;
  unsigned r = 0;
  for (int i = 0; i < 4; i++) r |= (unsigned)(bytes >> 8 * (selectors >> 4 * i & 7) & 255) << 8 * i;
  return r;
}
inline int __popc(unsigned v) { return __builtin_popcount(v); }
inline int __clz(int v) { return v ? __builtin_clz(v) : 32; }
inline int __ffs(int v) { return __builtin_ffs(v); }
template <class To, class From> To fiber_bits(From v) { To r; memcpy(&r, &v, sizeof r); return r; }
inline int __float_as_int(float v) { return fiber_bits<int>(v); }
inline unsigned __float_as_uint(float v) { return fiber_bits<unsigned>(v); }
inline float __int_as_float(int v) { return fiber_bits<float>(v); }
inline float __uint_as_float(unsigned v) { return fiber_bits<float>(v); }
inline long long __double_as_longlong(double v) { return fiber_bits<long long>(v); }
inline double __longlong_as_double(long long v) { return fiber_bits<double>(v); }
inline double cospi(double v) { return cos(M_PI * remainder(v, 2)); }
inline double sinpi(double v) { return sin(M_PI * remainder(v, 2)); }
inline float cospif(float v) { return (float)cospi(v); }
inline float sinpif(float v) { return (float)sinpi(v); }
inline float rsqrtf(float v) { return (float)(1 / sqrt((double)v)); }

// Memory at an address of the caller's choice, so that pointers mean the same here and on the other device.
extern "C" int fiber_map(uint64_t address, uint64_t bytes) {
  uint64_t page = 4096, from = address & ~(page - 1), end = (address + bytes + page - 1) & ~(page - 1);
  void *got = mmap((void *)from, end - from, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  return got == (void *)from ? 0 : 1;
}
extern "C" int fiber_unmap(uint64_t address, uint64_t bytes) {
  uint64_t page = 4096, from = address & ~(page - 1), end = (address + bytes + page - 1) & ~(page - 1);
  return munmap((void *)from, end - from);
}
