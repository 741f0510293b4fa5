// Convolution with 3 x 3 filters and stride 1 in the manner of Winograd, F(2 x 2, 3 x 3) (Lavin and
// Gray, "Fast algorithms for convolutional neural networks", 2016): with
//   U = G g G',  V = B' d B  for a filter g and a 4 x 4 piece d of the image,
// the 2 x 2 results of the piece are A' (sum over channels of U V) A. The sums are 16 products of
// matrices (tiles, channels in) (channels in, channels out): 2.25 times fewer multiplications than
// the direct form, a little less accuracy, and more traffic to memory.
//
// Images lie (n, h, w, c). Grid: any number of blocks of any size; neighbouring threads have
// neighbouring channels.
#include "image.cuh"

struct Tiles {
  Divisor rows;      // of tiles in an image
  Divisor cols;
  Divisor channels;  // of the image that is read or written, or of the filter's results
  int count;         // tiles of all images
  int height;        // of the image that is written
  int width;
};

// Rows of G, B' and A', applied to columns and then to rows.
__device__ inline void filter_line(float a, float b, float c, float (&out)[4]) {
  out[0] = a;
  out[1] = 0.5f * (a + b + c);
  out[2] = 0.5f * (a - b + c);
  out[3] = c;
}

__device__ inline void image_line(float a, float b, float c, float d, float (&out)[4]) {
  out[0] = a - c;
  out[1] = b + c;
  out[2] = c - b;
  out[3] = b - d;
}

__device__ inline void result_line(float a, float b, float c, float d, float (&out)[2]) {
  out[0] = a + b + c;
  out[1] = b - c - d;
}

// u (16, in, out) from w with any strides; `flipped` turns the filter round for the adjoint.
extern "C" __global__ void winograd_filter_f32(float* u, const float* w, int ins, Divisor outs,
                                               int strideIn, int strideOut, int strideH,
                                               int strideW, int flipped) {
  FOR_EACH(e, ins * outs.value) {
    int i = outs.quotient(e);
    const float* p = w + (long long)i * strideIn + (long long)(e - i * outs.value) * strideOut;
    float columns[3][4];
#pragma unroll
    for (int v = 0; v < 3; ++v) {
      float g[3];
#pragma unroll
      for (int t = 0; t < 3; ++t) {
        g[t] = p[(flipped ? 2 - t : t) * strideH + (flipped ? 2 - v : v) * strideW];
      }
      filter_line(g[0], g[1], g[2], columns[v]);
    }
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      float line[4];
      filter_line(columns[0][r], columns[1][r], columns[2][r], line);
#pragma unroll
      for (int c = 0; c < 4; ++c) u[(long long)(4 * r + c) * ins * outs.value + e] = line[c];
    }
  }
}

// v (16, tiles, channels).
extern "C" __global__ void winograd_image_f32(float* v, const float* x, AxisMap h, AxisMap w,
                                              Tiles tiles) {
  FOR_EACH(e, tiles.count * tiles.channels.value) {
    int tile = tiles.channels.quotient(e);
    int channel = e - tile * tiles.channels.value;
    int line = tiles.cols.quotient(tile);
    int image = tiles.rows.quotient(line);
    int top = 2 * (line - image * tiles.rows.value) + h.shift;
    int left = 2 * (tile - line * tiles.cols.value) + w.shift;
    float columns[4][4];
#pragma unroll
    for (int s = 0; s < 4; ++s) {
      int col = w.place(left, s);
      float d[4];
#pragma unroll
      for (int r = 0; r < 4; ++r) {
        int row = h.place(top, r);
        d[r] = row < 0 || col < 0
                   ? 0.0f
                   : x[((long long)(image * h.extent + row) * w.extent + col) *
                           tiles.channels.value +
                       channel];
      }
      image_line(d[0], d[1], d[2], d[3], columns[s]);
    }
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      float out[4];
      image_line(columns[0][r], columns[1][r], columns[2][r], columns[3][r], out);
#pragma unroll
      for (int c = 0; c < 4; ++c) {
        v[(long long)(4 * r + c) * tiles.count * tiles.channels.value + e] = out[c];
      }
    }
  }
}

// y from m (16, tiles, channels).
extern "C" __global__ void winograd_result_f32(float* y, const float* m, const float* bias,
                                               Tiles tiles) {
  FOR_EACH(e, tiles.count * tiles.channels.value) {
    int tile = tiles.channels.quotient(e);
    int channel = e - tile * tiles.channels.value;
    int line = tiles.cols.quotient(tile);
    int image = tiles.rows.quotient(line);
    int top = 2 * (line - image * tiles.rows.value);
    int left = 2 * (tile - line * tiles.cols.value);
    float columns[4][2];
#pragma unroll
    for (int s = 0; s < 4; ++s) {
      float d[4];
#pragma unroll
      for (int r = 0; r < 4; ++r) {
        d[r] = m[(long long)(4 * r + s) * tiles.count * tiles.channels.value + e];
      }
      result_line(d[0], d[1], d[2], d[3], columns[s]);
    }
    float shift = bias == nullptr ? 0.0f : bias[channel];
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      float out[2];
      result_line(columns[0][r], columns[1][r], columns[2][r], columns[3][r], out);
#pragma unroll
      for (int c = 0; c < 2; ++c) {
        if (top + r < tiles.height && left + c < tiles.width) {
          y[((long long)(image * tiles.height + top + r) * tiles.width + left + c) *
                tiles.channels.value +
            channel] = out[c] + shift;
        }
      }
    }
  }
}
