// flags: -fmad=false
//
// Fourier, cosine and sine transforms of lines of any length; matches ScalarFourier.
//
// Powers of two by Stockham's algorithm in steps of four (and one of two); other lengths n by
// Bluestein's: with w(j) = exp(-pi i j^2 / n),
//   X(k) = w(k) sum over j of (x(j) w(j)) conj(w(k - j)),
// a cyclic convolution of any length m >= 2n - 1, done by transforms of a power of two. The inverse
// transform is the conjugate of the transform of the conjugate. Real, cosine and sine transforms
// differ in how a line is read and written only.
//
// Lines that fit are transformed in shared memory by one kernel, several to a block; longer ones
// step by step in global memory, by one kernel for each step, with the same code at both ends.
#include "walk.cuh"

template <class T>
struct alignas(2 * sizeof(T)) Complex {
  T re;
  T im;

  __device__ Complex operator+(Complex o) const { return {re + o.re, im + o.im}; }
  __device__ Complex operator-(Complex o) const { return {re - o.re, im - o.im}; }
  __device__ Complex operator*(Complex o) const {
    return {fma(re, o.re, -im * o.im), fma(re, o.im, im * o.re)};
  }
  __device__ Complex conj() const { return {re, -im}; }
  __device__ Complex times_minus_i() const { return {im, -re}; }
};

// How a line of `size` numbers becomes the `length` complex ones that are transformed, or what
// becomes of those.
enum Form {
  COMPLEX,  // as they are
  REAL,     // read: imaginary parts 0; written: real parts
  HALF,     // frequencies 0 … length / 2 of real numbers
  COSINE,   // read: for DCT-II, even entries forwards, then odd ones backwards
            // written: y(k) = 2 Re(quarter(k) V(k))
  FOLDED,   // read: for DCT-III, conj(quarter(k)) (x(k) - i x(n - k))
            // written: real parts, in the order that COSINE reads
  ODD,      // read: for DST-I, (0, x, 0, -x backwards); written: y(k) = -Im V(k + 1)
};

template <class T>
struct Transform {
  const Complex<T>* roots;     // exp(-2 pi i k / points), k < points
  const Complex<T>* chirp;     // w(j), j < length; null for powers of two
  const Complex<T>* response;  // transform of conj(w), divided by points
  const Complex<T>* quarters;  // exp(-pi i k / 2 length), k < length, for cosine transforms
  T edge;      // factor of entries 0 and, of a half spectrum, length / 2 …
  T interior;  // … and of the others: on reading a HALF or FOLDED line, else on writing
  int length;  // of the transform
  int points;  // power of two: length, or that of Bluestein's convolution
  int size;    // numbers of a line that are read, by form
  int inverse;
  int readForm;
  int writeForm;
  int readStride;
  int readImaginary;  // from a real part to its imaginary part
  int writeStride;
  int writeImaginary;
  int scaleOnRead;
};

template <class T>
__device__ T weight(const Transform<T>& s, int k) {
  bool half = s.readForm == HALF || s.writeForm == HALF;
  return k == 0 || (half && 2 * k == s.length) ? s.edge : s.interior;
}

// Where entry j of DCT-II's order lies in a line.
__device__ inline int folded(int j, int n) { return 2 * j < n ? 2 * j : 2 * (n - 1 - j) + 1; }

