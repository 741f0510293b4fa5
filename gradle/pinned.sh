# Brings the Gradle that gradle/wrapper/gradle-wrapper.properties pins. Sourced by gradlew.

# The value of key $1.
wrapper_property() {
    sed -n "s/^$1=//p" gradle/wrapper/gradle-wrapper.properties | sed 's/\\:/:/g'
}

# Fetches $1 into file $2. Where there is no network it fails within seconds; a transfer that stands still is given up.
fetch() {
    if command -v curl >/dev/null; then
        curl -fsSL --connect-timeout 3 --speed-limit 1000 --speed-time 10 -o "$2" "$1"
    elif command -v wget >/dev/null; then
        wget -q --tries=1 --connect-timeout=3 --read-timeout=10 -O "$2" "$1"
    else
        return 1
    fi
}

sha256() {
    { sha256sum "$1" 2>/dev/null || shasum -a 256 "$1"; } | cut -d ' ' -f 1
}

# Prints the pinned gradle command, downloading it first where it must; fails where it cannot be had.
# $1: a JDK, whose jar command unpacks. Gradle's own wrapper, which IDEs use, keeps it in the same place.
pinned_gradle() {
    url=$(wrapper_property distributionUrl)
    name=$(basename "$url" .zip)
    dists=${GRADLE_USER_HOME:-${HOME:-/}/.gradle}/wrapper/dists/$name
    for home in "$dists"/*/"${name%-*}"; do
        # Gradle's own wrapper may be unpacking: it leaves this mark when it is done.
        if [ -x "$home/bin/gradle" ] && [ -e "${home%/*}/$name.zip.ok" ]; then
            printf '%s\n' "$home/bin/gradle"
            return
        fi
    done
    # A machine without the network is not kept waiting at every build: it is asked again after a day.
    unreachable=.gradle/pinned-unreachable
    [ -z "$(find "$unreachable" -mmin -1440 2>/dev/null)" ] || return 1

    mkdir -p .gradle "$dists" 2>/dev/null || return 1
    part=$dists/perflow.$$
    trap 'rm -rf "$part"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
    mkdir "$part"
    echo "gradlew: fetching $url" >&2
    if ! fetch "$url" "$part/$name.zip"; then
        touch "$unreachable"
        echo "gradlew: it cannot be fetched; looking for another Gradle on this machine" >&2
        return 1
    fi
    found=$(sha256 "$part/$name.zip")
    if [ "$found" != "$(wrapper_property distributionSha256Sum)" ]; then
        echo "gradlew: $url has the SHA-256 $found, which gradle-wrapper.properties does not allow; it was deleted" >&2
        return 1
    fi
    (cd "$part" && "$1/bin/jar" xf "$name.zip") || return 1
    chmod +x "$part/${name%-*}/bin/gradle"
    rm "$part/$name.zip"
    touch "$part/$name.zip.ok"
    # It appears complete or not at all. Where another process was quicker, this copy lands inside that one's and goes.
    mv "$part" "$dists/perflow"
    rm -rf "$dists/perflow/${part##*/}"
    printf '%s\n' "$dists/perflow/${name%-*}/bin/gradle"
}
