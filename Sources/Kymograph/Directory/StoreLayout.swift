// SPDX-License-Identifier: Apache-2.0

/// Where the files of a store lie.
struct StoreLayout: Sendable {
    let root: String
    /// The catalog, which SQLite opens by itself.
    let catalog: String

    init(root: String, catalog: String? = nil) {
        self.root = root
        self.catalog = catalog ?? root + "/kymograph.sqlite"
    }

    var segments: String { root + "/segments" }
    var lock: String { root + "/LOCK" }
    /// The catalog of a store that is being made, until it is complete.
    var catalogDraft: String { root + "/kymograph.sqlite.new" }
    /// Its witness, until the catalog has its name.
    var witnessDraft: String { root + "/WITNESS.new" }
    /// Whether the catalog is one that has not its name yet.
    var isDraft: Bool { catalog == catalogDraft }
    var witness: String { isDraft ? witnessDraft : root + "/WITNESS" }
    var outcomeMark: String { root + "/DOUBT" }
    var ballast: String { root + "/ballast" }

    func segment(_ uuid: [UInt8]) -> String { segments + "/" + Self.name(uuid) + ".kseg" }

    /// A path without slashes at its end: what is appended to it then belongs to its last name.
    static func plain(_ path: String) -> String {
        var bytes = path.utf8[...]
        while bytes.count > 1, bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The lower-case hexadecimal text of a UUID, with its hyphens.
    static func name(_ uuid: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var text = [UInt8]()
        for (i, byte) in uuid.enumerated() {
            if i == 4 || i == 6 || i == 8 || i == 10 { text.append(UInt8(ascii: "-")) }
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}
