# Finds JDKs without starting one. Sourced by gradlew, perflow and .ci/run.

# The feature version ("25") that the JDK in directory $1 states in its release file; empty if it is no JDK.
feature() {
    [ -x "$1/bin/javac" ] && sed -n 's/^JAVA_VERSION="\(1\.\)\{0,1\}\([0-9]*\).*/\2/p' "$1/release" 2>/dev/null || true
}

jdk_candidates() {
    printf '%s\n' "${JAVA_HOME:-}"
    if javac=$(command -v javac); then dirname "$(dirname "$(readlink -f "$javac")")"; fi
    for home in /usr/lib/jvm/* /opt/* /opt/java/* "${HOME:-/}"/.sdkman/candidates/java/* "${HOME:-/}"/.jdks/* \
                /Library/Java/JavaVirtualMachines/*/Contents/Home; do
        printf '%s\n' "$home"
    done
}

# The first JDK whose feature version lies in $1..$2.
find_jdk() {
    jdk_candidates | while read -r home; do
        [ -n "$home" ] || continue
        version=$(feature "$home")
        if [ -n "$version" ] && [ "$version" -ge "$1" ] && [ "$version" -le "$2" ]; then
            printf '%s\n' "$home"
            break
        fi
    done
}

# Prints the JDK that compiles and runs the code (exactly $1 first, then newer), or says what to do and returns 2.
project_jdk() {
    if [ -n "${PERFLOW_JAVA_HOME:-}" ]; then
        found=$(feature "$PERFLOW_JAVA_HOME")
        if [ "${found:-0}" -lt "$1" ]; then
            echo "PERFLOW_JAVA_HOME=$PERFLOW_JAVA_HOME is not a JDK $1 or newer (found: ${found:-no JDK})" >&2
            return 2
        fi
        printf '%s\n' "$PERFLOW_JAVA_HOME"
        return
    fi
    found=$(find_jdk "$1" "$1")
    [ -n "$found" ] || found=$(find_jdk "$1" 99)
    if [ -z "$found" ]; then
        echo "JDK $1 is needed and was not found in JAVA_HOME, PATH, /usr/lib/jvm, /opt, ~/.sdkman or ~/.jdks." >&2
        echo "Install it (for instance Temurin: https://adoptium.net/temurin/releases/?version=$1)" >&2
        echo "or set PERFLOW_JAVA_HOME to its directory." >&2
        return 2
    fi
    printf '%s\n' "$found"
}
