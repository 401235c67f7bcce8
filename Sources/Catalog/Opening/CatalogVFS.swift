// SPDX-License-Identifier: Apache-2.0

internal import CSQLiteShim

/// The layer between SQLite and the catalog's files, which SQLite calls a VFS.
///
/// Ours lies over another one: over the system's for stores, over any other in tests. It is registered under a name
/// and never as SQLite's default, so that other users of SQLite in the process do not meet it.
package enum CatalogVFS {
    /// The layer over the system's VFS.
    package static let production = "kymograph"

    /// Puts the layer over a registered VFS and gives it a name to open catalogs with; nil is the system's default.
    /// A name that is taken keeps its meaning.
    package static func register(_ name: String, over base: String?) throws(CatalogError) {
        guard takesAddresses else {
            throw CatalogError(
                .other, "this SQLite takes no addresses; use one built with SQLITE_USE_URI", path: "")
        }
        let code = unsafe csq_vfs_register(name, base)
        guard code == 0 else {
            throw CatalogError(.other, "there is no VFS \(base ?? "") to build on (SQLite code \(code))", path: "")
        }
    }

    /// Forgets a layer that no connection uses any more.
    package static func unregister(_ name: String) { unsafe _ = csq_vfs_unregister(name) }

    /// CRC-32C as pages have it, by the processor's instruction if there is one, or without.
    package static func checksum(_ bytes: [UInt8], inSoftware: Bool = false) -> UInt32 {
        unsafe csq_vfs_checksum(bytes, Int32(clamping: bytes.count), inSoftware ? 1 : 0)
    }

    /// Asked once, before SQLite is first used.
    private static let takesAddresses = csq_sqlite_takes_uris() == 1

    /// Registered on first use; what went wrong then goes wrong each time.
    private static let registration: Result<Void, CatalogError> = .init { () throws(CatalogError) in
        try register(production, over: nil)
    }

    /// The name to open with: the caller's, or the layer over the system's VFS.
    static func named(_ name: String?) throws(CatalogError) -> String {
        if let name { return name }
        try registration.get()
        return production
    }

    /// A file's address for SQLite, which names the VFS.
    static func address(_ path: String, vfs: String, immutable: Bool) -> String {
        let plain = path.hasPrefix("/") ? path : "./" + path
        return "file:" + escaped(plain) + "?vfs=" + escaped(vfs) + (immutable ? "&immutable=1" : "")
    }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"),
                UInt8(ascii: "_"):
                escaped.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                escaped += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
        }
        return escaped
    }
}
