package io.perflow.cluster;

import io.perflow.nn.distributed.Engine;

/** Connects to Spark by the addresses that Spark itself understands. */
public final class SparkProvider implements Engine.Provider {
  @Override
  public boolean knows(String master) {
    return master.matches("(local(-cluster)?(\\[.*])?|yarn|spark://.*|k8s://.*)");
  }

  @Override
  public String forms() {
    return "local[4], local-cluster[2,1,1024], spark://host:7077, yarn or k8s://https://host:6443";
  }

  @Override
  public Engine connect(String master) {
    return SparkEngine.connect(master);
  }
}