// Entry j of the line to transform.
template <class T>
__device__ Complex<T> read(const Transform<T>& s, const T* x, int j) {
  T factor = s.scaleOnRead ? weight(s, j) : T(1);
  Complex<T> v = {0, 0};
  switch (s.readForm) {
    case COMPLEX: {
      const T* p = x + (long long)j * s.readStride;
      v = {p[0], p[s.readImaginary]};
      break;
    }
    case REAL:
      v.re = x[(long long)j * s.readStride];
      break;
    case HALF: {
      bool mirrored = 2 * j > s.length;
      int k = mirrored ? s.length - j : j;
      const T* p = x + (long long)k * s.readStride;
      bool real = k == 0 || 2 * k == s.length;  // the imaginary part is not looked at
      v = {p[0], real ? T(0) : mirrored ? -p[s.readImaginary] : p[s.readImaginary]};
      factor = s.scaleOnRead ? weight(s, k) : T(1);
      break;
    }
    case COSINE:
      v.re = x[(long long)folded(j, s.length) * s.readStride];
      break;
    case FOLDED: {
      T back = j == 0 ? T(0) : x[(long long)(s.length - j) * s.readStride];
      v = s.quarters[j].conj() * Complex<T>{x[(long long)j * s.readStride], -back};
      break;
    }
    case ODD: {
      bool mirrored = 2 * j > s.length;
      int k = (mirrored ? s.length - j : j) - 1;
      if (k >= 0 && k < s.size) {
        T value = x[(long long)k * s.readStride];
        v.re = mirrored ? -value : value;
      }
      break;
    }
  }
  return {v.re * factor, v.im * factor};
}

// Takes entry k of the transformed line.
template <class T>
__device__ void write(const Transform<T>& s, T* y, int k, Complex<T> v) {
  T factor = s.scaleOnRead ? T(1) : weight(s, k);
  switch (s.writeForm) {
    case COMPLEX:
    case HALF:
      if (s.writeForm == COMPLEX || 2 * k <= s.length) {
        T* p = y + (long long)k * s.writeStride;
        p[0] = v.re * factor;
        p[s.writeImaginary] = v.im * factor;
      }
      break;
    case REAL:
      y[(long long)k * s.writeStride] = v.re * factor;
      break;
    case COSINE:
      y[(long long)k * s.writeStride] = 2 * (s.quarters[k] * v).re * factor;
      break;
    case FOLDED:
      y[(long long)folded(k, s.length) * s.writeStride] = v.re * factor;
      break;
    case ODD:
      if (k >= 1 && k <= s.size) y[(long long)(k - 1) * s.writeStride] = -v.im * factor;
      break;
  }
}

// Point j before the first transform: the line itself, or Bluestein's product with zeros behind it.
template <class T>
__device__ Complex<T> first_point(const Transform<T>& s, const T* x, int j) {
  if (j >= s.length) return {0, 0};
  Complex<T> v = read(s, x, j);
  if (s.inverse) v = v.conj();
  return s.chirp == nullptr ? v : v * s.chirp[j];
}

// Point j between Bluestein's two transforms, conjugated for the second.
template <class T>
__device__ Complex<T> middle_point(const Transform<T>& s, Complex<T> v, int j) {
  return (v * s.response[j]).conj();
}

// What point k after the last transform stands for.
template <class T>
__device__ Complex<T> last_value(const Transform<T>& s, int k, Complex<T> v) {
  if (s.chirp != nullptr) v = v.conj() * s.chirp[k];
  return s.inverse ? v.conj() : v;
}

// Takes point k after the last transform.
template <class T>
__device__ void last_point(const Transform<T>& s, T* y, int k, Complex<T> v) {
  if (k < s.length) write(s, y, k, last_value(s, k, v));
}

// One step of Stockham's algorithm: butterfly j of radix R over points of which `done` have been
// combined already. v holds points j, j + points / R, …; `target` is where result 0 goes, result r
// goes r `done` further.
template <int R, class T>
__device__ int butterfly(Complex<T> (&v)[R], const Complex<T>* roots, int points, int done,
                         int j) {
  int k = j & (done - 1);
  int turn = points / (R * done);  // one R * done-th of a circle in the table
#pragma unroll
  for (int r = 1; r < R; ++r) v[r] = v[r] * roots[r * k * turn];
  if constexpr (R == 2) {
    Complex<T> a = v[0];
    v[0] = a + v[1];
    v[1] = a - v[1];
  } else {
    Complex<T> a = v[0] + v[2], b = v[0] - v[2];
    Complex<T> c = v[1] + v[3], d = (v[1] - v[3]).times_minus_i();
    v[0] = a + c;
    v[1] = b + d;
    v[2] = a - c;
    v[3] = b - d;
  }
  return (j - k) * R + k;
}

