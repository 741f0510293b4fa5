// flags: -fmad=false
//
// Group normalisation with what follows it in a residual block; matches ScalarNorms.
//   normal = (x - mean) rstd,  z = normal weight(c) + bias(c),
//   t = z (1 + scale(n, c)) + shift(n, c),  y = silu(t) or t
// x, y, dy and dx are (n, c, pixels) in one memory order; weight, bias (c) and scale, shift (n, c)
// are null where the specification leaves them out. mean and rstd are (n, groups).
//
// A group is the elements of some channels of one image. Its elements are numbered in memory order
// and cut into `parts` stretches of `chunk`, one for a block.
// Grid: x groups of all images, y parts. Block: 256 threads.
#include "functions.cuh"
#include "walk.cuh"
#include "warp.cuh"

constexpr int THREADS = 256;
constexpr int WARPS = THREADS / WARP;

struct Norm {
  int channels;
  Divisor groups;
  Divisor perGroup;  // channels of a group
  Divisor pixels;
  int strideN;
  int strideC;
  int strideP;
  int channelsLast;  // whether neighbouring channels are neighbours in memory, else pixels
  int modulationN;   // strides of scale and shift
  int modulationC;
  int silu;
  int count;  // elements of a group
  int parts;
  int chunk;
};

// Where a block works: its group, image, first channel and stretch.
struct Place {
  int group;
  int image;
  int channel;
  int from;
  int to;

  __device__ Place(const Norm& s) {
    group = blockIdx.x;
    image = s.groups.quotient(group);
    channel = (group - image * s.groups.value) * s.perGroup.value;
    from = blockIdx.y * s.chunk;
    to = min(from + s.chunk, s.count);
  }

  // Channel and place in memory of element e of the group.
  __device__ int locate(const Norm& s, int e, int& c) const {
    int slow = s.channelsLast ? s.perGroup.quotient(e) : s.pixels.quotient(e);
    int fast = e - slow * (s.channelsLast ? s.perGroup.value : s.pixels.value);
    c = channel + (s.channelsLast ? fast : slow);
    return image * s.strideN + c * s.strideC + (s.channelsLast ? slow : fast) * s.strideP;
  }
};

// What is done to the normal numbers of one channel, the identity where a part is left out.
template <class T>
struct Maps {
  const T* weight;
  const T* bias;
  const T* scale;
  const T* shift;
};

template <class T>
struct Channel {
  T weight;
  T bias;
  T gain;
  T shift;

  __device__ Channel(const Maps<T>& maps, const Norm& s, int image, int c) {
    weight = maps.weight == nullptr ? T(1) : maps.weight[c];
    bias = maps.bias == nullptr ? T(0) : maps.bias[c];
    int at = image * s.modulationN + c * s.modulationC;
    gain = maps.scale == nullptr ? T(1) : 1 + maps.scale[at];
    shift = maps.shift == nullptr ? T(0) : maps.shift[at];
  }

  __device__ T z(T normal) const { return normal * weight + bias; }
  __device__ T t(T normal) const { return z(normal) * gain + shift; }
};

// Number, mean and sum of squared deviations of some numbers; sets are joined by the formula of
// Chan, Golub and LeVeque (1979), which loses no digits to a large mean.
template <class T>
struct Moments {
  T count;
  T mean;
  T squares;

  __device__ void merge(const Moments& o) {
    if (o.count == 0) return;
    T total = count + o.count;
    T apart = o.mean - mean;
    mean += apart * (o.count / total);
    squares += o.squares + apart * apart * (count * (o.count / total));
    count = total;
  }
};

// The moments of a stretch: each thread sums differences from its own first element, then the
// threads are joined in a fixed order. Every thread gets the result.
template <class T>
__device__ Moments<T> moments(const T* x, const Norm& s, const Place& place, int from, int to) {
  __shared__ Moments<T> warps[WARPS];
  T first = 0, sum = 0, squares = 0;
  int c, n = 0;
  for (int e = from + threadIdx.x; e < to; e += THREADS, ++n) {
    T value = x[place.locate(s, e, c)];
    if (n == 0) first = value;
    sum += value - first;
    squares += (value - first) * (value - first);
  }
  Moments<T> m = {T(n), n == 0 ? T(0) : first + sum / n, n == 0 ? T(0) : squares - sum * (sum / n)};
#pragma unroll
  for (int d = WARP / 2; d > 0; d /= 2) {
    m.merge({from_lane(m.count, d), from_lane(m.mean, d), from_lane(m.squares, d)});
  }
  if (threadIdx.x % WARP == 0) warps[threadIdx.x / WARP] = m;
  __syncthreads();
  m = warps[0];
  for (int w = 1; w < WARPS; ++w) m.merge(warps[w]);
  return m;
}

