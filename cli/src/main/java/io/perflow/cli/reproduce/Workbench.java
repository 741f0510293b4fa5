package io.perflow.cli.reproduce;

import io.perflow.flow.Objective;
import io.perflow.flow.PriorModel;
import io.perflow.physics.Normalization;
import java.io.IOException;

/**
 * The means with which a {@link Model} is made. A laboratory trains networks here; a stopwatch
 * leaves them as they are.
 */
interface Workbench {
  /** Returns the units of the training fields. */
  Normalization normalization() throws IOException;

  /** Returns the Gaussian prior of the training fields. */
  PriorModel prior() throws IOException;

  /** Returns an objective with the weights that samples are drawn with. */
  <O extends Objective> O trained(O untrained) throws IOException;
}
