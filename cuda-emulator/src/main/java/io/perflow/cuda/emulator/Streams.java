package io.perflow.cuda.emulator;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The work that has been queued and not yet run. Nothing runs before somebody waits for it, and
 * then only what must have run by then: a program that forgets to wait sees old data every time,
 * not once in a thousand runs.
 */
final class Streams {
  /** A piece of work and what has to run before it. */
  private static final class Task {
    final long number;
    final Runnable body;
    final List<Task> after = new ArrayList<>();
    boolean done;

    Task(long number, Runnable body) {
      this.number = number;
      this.body = body;
    }
  }

  private static final class Stream {
    final boolean blocking;
    Task last;

    Stream(boolean blocking) {
      this.blocking = blocking;
    }
  }

  private static final class Event {
    final boolean timed;
    Task recorded;
    long reachedAt;

    Event(boolean timed) {
      this.timed = timed;
    }
  }

  private final Map<Long, Stream> streams = new HashMap<>();
  private final Map<Long, Event> events = new HashMap<>();
  private final List<Task> orphans = new ArrayList<>();
  private final Stream standard = new Stream(true);
  private long tasks;
  private long handles = 0x100;

  Streams() {
    streams.put(0L, standard);
  }

  // ------------------------------------------------------------ streams

  long create(boolean blocking) {
    streams.put(++handles, new Stream(blocking));
    return handles;
  }

  boolean known(long stream) {
    return streams.containsKey(stream);
  }

  /** Forgets a stream; the work queued in it runs when somebody waits for the device. */
  void destroy(long stream) {
    Stream gone = streams.remove(stream);
    if (gone.last != null) {
      orphans.add(gone.last);
    }
  }

  /** Queues work. */
  void add(long stream, Runnable body) {
    Stream s = streams.get(stream);
    var task = new Task(++tasks, body);
    if (s.last != null) {
      task.after.add(s.last);
    }
    if (s == standard) {
      streams.values().stream()
          .filter(other -> other != s && other.blocking && other.last != null)
          .forEach(other -> task.after.add(other.last));
      task.after.addAll(orphans);
    } else if (s.blocking && standard.last != null) {
      task.after.add(standard.last);
    }
    s.last = task;
  }

  /** Runs the work of a stream; the default stream waits for all that block on it. */
  void synchronize(long stream) {
    if (stream == 0) {
      add(0, () -> {});
    }
    run(streams.get(stream).last);
  }

  /** Runs everything. */
  void synchronizeAll() {
    streams.values().forEach(s -> run(s.last));
    orphans.forEach(this::run);
    orphans.clear();
  }

  /** Drops everything that has not run, after an error. */
  void abandon() {
    streams.values().forEach(s -> s.last = null);
    orphans.clear();
    events.values().forEach(e -> e.recorded = null);
  }

  private void run(Task wanted) {
    if (wanted == null || wanted.done) {
      return;
    }
    var needed = new TreeMap<Long, Task>();
    Deque<Task> open = new ArrayDeque<>(List.of(wanted));
    while (!open.isEmpty()) {
      Task task = open.pop();
      if (!task.done && needed.put(task.number, task) == null) {
        open.addAll(task.after);
      }
    }
    // What a task waits for was queued before it, so the order of queueing is a valid one.
    for (Task task : needed.values()) {
      task.body.run();
      task.done = true;
      task.after.clear();
    }
  }

  // ------------------------------------------------------------ events

  long createEvent(boolean timed) {
    events.put(++handles, new Event(timed));
    return handles;
  }

  boolean knownEvent(long event) {
    return events.containsKey(event);
  }

  void destroyEvent(long event) {
    events.remove(event);
  }

  void record(long event, long stream) {
    Event e = events.get(event);
    add(stream, () -> e.reachedAt = System.nanoTime());
    e.recorded = streams.get(stream).last;
  }

  /**
   * Lets later work of a stream run after the event; an event that was never recorded delays
   * nothing.
   */
  void await(long stream, long event) {
    Task recorded = events.get(event).recorded;
    add(stream, () -> {});
    if (recorded != null) {
      streams.get(stream).last.after.add(recorded);
    }
  }

  void synchronizeEvent(long event) {
    run(events.get(event).recorded);
  }

  /**
   * Returns the milliseconds between two events, or NaN when one has not been reached or keeps no
   * time.
   */
  float elapsed(long start, long end) {
    Event a = events.get(start);
    Event b = events.get(end);
    for (Event e : List.of(a, b)) {
      if (!e.timed || e.recorded == null || !e.recorded.done) {
        return Float.NaN;
      }
    }
    return (b.reachedAt - a.reachedAt) / 1e6f;
  }

  /** Returns the streams and events that have not been ended. */
  List<String> open() {
    var open = new ArrayList<String>();
    streams.keySet().stream().filter(h -> h != 0).forEach(h -> open.add("stream %#x".formatted(h)));
    events.keySet().forEach(h -> open.add("event %#x".formatted(h)));
    return open;
  }
}
