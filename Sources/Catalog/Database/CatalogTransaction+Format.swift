// SPDX-License-Identifier: Apache-2.0

internal import SQLiteConnection

extension CatalogTransaction {
    /// The first format that can store health objects under identities of their own.
    package static let objectFormat = 5

    package func format() throws -> Int {
        Int(CatalogDatabase.format(ofVersion: try database.oneInt("PRAGMA user_version", path: path)))
    }

    /// Creates the tables of a later format, unless the catalog already has that format. Earlier versions then refuse
    /// the catalog. A rollback of the transaction also reverts the format.
    ///
    /// - Throws: `full` for a catalog of format 1, whose upgrade at opening failed for lack of space.
    package func raiseFormat(to wanted: Int) throws {
        let format = try format()
        if format >= wanted { return }
        guard format >= CatalogDatabase.checkedFormat else {
            throw CatalogError(
                .full,
                "the catalog has format \(format), because its upgrade failed for lack of space or a busy reader; "
                    + "free some space and open the store again", path: path)
        }
        let known = Set(CatalogSchema.tables(of: format).map(\.name))
        for table in CatalogSchema.tables(of: wanted) where !known.contains(table.name) {
            try database.execute(sql: table.sql)
        }
        if format < CatalogDatabase.historyFormat { try database.execute(sql: CatalogSchema.firstHorizon) }
        try database.execute(sql: "PRAGMA user_version=\(CatalogDatabase.version(of: wanted))")
    }
}
