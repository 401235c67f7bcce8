// SPDX-License-Identifier: Apache-2.0

internal import GRDB

extension CatalogTransaction {
    /// The first format that may hold health objects under identities of their own.
    package static let objectFormat = 5

    /// The format of the catalog.
    package func format() throws -> Int {
        Int(CatalogDatabase.format(ofVersion: try database.oneInt("PRAGMA user_version", path: path)))
    }

    /// Makes the catalog's tables of a later format, if it is not that far yet; older versions refuse it from then on.
    ///
    /// A transaction that is rolled back takes the format back as well.
    /// - Throws: `full` for a catalog of the first format, which had no room to be upgraded when it was opened.
    package func raiseFormat(to wanted: Int) throws {
        let format = try format()
        if format >= wanted { return }
        guard format >= CatalogDatabase.checkedFormat else {
            throw CatalogError(
                .full,
                "the catalog is still of format \(format), for which there was no room or no time to be upgraded; "
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
