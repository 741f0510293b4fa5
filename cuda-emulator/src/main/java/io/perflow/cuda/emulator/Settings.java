package io.perflow.cuda.emulator;

/** How an emulated device is set up; see {@link EmulatedDriver.Builder}. */
record Settings(
    Schedule schedule,
    boolean races,
    boolean counting,
    long memory,
    int capability,
    long maxInstructions) {}
