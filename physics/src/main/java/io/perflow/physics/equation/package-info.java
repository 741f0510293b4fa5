/**
 * Equations as maps from causes to whole fields, and the fields that satisfy an equation and agree
 * with readings.
 */
package io.perflow.physics.equation;