// Transforms lines in shared memory in place: all threads read, then all write. Thread t of a line
// has butterfly t of radix 4, or t and t + quarter of radix 2; `active` threads have a line.
template <class T>
__device__ void transform(Complex<T>* line, const Complex<T>* roots, int points, int t,
                          int quarter, bool active) {
  int done = 1;
  if ((points & 0xaaaaaaaa) != 0) {  // an odd power of two
    Complex<T> v[2][2];
    int to[2];
#pragma unroll
    for (int b = 0; b < 2; ++b) {
      int j = t + b * quarter;
      if (active && j < points / 2) {
        v[b][0] = line[j];
        v[b][1] = line[j + points / 2];
        to[b] = butterfly<2>(v[b], roots, points, done, j);
      }
    }
    __syncthreads();
#pragma unroll
    for (int b = 0; b < 2; ++b) {
      if (active && t + b * quarter < points / 2) {
        line[to[b]] = v[b][0];
        line[to[b] + done] = v[b][1];
      }
    }
    __syncthreads();
    done = 2;
  }
  for (; done < points; done *= 4) {
    Complex<T> v[4];
    int to = 0;
    if (active) {
#pragma unroll
      for (int r = 0; r < 4; ++r) v[r] = line[t + r * (points / 4)];
      to = butterfly<4>(v, roots, points, done, t);
    }
    __syncthreads();
    if (active) {
#pragma unroll
      for (int r = 0; r < 4; ++r) line[to + r * done] = v[r];
    }
    __syncthreads();
  }
}

// Transforms lines in shared memory and hands each result to `put(where the line lies, k, value)`.
// `lines` walks over the starts of the lines in every operand, that which is read at 1. A block has
// `perBlock` lines and perBlock * max(1, points / 4) threads; `across` says that neighbouring lines
// are neighbours in memory, so neighbouring threads read and write those.
// Grid: as many blocks as cover the lines. Shared memory: perBlock * (points + 1) complex numbers.
template <class T, int K, class Put>
__device__ void lines_in_shared(const T* x, int perBlock, int across, const Transform<T>& s,
                                const Walk<K>& lines, Put put) {
  extern __shared__ __align__(16) unsigned char memory[];
  Complex<T>* shared = reinterpret_cast<Complex<T>*>(memory);
  int pitch = s.points + 1;  // against bank conflicts
  int first = blockIdx.x * perBlock;
  int count = min(perBlock, lines.groups - first);
  int quarter = s.points < 4 ? 1 : s.points / 4;
  int at[K];
  for (int e = threadIdx.x; e < count * s.points; e += blockDim.x) {
    int line = across ? e % count : e / s.points;
    int j = across ? e / count : e % s.points;
    lines.locate(first + line, at);
    shared[line * pitch + j] = first_point(s, x + at[1], j);
  }
  __syncthreads();
  int own = threadIdx.x / quarter, t = threadIdx.x % quarter;
  Complex<T>* line = shared + own * pitch;
  transform(line, s.roots, s.points, t, quarter, own < count);
  if (s.chirp != nullptr) {
    for (int e = threadIdx.x; e < count * s.points; e += blockDim.x) {
      Complex<T>* p = shared + e / s.points * pitch + e % s.points;
      *p = middle_point(s, *p, e % s.points);
    }
    __syncthreads();
    transform(line, s.roots, s.points, t, quarter, own < count);
  }
  for (int e = threadIdx.x; e < count * s.length; e += blockDim.x) {
    int line = across ? e % count : e / s.length;
    int k = across ? e / count : e % s.length;
    lines.locate(first + line, at);
    put(at, k, shared[line * pitch + k]);
  }
}

template <class T>
__device__ void fft_lines(T* y, const T* x, int perBlock, int across, const Transform<T>& s,
                          const Walk<2>& lines) {
  lines_in_shared(x, perBlock, across, s, lines,
                  [&](const int (&at)[2], int k, Complex<T> v) { last_point(s, y + at[0], k, v); });
}