// y of a stretch, and once per group the statistics.
template <class T>
__device__ void apply(T* y, T* mean, T* rstd, const T* x, const Maps<T>& maps, T eps,
                      const Norm& s, const Place& place, const Moments<T>& m) {
  T r = 1 / sqrt(m.squares / m.count + eps);
  if (blockIdx.y == 0 && threadIdx.x == 0) {
    mean[place.group] = m.mean;
    rstd[place.group] = r;
  }
  int c;
  for (int e = place.from + threadIdx.x; e < place.to; e += THREADS) {
    int at = place.locate(s, e, c);
    T t = Channel<T>(maps, s, place.image, c).t((x[at] - m.mean) * r);
    y[at] = s.silu ? silu(t) : t;
  }
}

// All in one, for groups of one part.
template <class T>
__device__ void norm(T* y, T* mean, T* rstd, const T* x, const Maps<T>& maps, T eps,
                     const Norm& s) {
  Place place(s);
  apply(y, mean, rstd, x, maps, eps, s, place, moments(x, s, place, place.from, place.to));
}

// For large groups: the moments of every part first.
template <class T>
__device__ void norm_moments(T* out, const T* x, const Norm& s) {
  Place place(s);
  Moments<T> m = moments(x, s, place, place.from, place.to);
  if (threadIdx.x == 0) {
    T* to = out + 3 * ((long long)place.group * s.parts + blockIdx.y);
    to[0] = m.count;
    to[1] = m.mean;
    to[2] = m.squares;
  }
}

template <class T>
__device__ void norm_apply(T* y, T* mean, T* rstd, const T* x, const T* parts,
                           const Maps<T>& maps, T eps, const Norm& s) {
  Place place(s);
  const T* p = parts + 3LL * place.group * s.parts;
  Moments<T> m = {p[0], p[1], p[2]};
  for (int i = 1; i < s.parts; ++i) m.merge({p[3 * i], p[3 * i + 1], p[3 * i + 2]});
  apply(y, mean, rstd, x, maps, eps, s, place, m);
}

// ---- gradients
//
// With g = dy silu'(t), or dy, and e = g gain weight, and means over the group,
//   dx = rstd (e - mean(e) - normal mean(e normal)),
// which needs the sums of g and of g normal over the pixels of every channel. Those of shift and
// scale are the sums of g and of g z = weight (g normal) + bias g; those of bias and weight the sums
// of gain g and of gain (g normal) over the images.

template <class T>
__device__ T before_activation(const Norm& s, T dy, T t) {
  return s.silu ? dy * silu_grad(t) : dy;
}

// sums (2, n, channels, parts) of g and of g normal. `lanes` threads, a power of two up to 32,
// stand side by side along channels, the others along pixels; a part is `chunk` pixels here.
template <class T>
__device__ void norm_grad_sums(T* sums, const T* dy, const T* x, const T* mean, const T* rstd,
                               const Maps<T>& maps, int lanes, const Norm& s) {
  __shared__ T warps[2][WARPS][WARP];
  Place place(s);
  T m = mean[place.group], r = rstd[place.group];
  int lane = threadIdx.x % lanes;
  int to = min(place.from + s.chunk, s.pixels.value);
  long long half = (long long)gridDim.x * s.perGroup.value * s.parts;
  for (int first = 0; first < s.perGroup.value; first += lanes) {
    int c = place.channel + first + lane;
    bool in = first + lane < s.perGroup.value;
    T g = 0, gn = 0;
    if (in) {
      Channel<T> map(maps, s, place.image, c);
      for (int p = place.from + threadIdx.x / lanes; p < to; p += THREADS / lanes) {
        int at = place.image * s.strideN + c * s.strideC + p * s.strideP;
        T normal = (x[at] - m) * r;
        T before = before_activation(s, dy[at], map.t(normal));
        g += before;
        gn += before * normal;
      }
    }
    for (int d = WARP / 2; d >= lanes; d /= 2) {
      g += from_lane(g, d);
      gn += from_lane(gn, d);
    }
    int warp = threadIdx.x / WARP;
    if (threadIdx.x % WARP < lanes) {
      warps[0][warp][lane] = g;
      warps[1][warp][lane] = gn;
    }
    __syncthreads();
    if (threadIdx.x < lanes && in) {
      g = gn = 0;
      for (int w = 0; w < WARPS; ++w) {
        g += warps[0][w][lane];
        gn += warps[1][w][lane];
      }
      long long at = (long long)(place.image * s.channels + c) * s.parts + blockIdx.y;
      sums[at] = g;
      sums[half + at] = gn;
    }
    __syncthreads();
  }
}

