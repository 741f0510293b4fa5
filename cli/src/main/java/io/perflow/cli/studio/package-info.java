/**
 * The page of {@code perflow studio}: a server for one person on one machine, and what it computes.
 * {@link io.perflow.cli.studio.StudioServer} is the entrance; requests pass {@code Guard}, are
 * answered by {@code Desk}, and reconstructions are {@code Run}s. The page itself is plain HTML,
 * CSS and JavaScript among the resources of this package.
 */
package io.perflow.cli.studio;
