package demo;

import io.perflow.Perflow;
import io.perflow.flow.PriorModel;
import io.perflow.physics.Dataset;
import io.perflow.physics.Scaling;
import io.perflow.physics.solver.Heat;
import io.perflow.tensor.Rng;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;

/** A program that uses the library from the module path, inside a server. */
public final class Demo {
  private Demo() {}

  /**
   * Learns the temperatures of a plate, starts a server that reconstructs them, and asks it twice.
   *
   * @param args none
   */
  public static void main(String[] args) throws Exception {
    System.out.println("maven demo on perflow-nn " + Perflow.version());
    Heat plate = Heat.standard().size(24);
    Dataset data =
        Dataset.of(plate.problem(), plate.samples(200, Rng.of(1)), Scaling.UNIT, Map.of());
    try (TemperatureServer server = new TemperatureServer(PriorModel.learn(data));
        HttpClient client = HttpClient.newHttpClient()) {
      for (String readings : new String[] {"0.45,0.5,310\n0.8,0.1,295", "0.45,0.5,warm"}) {
        HttpRequest request =
            HttpRequest.newBuilder(server.address())
                .POST(HttpRequest.BodyPublishers.ofString(readings))
                .build();
        HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
        System.out.println(answer.statusCode() + " " + answer.body());
      }
    }
  }
}

// Output:
// maven demo on perflow-nn 0.2.0
// 200 {"T": 307, "deviation": 2}
// 400 For input string: "warm"
