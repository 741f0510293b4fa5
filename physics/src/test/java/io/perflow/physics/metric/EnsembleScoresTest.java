package io.perflow.physics.metric;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.ShapeException;
import io.perflow.tensor.Tensor;
import org.junit.jupiter.api.Test;

class EnsembleScoresTest {
  private static final int MEMBERS = 19;

  private static Tensor ensemble(double... members) {
    return Tensor.of(members, members.length, 1, 1, 1);
  }

  private static Tensor truth(double value) {
    return Tensor.of(new double[] {value}, 1, 1, 1);
  }

  /** Members and truth of one distribution but for the factor on the members. */
  private static EnsembleScores gaussian(double spread) {
    Rng rng = Rng.of(11);
    Shape shape = Shape.of(MEMBERS + 1, 2, 60, 80);
    Tensor draws = rng.normal(Device.cpu(), shape, DataType.F64);
    EnsembleScores scores = EnsembleScores.of(0.5, 0.9);
    scores.add(draws.slice(0, 0, MEMBERS).mul(spread), draws.select(0, MEMBERS));
    return scores;
  }

  @Test
  void threeMembersByHand() {
    EnsembleScores scores = EnsembleScores.of(0.5);
    scores.add(ensemble(1, 2, 6), truth(3));
    // distances 2, 1, 3; pairs 1 + 4 + 5
    assertEquals(2 - 10 / 9.0, scores.crps(), 1e-15);
    assertEquals(2 - 10 / 6.0, scores.fairCrps(), 1e-15);
    assertEquals(Math.sqrt(7), scores.spread(), 1e-15);
    assertEquals(0, scores.skill());
    assertArrayEquals(new double[] {0, 0, 1, 0}, scores.rankHistogram());
    // with three members the quartiles are the outer ones
    assertEquals(1, scores.coverage(0.5));
  }

  @Test
  void coverageCountsFieldsAlike() {
    EnsembleScores scores = EnsembleScores.of(0.5);
    scores.add(ensemble(1, 2, 6), truth(3));
    scores.add(ensemble(1, 2, 6), truth(6.5));
    scores.add(ensemble(1, 2, 6), truth(1));
    scores.add(ensemble(1, 2, 6), truth(0.9));
    assertEquals(0.5, scores.coverage(0.5));
  }

  @Test
  void tiesShareTheirRanks() {
    EnsembleScores scores = EnsembleScores.of();
    scores.add(ensemble(5, 5, 5), truth(5));
    assertArrayEquals(new double[] {0.25, 0.25, 0.25, 0.25}, scores.rankHistogram());
    assertEquals(0, scores.crps());
    assertTrue(Double.isNaN(scores.spreadErrorCorrelation()));
  }

  @Test
  void aReliableEnsembleLooksReliable() {
    EnsembleScores scores = gaussian(1);
    assertEquals(0.5, scores.coverage(0.5), 0.02);
    assertEquals(0.9, scores.coverage(0.9), 0.01);
    assertEquals(1, scores.spreadSkillRatio(), 0.02);
    for (double fraction : scores.rankHistogram()) {
      assertEquals(1.0 / (MEMBERS + 1), fraction, 0.012);
    }
    // the CRPS of a standard normal forecast of a standard normal truth
    assertEquals(1 / Math.sqrt(Math.PI), scores.fairCrps(), 0.01);
    assertEquals(scores.fairCrps() * (1 + 1.0 / MEMBERS), scores.crps(), 0.01);
  }

  @Test
  void anEnsembleTooSureOfItselfIsFound() {
    EnsembleScores scores = gaussian(0.5);
    assertTrue(scores.coverage(0.9) < 0.65, () -> "coverage " + scores.coverage(0.9));
    assertEquals(0.5, scores.spreadSkillRatio(), 0.03);
    double[] ranks = scores.rankHistogram();
    assertTrue(ranks[0] > 3 * ranks[MEMBERS / 2], "the histogram is no cup");
  }

  @Test
  void spreadWhereTheErrorIsCorrelates() {
    // deviations 1, 2, 3 and errors of the mean 10, 20, 30
    Tensor members = Tensor.of(new double[] {9, 18, 27, 11, 22, 33}, 2, 1, 1, 3);
    Tensor zero = Tensor.zeros(1, 1, 1, 3);
    EnsembleScores scores = EnsembleScores.of();
    scores.add(members, zero);
    assertEquals(1, scores.spreadErrorCorrelation(), 1e-12);
  }

  @Test
  void badInputIsNamed() {
    EnsembleScores scores = EnsembleScores.of(0.9);
    assertMessage("needs 19 members, 3 given", () -> scores.add(ensemble(1, 2, 3), truth(0)));
    EnsembleScores plain = EnsembleScores.of();
    assertMessage("at least 2 members", () -> plain.add(ensemble(1), truth(0)));
    assertMessage("is NaN", () -> plain.add(ensemble(1, Double.NaN), truth(0)));
    plain.add(ensemble(1, 2), truth(0));
    assertMessage("3 members after ensembles of 2", () -> plain.add(ensemble(1, 2, 3), truth(0)));
    assertMessage("level 0.9 is not counted", () -> plain.coverage(0.9));
    assertMessage("between 0 and 1", () -> EnsembleScores.of(95));
    assertThrows(IllegalStateException.class, () -> EnsembleScores.of().crps());
    assertThrows(ShapeException.class, () -> plain.add(ensemble(1, 2), Tensor.zeros(1, 2, 1)));
  }

  private static void assertMessage(String part, Runnable action) {
    String message = assertThrows(IllegalArgumentException.class, action::run).getMessage();
    assertTrue(message.contains(part), message);
  }
}
