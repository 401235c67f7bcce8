// SPDX-License-Identifier: Apache-2.0

import Bytes
import Cipher

/// The paths of a store's files.
struct StoreLayout: Sendable {
    let root: String
    /// The catalog, which SQLite opens itself.
    let catalog: String

    init(root: String, catalog: String? = nil) {
        self.root = root
        self.catalog = catalog ?? root + "/kymograph.sqlite"
    }

    var segments: String { root + "/segments" }
    var lock: String { root + "/LOCK" }
    /// The catalog of a store under creation.
    var catalogDraft: String { root + "/kymograph.sqlite.new" }
    /// The witness of a store under creation.
    var witnessDraft: String { root + "/WITNESS.new" }
    /// True if the catalog has its draft name.
    var isDraft: Bool { catalog == catalogDraft }
    var witness: String { isDraft ? witnessDraft : root + "/WITNESS" }
    var outcomeMark: String { root + "/DOUBT" }
    /// The keys of an encrypted store.
    var keys: String { root + "/" + KeysFiles.first }
    var keysCopy: String { root + "/" + KeysFiles.second }
    var ballast: String { root + "/ballast" }

    func segment(_ uuid: [UInt8]) -> String { segments + "/" + Self.name(uuid) + ".kseg" }

    /// Returns a path without trailing slashes, so that a suffix extends its last component.
    static func plain(_ path: String) -> String {
        var bytes = path.utf8[...]
        while bytes.count > 1, bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns a UUID as lower-case hexadecimal text with hyphens.
    static func name(_ uuid: [UInt8]) -> String { UUIDBytes(uuid).text }

    /// Returns the id of a segment from its file name; nil for other files.
    static func uuid(ofFile name: String) -> [UInt8]? {
        guard name.hasSuffix(".kseg"), let uuid = UUIDBytes(text: String(name.dropLast(5))) else { return nil }
        return uuid.text + ".kseg" == name ? uuid.bytes : nil
    }
}