// The last transform of a step, from half spectra z to real lines r, and the step itself:
// y = x + weight (v - r), matches Backend.advanceTransverse. A null x is 0.
// Operands of `lines`: y, z, x, v; strides along a line of y, x and v.
template <class T>
__device__ void advance_lines(T* y, const T* z, const T* x, const T* v, T weight, int yStride,
                              int xStride, int vStride, int perBlock, int across,
                              const Transform<T>& s, const Walk<4>& lines) {
  lines_in_shared(z, perBlock, across, s, lines,
                  [&](const int (&at)[4], int k, Complex<T> value) {
                    T r = last_value(s, k, value).re;  // scaled on reading
                    T from = x == nullptr ? T(0) : x[at[2] + (long long)k * xStride];
                    T d = v[at[3] + (long long)k * vStride] - r;
                    y[at[0] + (long long)k * yStride] = from + weight * d;
                  });
}

// What lies between the transforms along the last axis: for the modes (u, v) of vector fields,
// transforms of both along the height, u, v := n (n . (u, v)), and both back, in place.
// z (batch, 2, frames, points, half) and n (2, points, half) complex. A block has perBlock
// neighbouring pairs of lines and perBlock * 2 * max(1, points / 4) threads.
// Grid: as many blocks as cover batch * frames * half pairs. Shared memory: perBlock * 2 *
// (points + 1) complex numbers.
template <class T>
__device__ void project_columns(Complex<T>* z, const Complex<T>* n, const Complex<T>* roots,
                                int points, int half, int frames, int pairs, int perBlock) {
  extern __shared__ __align__(16) unsigned char memory[];
  Complex<T>* shared = reinterpret_cast<Complex<T>*>(memory);
  int pitch = points + 1;
  int first = blockIdx.x * perBlock;
  int count = min(perBlock, pairs - first);
  int quarter = points < 4 ? 1 : points / 4;
  int own = threadIdx.x / quarter, t = threadIdx.x % quarter;
  int plane = points * half;
  // entry e is pair e % count, then component, then row: neighbours in memory for neighbours
  auto place = [&](int e, int& line, int& row) -> long long {
    int pair = e % count, rest = e / count;
    int component = rest / points;
    row = rest % points;
    line = 2 * pair + component;
    int wave = (first + pair) % half, field = (first + pair) / half;
    int image = (field / frames * 2 + component) * frames + field % frames;
    return (long long)image * plane + row * half + wave;
  };
  int line, row;
  for (int e = threadIdx.x; e < count * 2 * points; e += blockDim.x) {
    long long at = place(e, line, row);
    shared[line * pitch + row] = z[at];
  }
  __syncthreads();
  transform(shared + own * pitch, roots, points, t, quarter, own < 2 * count);
  for (int e = threadIdx.x; e < count * points; e += blockDim.x) {
    int pair = e % count, k = e / count;
    int wave = (first + pair) % half;
    Complex<T> a = n[k * half + wave], b = n[plane + k * half + wave];
    Complex<T>* u = shared + 2 * pair * pitch + k;
    Complex<T>* v = u + pitch;
    Complex<T> length = *u * a + *v * b;
    *u = (length * a).conj();
    *v = (length * b).conj();
  }
  __syncthreads();
  transform(shared + own * pitch, roots, points, t, quarter, own < 2 * count);
  for (int e = threadIdx.x; e < count * 2 * points; e += blockDim.x) {
    long long at = place(e, line, row);
    z[at] = shared[line * pitch + row].conj();
  }
}

// The same in global memory. work (lines, points).
// Grid: any number of blocks of any size; a thread takes one point, or one butterfly.
template <class T>
__device__ void fft_first(Complex<T>* work, const T* x, Divisor points, const Transform<T>& s,
                          const Walk<2>& lines) {
  FOR_EACH(e, lines.groups * points.value) {
    int line = points.quotient(e);
    int at[2];
    lines.locate(line, at);
    work[e] = first_point(s, x + at[1], e - line * points.value);
  }
}

