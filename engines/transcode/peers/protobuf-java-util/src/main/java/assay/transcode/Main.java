package assay.transcode;

import java.nio.file.Path;
import java.util.Map;

/** The benches of protobuf-java-util. */
public final class Main {
  private static final String USAGE =
      """
      usage: bench check|codec from_json|to_json
             bench correctness from_json|to_json agreed|required|recommended CORPUS""";

  private Main() {}

  /** Checks the message in the current directory, or times it too, or counts the cases that pass. */
  public static void main(String[] arguments) {
    try {
      run(arguments).forEach(
          (name, value) ->
              System.out.printf("{\"metric\": \"%s\", \"value\": %s}%n", name, value));
    } catch (Exception e) {
      System.err.println(e);
      System.exit(1);
    }
  }

  private static Map<String, Double> run(String[] arguments) throws Exception {
    if (arguments.length < 2) {
      throw new IllegalArgumentException(USAGE);
    }
    boolean toJson = arguments[1].equals("to_json");
    if (!toJson && !arguments[1].equals("from_json")) {
      throw new IllegalArgumentException("expected from_json or to_json, found " + arguments[1]);
    }
    boolean timed = arguments[0].equals("codec");
    if ((timed || arguments[0].equals("check")) && arguments.length == 2) {
      return Bench.codec(Path.of("."), toJson, timed);
    }
    if (arguments[0].equals("correctness") && arguments.length == 4) {
      return Cases.correctness(Path.of(arguments[3]), toJson, arguments[2]);
    }
    throw new IllegalArgumentException(USAGE);
  }
}
