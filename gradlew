#!/bin/sh
# The one entry to the build:  ./gradlew test | check | format | jmh | publishLocal | consumers | tasks …
# Finds JDK 25 and Gradle and runs it: the version that gradle/wrapper pins, fetched where the network has it, else a gradle
# that is installed (from 4.4.1 on), else Debian's, which it installs where it may.
#   PERFLOW_JAVA_HOME   the JDK 25 that compiles and runs the code   (else JAVA_HOME, PATH, the usual places)
#   PERFLOW_GRADLE      the gradle command to use instead
set -eu
cd "$(dirname "$(readlink -f "$0")")"
. gradle/jdk.sh
. gradle/pinned.sh
die() { printf 'gradlew: %s\n' "$*" >&2; exit 2; }

jdk=$(project_jdk 25) || exit 2

# ---- Gradle
installed_gradle() {
    for candidate in "$(command -v gradle || true)" "${HOME:-/}/.sdkman/candidates/gradle/current/bin/gradle" \
                     /opt/gradle/bin/gradle /opt/gradle/*/bin/gradle /usr/share/gradle/bin/gradle; do
        if [ -n "$candidate" ] && [ -x "$candidate" ]; then readlink -f "$candidate"; return; fi
    done
}
if [ -n "${PERFLOW_GRADLE:-}" ]; then
    [ -x "$PERFLOW_GRADLE" ] || die "PERFLOW_GRADLE=$PERFLOW_GRADLE cannot be run"
    gradle=$(readlink -f "$PERFLOW_GRADLE")
else
    gradle=$(pinned_gradle "$jdk") || gradle=$(installed_gradle)
fi
if [ -z "$gradle" ]; then
    get='apt-get install -y --no-install-recommends gradle'
    command -v apt-get >/dev/null ||
        die "Gradle was not found. Install it (https://gradle.org/install/, any version from 4.4) or set PERFLOW_GRADLE to it."
    [ "$(id -u)" = 0 ] ||
        die "Gradle was not found. Install it:  sudo $get   (or set PERFLOW_GRADLE to a gradle command)"
    echo "gradlew: no Gradle found, installing Debian's: $get" >&2
    log=$(mktemp)
    export DEBIAN_FRONTEND=noninteractive
    { $get || { apt-get update && $get; }; } >"$log" 2>&1 </dev/null ||
        { tail -5 "$log" >&2; die "that failed (log: $log). Install Gradle yourself or set PERFLOW_GRADLE to it."; }
    rm -f "$log"
    gradle=$(installed_gradle)
    [ -n "$gradle" ] || die "Gradle was installed and still not found on the PATH"
fi

# ---- the JVM of Gradle itself; the code always gets $jdk
# 4.4.1 is at home on 17 and works on 25 with warnings; 5 to 9.0 do not run on 25.
lib=$(dirname "$gradle")/../lib
version=$(ls "$lib" 2>/dev/null | sed -n 's/^gradle-core-\([0-9][0-9.]*\)\.jar$/\1/p' | head -n 1)
case ${version:-9.1} in
    4.*) own=$(find_jdk 8 17); [ -n "$own" ] || own=$jdk ;;
    5.*|6.*|7.*) own=$(find_jdk 11 17); [ -n "$own" ] || die "Gradle $version needs a JDK 11-17 to run on; none was found" ;;
    8.*|9.0|9.0.*) own=$(find_jdk 17 23); [ -n "$own" ] || die "Gradle $version needs a JDK 17-23 to run on; none was found" ;;
    *) own=$jdk ;;
esac

[ $# -gt 0 ] || set -- tasks
[ -z "${CI:-}" ] || set -- --no-daemon "$@"
# A property rather than the environment: a running 4.4.1 daemon does not see changed variables.
set -- "-PjdkHome=$jdk" "$@"
export JAVA_HOME="$own"
if [ "${version:-}" = 4.4.1 ] && [ -f "$lib/gradle-launcher-4.4.1.jar" ]; then
    # What Debian's script does, without its java -version chatter.
    exec "$own/bin/java" --add-opens java.base/java.lang=ALL-UNNAMED ${JAVA_OPTS:-} ${GRADLE_OPTS:-} \
        -Dorg.gradle.appname=gradlew -classpath "$lib/gradle-launcher-4.4.1.jar" org.gradle.launcher.GradleMain "$@"
fi
exec "$gradle" "$@"
