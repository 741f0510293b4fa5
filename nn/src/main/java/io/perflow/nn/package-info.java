/**
 * Parameters, layers and their initialisation.
 *
 * <p>Training loops and physics do not belong here.
 */
package io.perflow.nn;
