#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Installs the requirements of one peer into the environment of the running interpreter.

    install.py PEER

Versions are pinned in requirements.txt; if they are installed already, no registry is contacted. Errors are printed on
standard error in a few lines.
"""

import importlib.metadata
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
# VictoriaMetrics is not a Python package: its binary is named, found on the path, or taken from Debian's package.
DEBIAN = "victoria-metrics"
PACKAGES = {
    "anchors": ["numpy", "pcodec", "lz4", "zstandard"],
    "arcticdb": ["numpy", "pandas", "protobuf", "arcticdb"],
    "clickhouse": ["numpy", "pandas", "pyarrow", "chdb"],
    "duckdb": ["numpy", "pyarrow", "duckdb"],
    "duckdb-parquet": ["numpy", "pyarrow", "duckdb"],
    "duckdb-tables": ["numpy", "pyarrow", "duckdb"],
    "polars": ["numpy", "pyarrow", "polars"],
    "sqlcipher": ["numpy", "sqlcipher3"],
    "sqlite": ["numpy"],
    "tsfile": ["numpy", "pandas", "pyarrow", "tsfile"],
    "victoriametrics": ["numpy"],
}


def pins():
    lines = (line.split("#")[0].strip() for line in open(f"{HERE}/requirements.txt"))
    return dict(line.split("==") for line in lines if line)


def is_installed(package, version):
    try:
        return importlib.metadata.version(package) == version
    except importlib.metadata.PackageNotFoundError:
        return False


def victoria():
    """The path of a VictoriaMetrics server, or None."""
    named = os.environ.get("VICTORIA_METRICS")
    beside = f"{sys.prefix}/debian/usr/bin/{DEBIAN}"
    found = [named] if named else [beside, shutil.which("victoria-metrics-prod"), shutil.which(DEBIAN)]
    return next((path for path in found if path and os.path.exists(path)), None)


def victoria_package():
    """The version of the unpacked Debian package, or None."""
    place = f"{sys.prefix}/debian"
    names = [name for name in os.listdir(place) if name.endswith(".deb")] if os.path.isdir(place) else []
    return names[0].split("_")[1] + ", Debian" if names else None


def run(command, **more):
    """The exit status of a program, and its complete output."""
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", **more)
    return done.returncode, done.stdout


def last_lines(output):
    """The lines of pip's output with the reason: the broken connection, ignored options, and errors."""
    broken = re.findall(r"after connection broken by ['\"](.*)['\"]: /", output)
    # The innermost exception's text, without the object that raised it.
    found = [re.split(r" object at 0x[0-9a-f]+>: ", broken[-1])[-1].strip("'\")")] if broken else []
    found += [line[len("WARNING: ") :] for line in output.splitlines() if re.match("WARNING: .* ignored", line)][-1:]
    # Without candidates pip also reports version conflicts that do not exist.
    beside = ("ResolutionImpossible", "have conflicting dependencies", "No matching distribution")
    errors = [line for line in output.splitlines() if line.startswith("ERROR: ") and line != "ERROR: Exception:"]
    found += [line[len("ERROR: ") :] for line in errors if not any(words in line for words in beside)]
    if not found:
        found = [line.strip() for line in output.splitlines() if line.strip() and "[notice]" not in line][-3:]
    return [line[:300] for line in dict.fromkeys(found)][-4:]


def fail(what, output):
    print("\n".join([what] + last_lines(output)), file=sys.stderr)
    return 1


def install(packages, versions):
    """Installs packages with pip; their dependencies are constrained by the other pins."""
    if importlib.util.find_spec("pip") is None:
        # An environment whose creation was interrupted has no pip.
        code, output = run([sys.executable, "-m", "ensurepip", "--default-pip"])
        if code != 0:
            return fail(f"the environment {sys.prefix} has no pip, ensurepip failed; remove it and retry:", output)
    wanted = [f"{name}=={versions[name]}" for name in packages]
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as others:
        others.writelines(f"{name}=={version}\n" for name, version in versions.items() if name not in packages)
        others.flush()
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--retries", "2", "-c", others.name]
        code, output = run(command + wanted)
    return fail(f"pip could not install {' '.join(wanted)}:", output) if code != 0 else 0


def unpack_victoria():
    """Unpacks Debian's package into a directory of the environment; nothing is installed on the system."""
    place = f"{sys.prefix}/debian"
    what = f"no {DEBIAN} on the path (or set VICTORIA_METRICS), and Debian's package is unavailable:"
    try:
        os.makedirs(place, exist_ok=True)
        code, output = run(["apt-get", "--quiet=2", "download", DEBIAN], cwd=place)
        if code != 0:
            return fail(what, output)
        for name in os.listdir(place):
            if name.endswith(".deb"):
                code, output = run(["dpkg", "-x", name, "."], cwd=place)
                if code != 0:
                    return fail(what, output)
    except OSError as problem:
        return fail(what, str(problem))
    return 0


def main():
    packages, versions = PACKAGES[sys.argv[1]], pins()
    if not all(is_installed(package, versions[package]) for package in packages):
        code = install(packages, versions)
        if code != 0:
            return code
    if sys.argv[1] == "victoriametrics" and not victoria():
        return unpack_victoria()
    return 0


if __name__ == "__main__":
    sys.exit(main())
