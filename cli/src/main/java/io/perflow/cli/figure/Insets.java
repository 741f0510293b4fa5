package io.perflow.cli.figure;

/**
 * Room that labels need around a plot, in points.
 *
 * @param top above it
 * @param right to its right
 * @param bottom below it
 * @param left to its left
 */
record Insets(double top, double right, double bottom, double left) {}
