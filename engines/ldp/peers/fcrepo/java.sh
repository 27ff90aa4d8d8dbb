# Read by the script `serve` of a version of Fedora: how it is started. What the program of 2018 to 2021
# looks into by reflection is closed in a JDK 17 unless it is opened.
set -eu
build=$(cd "$(dirname "$0")" && pwd)
port=$1 store=$2 temporary=$3
mkdir -p "$store"
cd "$temporary"
run_fedora() { # options of the JVM, then --, then options of jetty-runner
  opens="java.desktop/java.awt.font"
  for package in lang util lang.reflect text net io; do opens="$opens java.base/java.$package"; done
  options=
  for package in $opens; do options="$options --add-opens $package=ALL-UNNAMED"; done
  while [ "$1" != -- ]; do
    options="$options $1"
    shift
  done
  shift
  # shellcheck disable=SC2086 # one word an option; the folders of the pipeline have no blanks
  exec java $options -Xmx4g -Dfile.encoding=UTF-8 "-Djava.io.tmpdir=$temporary" \
    "-Dfcrepo.home=$store" -Dfcrepo.log=WARN -jar "$build/jetty-runner.jar" "$@" \
    --host 127.0.0.1 --port "$port" "$build/webapp"
}
