package assay.transcode;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** The time of one message, from one form to the other. */
final class Bench {
  /** The message is translated in rounds of so long before the clock starts, while the JIT works. */
  private static final double ROUND_S = 0.15;

  /** A round that is faster by this factor shows that the JIT is not done. */
  private static final double FASTER = 0.97;

  /** The warm-up ends after so many rounds in a row that were not faster, or after so many. */
  private static final int STEADY_ROUNDS = 3;

  private static final int MOST_ROUNDS = 10;

  /** How long the message is translated at least with the clock running. */
  private static final double TIMED_S = 0.1;

  /** Where the output goes, so that making it is not left out. */
  private static volatile byte[] sink;

  private Bench() {}

  interface Translation {
    byte[] of(byte[] input) throws IOException;
  }

  /** Checks the output of the message in the directory, then times it if that is asked for. */
  static Map<String, Double> codec(Path dir, boolean toJson, boolean timed) throws Exception {
    Schema schema = new Schema(dir.resolve("schema.binpb"));
    Codec codec =
        new Codec(schema, schema.message(Files.readString(dir.resolve("type.txt")).strip()), false);
    byte[] input = Files.readAllBytes(dir.resolve(toJson ? "input.bin" : "input.json"));
    byte[] expected = Files.readAllBytes(dir.resolve(toJson ? "expected.json" : "expected.bin"));
    Translation translation = toJson ? codec::toJson : codec::toWire;
    byte[] out = translation.of(input);
    boolean same =
        toJson
            ? codec.parse(out).equals(codec.parse(expected))
            : codec.read(out).equals(codec.read(expected));
    if (!same) {
      throw new IllegalStateException("the output is another message than the expected one");
    }
    return timed ? measure(input, translation) : Map.of();
  }

  /** Repeats the translation as often as the best round of the warm-up says that it takes. */
  private static Map<String, Double> measure(byte[] input, Translation translation)
      throws IOException {
    double once = warm(input, translation);
    long count = Math.max(1, (long) (TIMED_S / once));

    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    System.gc();
    long allocated = threads.getCurrentThreadAllocatedBytes();
    double cpu = cpuSeconds(threads);
    long start = System.nanoTime();
    for (long i = 0; i < count; i++) {
      sink = translation.of(input);
    }
    double seconds = (System.nanoTime() - start) * 1e-9 / count;
    double cpuSeconds = (cpuSeconds(threads) - cpu) / count;
    allocated = threads.getCurrentThreadAllocatedBytes() - allocated;

    Map<String, Double> metrics = new LinkedHashMap<>();
    metrics.put("wall_seconds", seconds);
    metrics.put("cpu_seconds", cpuSeconds);
    metrics.put("cpu_seconds_per_byte", cpuSeconds / input.length);
    metrics.put("heap_bytes_per_op", (double) allocated / count);
    return metrics;
  }

  /**
   * CPU time of all threads but the compilers'. The JVM's own number for the process has steps of 10
   * ms, and the kernel's for a thread that runs is as old as its last tick: this one is asked for by
   * itself.
   */
  private static double cpuSeconds(ThreadMXBean threads) throws IOException {
    Path self = Path.of("/proc").resolve(Files.readSymbolicLink(Path.of("/proc/thread-self")));
    long nanoseconds = threads.getCurrentThreadCpuTime();
    try (var all = Files.newDirectoryStream(self.getParent())) {
      for (Path thread : all) {
        boolean compiles = Files.readString(thread.resolve("comm")).contains("Compiler");
        if (!compiles && !thread.equals(self)) {
          nanoseconds += Long.parseLong(Files.readString(thread.resolve("schedstat")).split(" ")[0]);
        }
      }
    }
    return nanoseconds * 1e-9;
  }

  /** Returns the seconds of one translation in the best round. */
  private static double warm(byte[] input, Translation translation) throws IOException {
    double best = Double.POSITIVE_INFINITY;
    int steady = 0;
    for (int round = 0; round < MOST_ROUNDS && steady < STEADY_ROUNDS; round++) {
      double once = repeat(input, translation, ROUND_S);
      steady = once > best * FASTER ? steady + 1 : 0;
      best = Math.min(best, once);
    }
    return best;
  }

  /** Repeats the translation for so long, at least once. Returns the seconds of one. */
  private static double repeat(byte[] input, Translation translation, double atLeast)
      throws IOException {
    long start = System.nanoTime();
    long count = 0;
    double elapsed;
    do {
      sink = translation.of(input);
      count++;
      elapsed = (System.nanoTime() - start) * 1e-9;
    } while (elapsed < atLeast);
    return elapsed / count;
  }
}
