package assay.transcode;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.DescriptorValidationException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The conformance cases: how many the library answers as recorded. */
final class Cases {
  private final Schema schema;
  private final boolean fromJson;

  private Cases(Schema schema, boolean fromJson) {
    this.schema = schema;
    this.fromJson = fromJson;
  }

  /** A message in one form: a text, or bytes on the wire. */
  private record Form(byte[] bytes, boolean json) {}

  /**
   * A message in one form, and what it must become.
   *
   * @param wanted null where the input must be refused
   * @param exact the text itself is meant, not only the message that it stands for
   */
  private record Case(
      String name,
      Descriptor message,
      Form given,
      Form wanted,
      boolean toJson,
      boolean strict,
      boolean exact) {}

  /**
   * Counts the cases of a set that pass: agreed by all recorded libraries, required or recommended
   * by the conformance suite. Names the others on the standard error.
   */
  static Map<String, Double> correctness(Path corpus, boolean toJson, String set)
      throws IOException, DescriptorValidationException {
    boolean agreed = set.equals("agreed");
    Path descriptors =
        corpus.resolve(agreed ? "transcode_corpus.desc" : "test_messages.desc");
    Cases reader = new Cases(new Schema(descriptors), !toJson);
    List<Case> cases = agreed ? reader.agreed(corpus) : reader.suite(corpus, set);
    if (cases.isEmpty()) {
      throw new IllegalArgumentException("there are no " + set + " cases");
    }
    int passed = 0;
    long start = System.nanoTime();
    for (Case one : cases) {
      if (reader.passes(one)) {
        passed++;
      } else {
        System.err.println("not passed: " + one.name());
      }
    }
    Map<String, Double> metrics = new LinkedHashMap<>();
    metrics.put("seconds", (System.nanoTime() - start) * 1e-9 / cases.size());
    metrics.put("cases_passed", (double) passed);
    metrics.put("cases_total", (double) cases.size());
    return metrics;
  }

  private boolean passes(Case one) {
    Codec codec = new Codec(schema, one.message(), one.strict());
    byte[] found;
    try {
      found = answer(codec, one);
    } catch (IOException | RuntimeException refusal) {
      return one.wanted() == null;
    }
    return one.wanted() != null && same(one, found, one.wanted().bytes());
  }

  private static byte[] answer(Codec codec, Case one) throws IOException {
    byte[] given = one.given().bytes();
    if (one.given().json()) {
      byte[] wire = codec.toWire(given);
      return one.toJson() ? codec.toJson(wire) : wire;
    }
    return codec.toJson(given);
  }

  private boolean same(Case one, byte[] found, byte[] wanted) {
    Codec codec = new Codec(schema, one.message(), false);
    try {
      if (!one.toJson()) {
        return Arrays.equals(found, wanted) // also where it is too deep to be read
            || codec.read(found).equals(codec.read(wanted));
      }
      return asDoubles(parsed(found)).equals(asDoubles(parsed(wanted)))
          || !one.exact() && codec.parse(found).equals(codec.parse(wanted));
    } catch (IOException | RuntimeException refusal) {
      return false;
    }
  }

  private static JsonElement parsed(byte[] text) {
    return JsonParser.parseString(new String(text, StandardCharsets.UTF_8));
  }

  /** The spelling of a number does not count. */
  private static JsonElement asDoubles(JsonElement value) {
    if (value.isJsonArray()) {
      JsonArray array = new JsonArray();
      value.getAsJsonArray().forEach(item -> array.add(asDoubles(item)));
      return array;
    }
    if (value.isJsonObject()) {
      JsonObject object = new JsonObject();
      value.getAsJsonObject().entrySet().forEach(
          member -> object.add(member.getKey(), asDoubles(member.getValue())));
      return object;
    }
    boolean number = value.isJsonPrimitive() && value.getAsJsonPrimitive().isNumber();
    return number ? new JsonPrimitive(value.getAsDouble()) : value;
  }

  /** Reads json_to_proto.jsonl or proto_to_json.jsonl. */
  private List<Case> agreed(Path corpus) throws IOException {
    List<Case> cases = new ArrayList<>();
    String file = fromJson ? "json_to_proto.jsonl" : "proto_to_json.jsonl";
    for (JsonObject row : rows(corpus.resolve(file))) {
      if (!row.get("agree").getAsBoolean() || row.has("case_insensitive_enums")) {
        continue;
      }
      JsonObject answer = fromJson ? row.getAsJsonObject("seed") : byDefault(row);
      cases.add(
          new Case(
              row.get("id").getAsString(),
              schema.message(row.get("type").getAsString()),
              form(row),
              answer.get("ok").getAsBoolean() ? form(answer) : null,
              !fromJson,
              false,
              false));
    }
    return cases;
  }

  /** The answer with no option set. */
  private static JsonObject byDefault(JsonObject row) {
    for (JsonElement output : row.getAsJsonArray("outputs")) {
      if (output.getAsJsonObject().getAsJsonArray("options").isEmpty()) {
        return output.getAsJsonObject().getAsJsonObject("seed");
      }
    }
    throw new IllegalArgumentException(row.get("id") + " has no answer");
  }

  /** Reads the cases of a level from conformance.jsonl. */
  private List<Case> suite(Path corpus, String level) throws IOException {
    List<Case> cases = new ArrayList<>();
    for (JsonObject row : rows(corpus.resolve("conformance.jsonl"))) {
      String itsLevel = row.get("level").getAsString().toLowerCase(Locale.ROOT);
      if (!itsLevel.equals(level) || row.has("json") != fromJson) {
        continue;
      }
      String name = row.get("name").getAsString();
      JsonObject expect = row.getAsJsonObject("expect");
      cases.add(
          new Case(
              name,
              schema.message(row.get("type").getAsString()),
              form(row),
              expect.has("error") ? null : form(expect),
              row.get("output").getAsString().equals("json"),
              !row.has("ignore_unknown_fields"),
              name.endsWith(".Validator")));
    }
    return cases;
  }

  /** raw_hex is what was written, where it is too deep to be read again and hex is null. */
  private static Form form(JsonObject row) {
    if (row.has("json")) {
      return new Form(row.get("json").getAsString().getBytes(StandardCharsets.UTF_8), true);
    }
    for (String name : new String[] {"json_hex", "hex", "raw_hex"}) {
      if (row.has(name) && !row.get(name).isJsonNull()) {
        byte[] bytes = HexFormat.of().parseHex(row.get(name).getAsString());
        return new Form(bytes, name.equals("json_hex"));
      }
    }
    throw new IllegalArgumentException("a case has neither json nor hex: " + row);
  }

  private static List<JsonObject> rows(Path path) throws IOException {
    try (var lines = Files.lines(path)) {
      return lines.map(line -> JsonParser.parseString(line).getAsJsonObject()).toList();
    }
  }
}