// A warp for each group: joins the parts of every channel, totals (2, n, channels); writes the
// gradients of scale and shift (n, channels) unless null, and the means of e and e normal (2,
// groups of all images).
// Grid: as many blocks as cover one warp for each group of all images.
template <class T>
__device__ void norm_grad_channels(T* totals, T* means, T* dscale, T* dshift, const T* sums,
                                   const Maps<T>& maps, int groups, const Norm& s) {
  int lane = threadIdx.x % WARP;
  for (int group = blockIdx.x * WARPS + threadIdx.x / WARP; group < groups;
       group += gridDim.x * WARPS) {
    int image = s.groups.quotient(group);
    int channel = (group - image * s.groups.value) * s.perGroup.value;
    int half = groups * s.perGroup.value;
    T meanE = 0, meanEn = 0;
    for (int i = lane; i < s.perGroup.value; i += WARP) {
      int c = channel + i;
      int nc = image * s.channels + c;
      T g = 0, gn = 0;
      for (int p = 0; p < s.parts; ++p) {
        g += sums[(long long)nc * s.parts + p];
        gn += sums[((long long)half + nc) * s.parts + p];
      }
      Channel<T> map(maps, s, image, c);
      totals[nc] = g;
      totals[half + nc] = gn;
      if (dshift != nullptr) {
        dshift[nc] = g;
        dscale[nc] = map.weight * gn + map.bias * g;
      }
      meanE += g * map.gain * map.weight;
      meanEn += gn * map.gain * map.weight;
    }
    meanE = warp_sum(meanE);
    meanEn = warp_sum(meanEn);
    if (lane == 0) {
      means[group] = meanE / s.count;
      means[groups + group] = meanEn / s.count;
    }
  }
}

// Sums over the images: a thread for each channel. Grid: as many blocks as cover the channels.
template <class T>
__device__ void norm_grad_affine(T* dweight, T* dbias, const T* totals, const Maps<T>& maps,
                                 int images, const Norm& s) {
  FOR_EACH(c, s.channels) {
    T dw = 0, db = 0;
    for (int n = 0; n < images; ++n) {
      T gain = Channel<T>(maps, s, n, c).gain;
      db += gain * totals[n * s.channels + c];
      dw += gain * totals[(images + n) * s.channels + c];
    }
    dweight[c] = dw;
    dbias[c] = db;
  }
}

template <class T>
__device__ void norm_grad(T* dx, const T* dy, const T* x, const T* mean, const T* rstd,
                          const T* means, const Maps<T>& maps, const Norm& s) {
  Place place(s);
  T m = mean[place.group], r = rstd[place.group];
  T meanE = means[place.group], meanEn = means[gridDim.x + place.group];
  int c;
  for (int e = place.from + threadIdx.x; e < place.to; e += THREADS) {
    int at = place.locate(s, e, c);
    Channel<T> map(maps, s, place.image, c);
    T normal = (x[at] - m) * r;
    T scaled = before_activation(s, dy[at], map.t(normal)) * map.gain * map.weight;
    dx[at] = r * (scaled - meanE - normal * meanEn);
  }
}

#define NORM(type, suffix)                                                                    \
  extern "C" __global__ void __launch_bounds__(THREADS)                                       \
      norm_##suffix(type* y, type* mean, type* rstd, const type* x, Maps<type> maps, type eps, \
                    Norm s) {                                                                 \
    norm(y, mean, rstd, x, maps, eps, s);                                                     \
  }                                                                                           \
  extern "C" __global__ void __launch_bounds__(THREADS)                                       \
      norm_moments_##suffix(type* out, const type* x, Norm s) {                               \
    norm_moments(out, x, s);                                                                  \
  }                                                                                           \
  extern "C" __global__ void __launch_bounds__(THREADS)                                       \
      norm_apply_##suffix(type* y, type* mean, type* rstd, const type* x, const type* parts,  \
                          Maps<type> maps, type eps, Norm s) {                                \
    norm_apply(y, mean, rstd, x, parts, maps, eps, s);                                        \
  }                                                                                           \
  extern "C" __global__ void __launch_bounds__(THREADS)                                       \
      norm_grad_sums_##suffix(type* sums, const type* dy, const type* x, const type* mean,    \
                              const type* rstd, Maps<type> maps, int lanes, Norm s) {         \
    norm_grad_sums(sums, dy, x, mean, rstd, maps, lanes, s);                                  \
  }                                                                                           \
  extern "C" __global__ void __launch_bounds__(THREADS)                                       \
      norm_grad_channels_##suffix(type* totals, type* means, type* dscale, type* dshift,      \
                                  const type* sums, Maps<type> maps, int groups, Norm s) {    \
    norm_grad_channels(totals, means, dscale, dshift, sums, maps, groups, s);                 \
  }                                                                                           \
  extern "C" __global__ void __launch_bounds__(THREADS)                                       \
      norm_grad_affine_##suffix(type* dweight, type* dbias, const type* totals,               \
                                Maps<type> maps, int images, Norm s) {                        \
    norm_grad_affine(dweight, dbias, totals, maps, images, s);                                \
  }                                                                                           \
  extern "C" __global__ void __launch_bounds__(THREADS)                                       \
      norm_grad_##suffix(type* dx, const type* dy, const type* x, const type* mean,           \
                         const type* rstd, const type* means, Maps<type> maps, Norm s) {      \
    norm_grad(dx, dy, x, mean, rstd, means, maps, s);                                         \
  }

NORM(float, f32)
NORM(double, f64)
