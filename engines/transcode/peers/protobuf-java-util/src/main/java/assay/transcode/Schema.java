package assay.transcode;

import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.DescriptorValidationException;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.util.JsonFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** The messages of a descriptor set. */
final class Schema {
  private final Map<String, FileDescriptorProto> sources = new HashMap<>();
  private final Map<String, FileDescriptor> files = new HashMap<>();
  private final Map<String, Descriptor> messages = new HashMap<>();
  private final JsonFormat.TypeRegistry types;

  Schema(Path path) throws IOException, DescriptorValidationException {
    FileDescriptorSet set = FileDescriptorSet.parseFrom(Files.readAllBytes(path));
    set.getFileList().forEach(file -> sources.put(file.getName(), file));
    for (String name : sources.keySet()) {
      link(name).getMessageTypes().forEach(this::add);
    }
    types = JsonFormat.TypeRegistry.newBuilder().add(messages.values()).build();
  }

  Descriptor message(String name) {
    Descriptor found = messages.get(name);
    if (found == null) {
      throw new IllegalArgumentException("the schema has no message " + name);
    }
    return found;
  }

  /** The messages inside of google.protobuf.Any. */
  JsonFormat.TypeRegistry types() {
    return types;
  }

  /** The file, after those that it imports. */
  private FileDescriptor link(String name) throws DescriptorValidationException {
    FileDescriptor linked = files.get(name);
    if (linked != null) {
      return linked;
    }
    FileDescriptorProto source = sources.get(name);
    if (source == null) {
      throw new IllegalArgumentException("the schema has no file " + name);
    }
    FileDescriptor[] imports = new FileDescriptor[source.getDependencyCount()];
    for (int i = 0; i < imports.length; i++) {
      imports[i] = link(source.getDependency(i));
    }
    linked = FileDescriptor.buildFrom(source, imports);
    files.put(name, linked);
    return linked;
  }

  private void add(Descriptor message) {
    messages.put(message.getFullName(), message);
    message.getNestedTypes().forEach(this::add);
  }
}
