#!/bin/sh
# build.sh BUILD   compile into the folder BUILD, which must have the corpus already.
set -eu
for program in java javac mvn; do
  command -v "$program" >/dev/null || {
    echo "protobuf-java-util: no $program. It needs a JDK 17 or newer and Maven 3.8 or newer" \
      "(Debian: default-jdk-headless maven)" >&2
    exit 1
  }
done
mvn -B -q -Dstyle.color=never -Dout="$1" compiler:compile jar:jar dependency:copy-dependencies
# The classes in the form in which the JVM has them in memory: a shot starts in half the time.
java -XX:+UseSerialGC -XX:ArchiveClassesAtExit="$1/bench.jsa" -jar "$1/bench.jar" \
  correctness from_json agreed "$1/corpus" >"$1/archive.log" 2>&1