template <int R, class T>
__device__ void fft_step(Complex<T>* to, const Complex<T>* from, const Complex<T>* roots,
                         int lines, int points, int done, Divisor butterflies) {
  FOR_EACH(e, lines * butterflies.value) {
    int line = butterflies.quotient(e);
    int j = e - line * butterflies.value;
    Complex<T> v[R];
#pragma unroll
    for (int r = 0; r < R; ++r) {
      v[r] = from[(long long)line * points + j + r * butterflies.value];
    }
    int target = butterfly<R>(v, roots, points, done, j);
#pragma unroll
    for (int r = 0; r < R; ++r) to[(long long)line * points + target + r * done] = v[r];
  }
}

template <class T>
__device__ void fft_middle(Complex<T>* work, int lines, Divisor points, const Transform<T>& s) {
  FOR_EACH(e, lines * points.value) {
    work[e] = middle_point(s, work[e], e - points.quotient(e) * points.value);
  }
}

template <class T>
__device__ void fft_last(T* y, const Complex<T>* work, Divisor points, const Transform<T>& s,
                         const Walk<2>& lines) {
  FOR_EACH(e, lines.groups * points.value) {
    int line = points.quotient(e);
    int at[2];
    lines.locate(line, at);
    last_point(s, y + at[0], e - line * points.value, work[e]);
  }
}

#define FFT(type, suffix)                                                                     \
  extern "C" __global__ void __launch_bounds__(512) fft_lines_##suffix(                       \
      type* y, const type* x, int perBlock, int across, Transform<type> s, Walk<2> lines) {   \
    fft_lines(y, x, perBlock, across, s, lines);                                              \
  }                                                                                           \
  extern "C" __global__ void __launch_bounds__(512) advance_lines_##suffix(                   \
      type* y, const type* z, const type* x, const type* v, type weight, int yStride,         \
      int xStride, int vStride, int perBlock, int across, Transform<type> s, Walk<4> lines) { \
    advance_lines(y, z, x, v, weight, yStride, xStride, vStride, perBlock, across, s, lines); \
  }                                                                                           \
  extern "C" __global__ void __launch_bounds__(512) project_columns_##suffix(                 \
      Complex<type>* z, const Complex<type>* n, const Complex<type>* roots, int points,       \
      int half, int frames, int pairs, int perBlock) {                                        \
    project_columns(z, n, roots, points, half, frames, pairs, perBlock);                      \
  }                                                                                           \
  extern "C" __global__ void fft_first_##suffix(Complex<type>* work, const type* x,           \
                                                Divisor points, Transform<type> s,            \
                                                Walk<2> lines) {                              \
    fft_first(work, x, points, s, lines);                                                     \
  }                                                                                           \
  extern "C" __global__ void fft_step2_##suffix(                                              \
      Complex<type>* to, const Complex<type>* from, const Complex<type>* roots, int lines,    \
      int points, int done, Divisor butterflies) {                                            \
    fft_step<2>(to, from, roots, lines, points, done, butterflies);                           \
  }                                                                                           \
  extern "C" __global__ void fft_step4_##suffix(                                              \
      Complex<type>* to, const Complex<type>* from, const Complex<type>* roots, int lines,    \
      int points, int done, Divisor butterflies) {                                            \
    fft_step<4>(to, from, roots, lines, points, done, butterflies);                           \
  }                                                                                           \
  extern "C" __global__ void fft_middle_##suffix(Complex<type>* work, int lines,              \
                                                 Divisor points, Transform<type> s) {         \
    fft_middle(work, lines, points, s);                                                       \
  }                                                                                           \
  extern "C" __global__ void fft_last_##suffix(type* y, const Complex<type>* work,            \
                                               Divisor points, Transform<type> s,             \
                                               Walk<2> lines) {                               \
    fft_last(y, work, points, s, lines);                                                      \
  }

FFT(float, f32)
FFT(double, f64)
