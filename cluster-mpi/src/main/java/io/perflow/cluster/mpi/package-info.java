/**
 * Ranks that MPI starts and connects, as on Slurm sites. MPI is the system's own library, called by
 * the foreign-function API; it carries messages, and everything that is done with them is {@link
 * io.perflow.nn.distributed.Collective}'s.
 */
package io.perflow.cluster.mpi;
