/**
 * The {@code perflow} command: one class for each subcommand, and the options and reports that
 * subcommands share. Figures, the studio and the reproduction of the paper have their own packages.
 */
package io.perflow.cli;
