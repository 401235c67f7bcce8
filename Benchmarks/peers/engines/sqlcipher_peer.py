# SPDX-License-Identifier: Apache-2.0
"""SQLCipher: SQLite with encrypted pages."""

from sqlcipher3 import dbapi2

from .sqlite_peer import SQLite


class SQLCipher(SQLite):
    title = "SQLCipher"
    note = (
        "as sqlite, encrypted with its defaults (AES-256-CBC and HMAC-SHA512 for each page of 4 KiB) and a raw key, so "
        "that no passphrase is derived")
    driver = dbapi2

    def version(self):
        return self.driver.connect(":memory:").execute("PRAGMA cipher_version").fetchone()[0]

    def unlock(self, db):
        db.execute(f"PRAGMA key = \"x'{'0b' * 32}'\"")
