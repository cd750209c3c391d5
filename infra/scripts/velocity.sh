#!/usr/bin/env bash
# Renders the tests' templates again with Apache Velocity 1.7 and Java's own classes, which is what API Gateway's templates are
# written for, and compares. Needs Java 17 with its compiler, and Velocity; CLASSPATH names the jars where Debian's are not.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

jars=${CLASSPATH:-/usr/share/java/velocity.jar:/usr/share/java/commons-collections3.jar:/usr/share/java/commons-lang.jar}
java --list-modules 2> /dev/null | grep -q '^jdk.compiler' && [[ -f ${jars%%:*} ]] || {
  echo 'Missing: Java 17 with its compiler, or Apache Velocity 1.7.  Debian, Ubuntu: sudo apt-get install openjdk-17-jdk-headless velocity' >&2
  exit 1
}
rendered=$(mktemp)
trap 'rm -f "$rendered"' EXIT
RENDERED=$rendered node_modules/.bin/vitest run test/front-door.test.ts test/api.test.ts > /dev/null
java -cp "$jars" scripts/Velocity.java "$rendered"
