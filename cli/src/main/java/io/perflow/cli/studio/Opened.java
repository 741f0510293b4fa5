package io.perflow.cli.studio;

import io.perflow.cli.FieldFigures;
import io.perflow.cli.Model;
import io.perflow.flow.Assimilation;
import io.perflow.physics.Axis;
import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.physics.Sensors;
import io.perflow.physics.prior.NextSensor;
import io.perflow.tensor.Rng;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** A model in use, with the fields that can be read and what was prepared for it. */
final class Opened {
  private final Model model;
  private final Truths truths;
  private NextSensor search; // null until it is asked for
  private Assimilation assimilation; // null until it is asked for

  private Opened(Model model, Truths truths) {
    this.model = model;
    this.truths = truths;
  }

  static Opened of(Model model, List<Path> data) throws IOException {
    return new Opened(model, Truths.of(model.problem(), data));
  }

  Model model() {
    return model;
  }

  Problem problem() {
    return model.problem();
  }

  Normalization normalization() {
    return model.normalization();
  }

  Truths truths() {
    return truths;
  }

  synchronized NextSensor search() {
    if (search == null) {
      search = NextSensor.of(model.requirePrior().prior(), Rng.of(1).split("next sensor"));
    }
    return search;
  }

  /** Assimilation that nobody else sets up; its prior of the causes is found once. */
  synchronized Assimilation assimilation() {
    if (assimilation == null) {
      assimilation = model.requirePrior().assimilation();
    }
    return assimilation.another();
  }

  /** All that the page must know to draw fields and sensors of the model. */
  Map<String, Object> toJson() throws IOException {
    Problem problem = problem();
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("problem", problem.name());
    json.put("rows", axis(problem.grid().rows()));
    json.put("columns", axis(problem.grid().columns()));
    json.put("columnsAcross", FieldFigures.secondAcross(problem));
    problem.frames().ifPresent(frames -> json.put("frames", axis(frames)));
    List<Object> quantities = new ArrayList<>();
    for (int q = 0; q < problem.quantities().size(); q++) {
      Map<String, Object> quantity = new LinkedHashMap<>();
      quantity.put("name", problem.quantities().get(q).name());
      quantity.put("unit", problem.quantities().get(q).unit());
      quantity.put("scale", normalization().scale().get(problem.channel(q, 0)));
      quantities.add(quantity);
    }
    json.put("quantities", quantities);
    json.put("constraints", problem.constraints().stream().map(problem::text).toList());
    json.put("sensors", law(problem));
    json.put("methods", Method.of(model).stream().map(Method::toString).toList());
    json.put("suggests", model.prior().isPresent());
    json.put("fields", truths.counts());
    json.put("notes", model.notes());
    return json;
  }

  private static Map<String, Object> axis(Axis axis) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("name", axis.name());
    json.put("unit", axis.unit());
    json.put("from", axis.from());
    json.put("to", axis.to());
    json.put("periodic", axis.periodic());
    json.put("time", axis.time());
    json.put("at", IntStream.range(0, axis.points()).mapToDouble(axis::coordinate).toArray());
    return json;
  }

  private static Map<String, Object> law(Problem problem) {
    Sensors law = problem.sensors();
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("text", law.toString());
    json.put("count", law.fewest());
    json.put("sharing", law.sharing().toString());
    if (law.pattern() == Sensors.Pattern.LINES) {
      // lines that are told apart by their column run along the rows
      boolean columns = problem.grid().dimension(law.axis()) == 3;
      json.put("along", columns ? "rows" : "columns");
    }
    List<Object> places = new ArrayList<>();
    for (List<Double> place : law.places()) {
      places.add(
          new double[] {
            problem.grid().rows().position(place.get(0)),
            problem.grid().columns().position(place.get(1))
          });
    }
    json.put("places", places);
    return json;
  }
}
