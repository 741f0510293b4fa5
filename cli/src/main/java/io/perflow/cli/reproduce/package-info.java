/**
 * The tables and figures of PerFlow (arXiv 2605.03548), each by one command: which systems are
 * trained on what, what is measured, and how it is written down. The studies are data ({@link
 * io.perflow.cli.reproduce.Study}); one laboratory runs them and one table writes them.
 */
package io.perflow.cli.reproduce;
