/** Engines on clusters: Apache Spark starts, places and replaces processes; ranks talk directly. */
package io.perflow.cluster;
