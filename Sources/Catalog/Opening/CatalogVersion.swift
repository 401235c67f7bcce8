// SPDX-License-Identifier: Apache-2.0

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
