/**
 * Figures and reports: maps of fields, charts, and a page that holds them.
 *
 * <p>Everything is drawn without a display and without system fonts, and the same input gives the
 * same bytes. Lengths are in points; an image has two pixels to the point.
 */
package io.perflow.cli.figure;
