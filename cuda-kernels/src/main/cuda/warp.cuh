// What the 32 threads of a warp and the warps of a block do together.
#pragma once

constexpr int WARP = 32;
constexpr unsigned ALL_LANES = 0xffffffffu;

// The value of the lane `distance` away in binary: after steps 16, 8, 4, 2, 1 every lane has met
// every other, in the same order for the same lane on every device.
template <class T>
__device__ T from_lane(T value, int distance) {
  return __shfl_xor_sync(ALL_LANES, value, distance);
}

// Sum over the warp, the same bits in every lane.
template <class T>
__device__ T warp_sum(T value) {
#pragma unroll
  for (int d = WARP / 2; d > 0; d /= 2) value += from_lane(value, d);
  return value;
}

template <class T>
__device__ T warp_max(T value) {
#pragma unroll
  for (int d = WARP / 2; d > 0; d /= 2) {
    T other = from_lane(value, d);
    value = other > value || other != other ? other : value;
  }
  return value;
}
