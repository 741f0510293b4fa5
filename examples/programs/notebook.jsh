// Cells of a notebook, for jshell or a Jupyter kernel of Java. With the jars of ./perflow:
//   jshell -s --class-path "$(echo cli/build/install/perflow/lib/*.jar | tr ' ' :)" \
//       --add-modules jdk.incubator.vector -R--add-modules=jdk.incubator.vector examples/programs/notebook.jsh
import io.perflow.flow.*
import io.perflow.physics.*
import io.perflow.physics.solver.Heat
import io.perflow.tensor.*

// a plate of which 200 simulations are known
var plate = Heat.standard().size(24)
var data = Dataset.of(plate.problem(), plate.samples(200, Rng.of(1)), Scaling.UNIT, Map.of())
var model = PriorModel.learn(data)

// two thermometers
var readings = Readings.of(plate.problem()).at("T", 310, 0.3, 0.4).at("T", 295, 0.8, 0.1).build()
var found = Reconstruction.of(model.sampler(), readings, 50, Rng.of(2))
var there = found.at("T", 0.3, 0.45)
System.out.printf(Locale.ROOT, "near the first: %.0f K, give or take %.0f K%n", there.mean(), there.deviation())
/exit

// Output:
// near the first: 309 K, give or take 2 K
