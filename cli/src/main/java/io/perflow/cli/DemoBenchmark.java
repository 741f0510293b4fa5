package io.perflow.cli;

/** The benchmarks of the demonstration, described in words. */
enum DemoBenchmark {
  BURGERS(
      "burgers",
      "Burgers' equation",
      "A velocity on a ring, followed through time: it steepens into shocks, and viscosity smooths"
          + " them. The sensors stand still and read every time."),
  DARCY(
      "darcy",
      "Darcy flow",
      "The permeability of the ground, which takes one of two values everywhere, and the pressure"
          + " of the water that seeps through it. Each is read at random points of its own."),
  POISSON(
      "poisson",
      "Poisson's equation",
      "A source and the potential that it makes. Each is read at random points of its own."),
  NS(
      "ns",
      "Navier-Stokes",
      "The two velocities of an incompressible flow at ten times; each has its own random"
          + " sensors.");

  private final String key;
  private final String title;
  private final String story;

  DemoBenchmark(String key, String title, String story) {
    this.key = key;
    this.title = title;
    this.story = story;
  }

  /** Returns the name of the simulator and of the shipped model. */
  String key() {
    return key;
  }

  /** Returns its name for people. */
  String title() {
    return title;
  }

  /** Returns what its fields are and what the sensors read. */
  String story() {
    return story;
  }
}
