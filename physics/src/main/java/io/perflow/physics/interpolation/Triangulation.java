package io.perflow.physics.interpolation;

import java.util.Arrays;

/**
 * The Delaunay triangulation of readings that are not all on one line.
 *
 * <p>Readings come in row-major order, so each one is outside the hull of those before it. It is
 * joined to the edges of the hull that it sees; then edges are flipped until no triangle's circle
 * holds a reading (Lawson 1977). All edges that a flip makes end at the new reading, so where four
 * readings are on one circle, the diagonal that the last of them finds stays. The diagonal depends
 * on nothing but the order of the four, so it is the same in every period of a torus.
 *
 * <p>Half-edges are numbered 3 t, 3 t + 1, 3 t + 2 for triangle t and run round it to the left.
 */
final class Triangulation {
  private static final int NONE = -1;

  private final Plane plane;
  private final int[] origin; // of a half-edge
  private final int[] twin; // the half-edge in the other direction, or NONE on the hull
  private int edges;

  // The hull, which runs to the left, by its readings.
  private final int[] next;
  private final int[] previous;
  private final int[] hullEdge; // the half-edge that starts at a reading of the hull

  private int[] suspects = new int[64]; // half-edges that may have to be flipped
  private int suspected;

  Triangulation(Plane plane, int size) {
    this.plane = plane;
    origin = new int[6 * size];
    twin = new int[6 * size];
    next = new int[size];
    previous = new int[size];
    hullEdge = new int[size];
    Arrays.fill(hullEdge, NONE);
    int start = startFromLine();
    for (int p = start + 1; p < size; p++) {
      attach(visibleFrom(p), p);
    }
  }

  // The first readings may lie on a line; joins them to the first one that does not and returns it.
  private int startFromLine() {
    int p = 2;
    while (plane.turn(0, 1, p) == 0) {
      p++;
    }
    int[] line = new int[p];
    boolean left = plane.turn(0, 1, p) > 0;
    for (int i = 0; i < p; i++) {
      line[i] = left ? p - 1 - i : i;
    }
    for (int i = 1; i < p; i++) {
      next[line[i]] = line[i - 1];
      previous[line[i - 1]] = line[i];
    }
    attach(line, p);
    return p;
  }

  // Returns the stretch of the hull whose edges have p on their right; it contains the reading
  // before p.
  private int[] visibleFrom(int p) {
    int from = p - 1;
    int count = 1;
    while (plane.turn(previous[from], from, p) < 0) {
      from = previous[from];
      count++;
    }
    int to = p - 1;
    while (plane.turn(to, next[to], p) < 0) {
      to = next[to];
      count++;
    }
    int[] chain = new int[count];
    for (int i = 0, q = from; i < count; i++, q = next[q]) {
      chain[i] = q;
    }
    return chain;
  }

  // Runs through the chain from its end: an edge on the outer side of the first line starts where
  // the edge before it in the hull ends, and must not be taken for that one.
  private void attach(int[] chain, int p) {
    int toward = NONE; // the half-edge from the chain to p in the triangle made last
    for (int i = chain.length - 1; i > 0; i--) {
      int e = edges;
      edges += 3;
      origin[e] = chain[i];
      origin[e + 1] = chain[i - 1];
      origin[e + 2] = p;
      link(e, hullEdge[chain[i - 1]]);
      link(e + 2, toward);
      toward = e + 1;
      suspect(e);
    }
    link(toward, NONE);
    int from = chain[0];
    int to = chain[chain.length - 1];
    next[from] = p;
    previous[p] = from;
    next[p] = to;
    previous[to] = p;
    flipSuspects();
  }

  private void link(int e, int other) {
    twin[e] = other;
    if (other == NONE) {
      hullEdge[origin[e]] = e;
    } else {
      twin[other] = e;
    }
  }

  private void suspect(int e) {
    if (suspected == suspects.length) {
      suspects = Arrays.copyOf(suspects, 2 * suspected);
    }
    suspects[suspected++] = e;
  }

  private void flipSuspects() {
    while (suspected > 0) {
      int e = suspects[--suspected];
      if (twin[e] != NONE && illegal(e)) {
        flip(e);
      }
    }
  }

  private boolean illegal(int e) {
    int a = origin[e];
    int b = origin[after(e)];
    int c = origin[before(e)];
    int d = origin[before(twin[e])];
    return plane.inCircle(a, b, c, d) > 0;
  }

  // Triangles a b c and b a d on both sides of e = ab become a d c and b c d.
  private void flip(int e) {
    int f = twin[e];
    int bc = after(e);
    int ad = after(f);
    int outsideBc = twin[bc];
    int outsideAd = twin[ad];
    int c = origin[before(e)];
    int d = origin[before(f)];
    origin[bc] = d;
    origin[ad] = c;
    link(e, outsideAd);
    link(f, outsideBc);
    link(bc, ad);
    suspect(e);
    suspect(before(e));
    suspect(f);
    suspect(before(f));
  }

  private static int after(int e) {
    return e % 3 == 2 ? e - 2 : e + 1;
  }

  private static int before(int e) {
    return e % 3 == 0 ? e + 2 : e - 1;
  }

  /** Returns the number of triangles. */
  int size() {
    return edges / 3;
  }

  /** Returns a corner of a triangle; corners 0, 1 and 2 turn left. */
  int corner(int triangle, int corner) {
    return origin[3 * triangle + corner];
  }
}
