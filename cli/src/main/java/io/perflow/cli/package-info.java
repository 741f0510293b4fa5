/** The {@code perflow} command: one class per subcommand. */
package io.perflow.cli;
