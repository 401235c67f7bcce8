# SPDX-License-Identifier: Apache-2.0
"""The peers by name. A peer's library is imported when the peer is created, not before."""

from importlib import import_module

PEERS = {
    "duckdb": ("duckdb_peer", "OneTable"),
    "duckdb-tables": ("duckdb_peer", "TablePerSeries"),
    "duckdb-parquet": ("duckdb_peer", "Parquet"),
    "clickhouse": ("clickhouse_peer", "ClickHouse"),
    "polars": ("polars_peer", "Polars"),
    "arcticdb": ("arcticdb_peer", "ArcticDB"),
    "tsfile": ("tsfile_peer", "TsFile"),
    "sqlite": ("sqlite_peer", "SQLite"),
    "sqlcipher": ("sqlcipher_peer", "SQLCipher"),
    "victoriametrics": ("victoria_peer", "VictoriaMetrics"),
}


def create(name, root, threads):
    module, kind = PEERS[name]
    return getattr(import_module(f"engines.{module}"), kind)(root, threads)
