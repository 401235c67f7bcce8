// SPDX-License-Identifier: Apache-2.0

/// The tables of the catalog, as they are stored in the file. `Docs/Format/Catalog.md` describes every column; a test
/// compares that page with the schema that SQLite reports. The text is short because SQLite stores it in page 1.
enum CatalogSchema {
    /// "Kymo": marks the database as a catalog (`PRAGMA application_id`).
    static let applicationID: Int64 = 0x4B79_6D6F
    static let pageSize: Int64 = 4096
    /// The number of bytes at the end of every page that SQLite does not use: space for a checksum, or for nonce and
    /// tag.
    static func reservedBytes(isEncrypted: Bool) -> Int32 { isEncrypted ? 64 : 40 }
    /// The valid sizes of a segment, in bytes. A sum of thousands of sizes can overflow, so callers check each sum.
    static let segmentBytes: ClosedRange<Int64> = 0...1 << 50
    /// The valid lengths of the content of an attached file, in bytes.
    static let attachedBytes: ClosedRange<Int64> = 0...1 << 40

    /// The tables, in the order of creation.
    static let tables: [SchemaPart] = [
        """
        CREATE TABLE meta(id INTEGER PRIMARY KEY CHECK(id=1),store BLOB NOT NULL,zone TEXT NOT NULL,\
        commit_seq INTEGER NOT NULL)STRICT
        """,
        """
        CREATE TABLE series(id INTEGER PRIMARY KEY,name TEXT NOT NULL,labels TEXT NOT NULL,kind INTEGER NOT NULL,\
        UNIQUE(name,labels))STRICT
        """,
        """
        CREATE TABLE segment(id INTEGER PRIMARY KEY,uuid BLOB NOT NULL,bytes INTEGER NOT NULL,\
        checksum INTEGER NOT NULL,born INTEGER NOT NULL,died INTEGER)STRICT
        """,
        """
        CREATE TABLE run(segment INTEGER NOT NULL REFERENCES segment(id),\
        series INTEGER NOT NULL REFERENCES series(id),root_offset INTEGER NOT NULL,root_length INTEGER NOT NULL,\
        levels INTEGER NOT NULL,blocks INTEGER NOT NULL,summary BLOB NOT NULL,\
        PRIMARY KEY(segment,series))STRICT,WITHOUT ROWID
        """,
        "CREATE TABLE tail(seq INTEGER PRIMARY KEY,body BLOB NOT NULL)STRICT",
    ]

    /// The tables that format 3 adds; the first deletion creates them.
    static let deletionTables: [SchemaPart] = [
        """
        CREATE TABLE tombstone(id INTEGER PRIMARY KEY,series INTEGER NOT NULL REFERENCES series(id),\
        born INTEGER NOT NULL,start INTEGER NOT NULL,"end" INTEGER NOT NULL,count INTEGER NOT NULL,body BLOB)STRICT
        """,
        "CREATE TABLE retention(id INTEGER PRIMARY KEY CHECK(id=1),now INTEGER NOT NULL)STRICT",
    ]

    /// The tables that format 4 adds to format 3; the first deletion or the first new epoch creates them.
    static let historyTables: [SchemaPart] = [
        "CREATE TABLE horizon(id INTEGER PRIMARY KEY CHECK(id=1),born INTEGER NOT NULL)STRICT",
        "CREATE TABLE epoch(id INTEGER PRIMARY KEY,number INTEGER NOT NULL,start INTEGER NOT NULL)STRICT",
    ]

    /// Inserts the initial row of `horizon`: the newest deletion, since earlier formats did not record the horizon.
    static let firstHorizon =
        "INSERT INTO horizon(id,born)VALUES(1,ifnull((SELECT born FROM tombstone ORDER BY id DESC LIMIT 1),0))"

    static func tables(of format: Int) -> [SchemaPart] {
        var found = tables
        if format >= CatalogDatabase.deletionFormat { found += deletionTables }
        if format >= CatalogDatabase.historyFormat { found += historyTables }
        return found
    }

    /// The SQL expression for the sequence number of the last commit.
    static let lastSequence =
        "max((SELECT commit_seq FROM meta WHERE id=1),ifnull((SELECT max(seq) FROM tail),0))"
}

/// The definition of a table or an index.
package struct SchemaPart: Sendable, ExpressibleByStringLiteral {
    package let sql: String
    /// The name in the definition.
    package let name: String

    /// - Parameter sql: a statement such as `CREATE TABLE name(...)`.
    package init(stringLiteral sql: String) {
        self.sql = sql
        let words = sql.prefix { $0 != "(" }.split(separator: " ")
        name = String(words.first { !["CREATE", "UNIQUE", "TABLE", "INDEX"].contains($0) } ?? "")
    }
}

// The meaning of `PRAGMA user_version`: the format, which determines the tables, and whether pages of the log carry a
// kind of their own. `Docs/Format/Catalog.md` lists the versions.

extension CatalogDatabase {
    /// The latest version that this program reads.
    package static let newestVersion = version(of: newestFormat)
    /// The last version whose log pages carry the same kind as database pages. Up to it, version and format are equal.
    static let lastFormerVersion = 5
    /// The difference between version and format in later versions.
    private static let added: Int = lastFormerVersion + 1 - checkedFormat

    /// Returns the version of a catalog of this format whose log pages have their own kind. Format 1 has no such log.
    static func version(of format: Int) -> Int { format < checkedFormat ? format : format + added }

    static func format(ofVersion version: Int64) -> Int64 {
        version > lastFormerVersion ? version - Int64(added) : version
    }
}
