package io.perflow.cuda.emulator;

/** The settings of an emulated device; see {@link EmulatedDriver.Builder}. */
record Settings(
    Schedule schedule,
    boolean races,
    boolean counting,
    long memory,
    int capability,
    long maxInstructions) {}
