package assay.transcode;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.util.JsonFormat;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/** Translates messages of one type. Texts are bytes in UTF-8, as they come from a connection. */
final class Codec {
  private final Descriptor message;
  private final JsonFormat.Parser parser;
  private final JsonFormat.Printer printer;

  /** A strict codec refuses unknown fields. */
  Codec(Schema schema, Descriptor message, boolean strict) {
    this.message = message;
    JsonFormat.Parser refusing = JsonFormat.parser().usingTypeRegistry(schema.types());
    parser = strict ? refusing : refusing.ignoringUnknownFields();
    printer =
        JsonFormat.printer().usingTypeRegistry(schema.types()).omittingInsignificantWhitespace();
  }

  byte[] toWire(byte[] json) throws IOException {
    return parse(json).toByteArray();
  }

  byte[] toJson(byte[] wire) throws IOException {
    return printer.print(read(wire)).getBytes(StandardCharsets.UTF_8);
  }

  DynamicMessage parse(byte[] json) throws IOException {
    DynamicMessage.Builder builder = DynamicMessage.newBuilder(message);
    parser.merge(text(json), builder);
    return builder.build();
  }

  DynamicMessage read(byte[] wire) throws IOException {
    return DynamicMessage.parseFrom(message, wire);
  }

  /** The fast way replaces what is not UTF-8. Where it may have done so, the slow way decides. */
  private static String text(byte[] json) throws IOException {
    String text = new String(json, StandardCharsets.UTF_8);
    if (text.indexOf('\uFFFD') < 0) {
      return text;
    }
    return StandardCharsets.UTF_8
        .newDecoder()
        .onMalformedInput(CodingErrorAction.REPORT)
        .decode(ByteBuffer.wrap(json))
        .toString();
  }
}
