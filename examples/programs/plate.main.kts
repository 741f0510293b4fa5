// A Kotlin script that reconstructs a temperature from two thermometers. ./gradlew consumeWithKotlin runs it;
// with the kotlin command it is
//   kotlin -J--add-modules=jdk.incubator.vector -cp "$(echo cli/build/install/perflow/lib/*.jar | tr ' ' :)" examples/programs/plate.main.kts
import io.perflow.flow.*
import io.perflow.physics.*
import io.perflow.physics.solver.Heat
import io.perflow.tensor.*

val plate = Heat.standard().size(24)
val data = Dataset.of(plate.problem(), plate.samples(200, Rng.of(1)), Scaling.UNIT, mapOf())
val model = PriorModel.learn(data)

val readings = Readings.of(plate.problem()).at("T", 310.0, 0.3, 0.4).at("T", 295.0, 0.8, 0.1).build()
val found = Reconstruction.of(model.sampler(), readings, 50, Rng.of(2))
for (y in listOf(0.3, 0.55, 0.8)) {
    val there = found.at("T", y, 0.4)
    println("y = %.2f: %.0f K, give or take %.0f K".format(y, there.mean(), there.deviation()))
}

// Output:
// y = 0.30: 310 K, give or take 1 K
// y = 0.55: 301 K, give or take 5 K
// y = 0.80: 293 K, give or take 6 K
