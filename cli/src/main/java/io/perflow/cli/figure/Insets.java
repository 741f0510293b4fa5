package io.perflow.cli.figure;

/**
 * The room that labels need around a plot, in points.
 *
 * @param top the room above it
 * @param right the room to its right
 * @param bottom the room below it
 * @param left the room to its left
 */
record Insets(double top, double right, double bottom, double left) {}
