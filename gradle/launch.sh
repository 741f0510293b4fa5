# Starts the JVM of the perflow command. Sourced by perflow and by bin/perflow of a distribution.

# launch JAVA ARGUMENT...: replaces this shell by the JVM, so that signals, standard input and the exit code are its own.
launch() {
    java=$1
    shift
    terminal=false
    [ ! -t 2 ] || terminal=true
    set -- -Dperflow.terminal="$terminal" "$@"

    # Pages of 2 MB: a transform of Winograd's algorithm writes 36 streams at once, more than a processor keeps addresses
    # of in pages of 4 KB. A forward pass of the U-Net `small` takes 11 % less, one of `base` 6 %. Only Linux knows the
    # flag, and one without such pages would print a warning.
    [ "$(uname)" != Linux ] || set -- -XX:+UseTransparentHugePages -Xlog:pagesize=error "$@"

    # The JVM has no option to leave out its line on the incubator module. It therefore writes to a filter; the command
    # writes past it, to the real standard error, which is descriptor 3.
    fifo=${TMPDIR:-/tmp}/perflow-$$
    if true 3>&2 && mkfifo -m 600 "$fifo" 2>/dev/null; then
        sed '/^WARNING: Using incubator modules: jdk\.incubator\.vector$/d' <"$fifo" >&2 &
        exec 3>&2 2>"$fifo"
        rm -f "$fifo"
        set -- -Dperflow.stderr=3 --add-opens=java.base/java.io=ALL-UNNAMED "$@"
    fi
    exec "$java" "$@"
}
