#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Installs what one peer needs into the environment of the interpreter that runs this.

    install.py PEER

Versions are pinned in requirements.txt; what is there already is left alone, and nothing is asked of a registry then.
"""

import importlib.metadata
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
# VictoriaMetrics is no Python package: its binary is asked for, found, or taken from Debian's package.
DEBIAN = "victoria-metrics"
PACKAGES = {
    "anchors": ["numpy", "pcodec", "lz4", "zstandard"],
    "arcticdb": ["numpy", "pandas", "protobuf", "arcticdb"],
    "clickhouse": ["numpy", "pandas", "pyarrow", "chdb"],
    "duckdb": ["numpy", "pyarrow", "duckdb"],
    "duckdb-parquet": ["numpy", "pyarrow", "duckdb"],
    "duckdb-tables": ["numpy", "pyarrow", "duckdb"],
    "polars": ["numpy", "pyarrow", "polars"],
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
    """The version of Debian's package, if that is what was unpacked."""
    place = f"{sys.prefix}/debian"
    names = [name for name in os.listdir(place) if name.endswith(".deb")] if os.path.isdir(place) else []
    return names[0].split("_")[1] + ", Debian" if names else None


def unpack_victoria():
    """Debian's package into a directory of the environment; nothing is installed on the system."""
    place = f"{sys.prefix}/debian"
    os.makedirs(place, exist_ok=True)
    subprocess.run(
        ["apt-get", "--quiet=2", "download", DEBIAN], cwd=place, check=True, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL)
    for name in os.listdir(place):
        if name.endswith(".deb"):
            subprocess.run(["dpkg", "-x", name, "."], cwd=place, check=True)


def main():
    packages, versions = PACKAGES[sys.argv[1]], pins()
    if not all(is_installed(package, versions[package]) for package in packages):
        command = [sys.executable, "-m", "pip", "install", "--quiet", "-c", f"{HERE}/requirements.txt"]
        code = subprocess.run(command + [f"{name}=={versions[name]}" for name in packages]).returncode
        if code != 0:
            return code
    if sys.argv[1] == "victoriametrics" and not victoria():
        try:
            unpack_victoria()
        except (OSError, subprocess.CalledProcessError) as problem:
            print(f"no {DEBIAN} on the path, and Debian's package cannot be had: {problem}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
