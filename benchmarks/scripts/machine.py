"""What a timing was taken on: processor, cores, JDK and date."""
import datetime
import os
import pathlib
import re
import subprocess


def machine():
    info = pathlib.Path("/proc/cpuinfo").read_text()
    simd = "AVX-512" if "avx512f" in info else "AVX2" if "avx2" in info else "SSE"
    jdk = subprocess.run(
        ["sh", "-c", '. gradle/jdk.sh; "$(project_jdk 25)/bin/java" -version'], capture_output=True, text=True, check=True
    ).stderr
    return {
        "processor": re.search(r"model name\s*: (.*)", info).group(1) + ", family " + re.search(r"cpu family\s*: (.*)", info).group(1),
        "simd": simd,
        "cores": os.cpu_count(),
        "jdk": jdk.splitlines()[1].split("(build ")[-1].rstrip(")"),
        "date": datetime.date.today().isoformat(),
    }
