// SPDX-License-Identifier: Apache-2.0

// What `PRAGMA user_version` says of a catalog: the format, which is what tables there are, and whether pages of the
// log have a kind of their own. `Docs/Format/Catalog.md` has the versions.

extension CatalogDatabase {
    /// The latest version that this program reads.
    package static let newestVersion = version(of: newestFormat)
    /// The last version of catalogs whose logs have pages of the database's kind. Up to here the version is the format.
    static let lastFormerVersion = 5
    /// What later versions add to the format.
    private static let added: Int = lastFormerVersion + 1 - checkedFormat

    /// The version of a catalog of a format whose log has pages of a kind of their own. Format 1 has no such log.
    static func version(of format: Int) -> Int { format < checkedFormat ? format : format + added }

    /// The format of a version.
    static func format(ofVersion version: Int64) -> Int64 {
        version > lastFormerVersion ? version - Int64(added) : version
    }
}
