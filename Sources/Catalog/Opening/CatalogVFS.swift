// SPDX-License-Identifier: Apache-2.0

internal import CSQLiteShim

/// The VFS layer between SQLite and the catalog's files.
///
/// The layer wraps another VFS: the system's for stores, any other in tests. It is registered by name and never as
/// SQLite's default, so it does not affect other users of SQLite in the process.
package enum CatalogVFS {
    /// The name of the layer over the system's VFS.
    package static let production = "kymograph"

    /// Registers a layer over a registered VFS under a name for opening catalogs. If the name is already registered,
    /// the existing layer stays.
    ///
    /// - Parameter base: the name of the wrapped VFS; nil for the system's default.
    package static func register(_ name: String, over base: String?) throws(CatalogError) {
        let code = unsafe csq_vfs_register(name, base)
        guard code == 0 else {
            throw CatalogError(.other, "no VFS named \(base ?? "") is registered (SQLite code \(code))", path: "")
        }
    }

    /// Unregisters a layer.
    ///
    /// - Requires: no open connection uses the layer.
    package static func unregister(_ name: String) { unsafe _ = csq_vfs_unregister(name) }

    /// Returns the CRC-32C used in pages, computed by the processor's instruction if available, or in software.
    package static func checksum(_ bytes: [UInt8], inSoftware: Bool = false) -> UInt32 {
        unsafe csq_vfs_checksum(bytes, Int32(clamping: bytes.count), inSoftware ? 1 : 0)
    }

    /// The result of the registration, which runs on first use. A failure is reported on every use.
    private static let registration: Result<Void, CatalogError> = .init { () throws(CatalogError) in
        try register(production, over: nil)
    }

    /// Returns the name of the VFS to open with: the caller's, or the layer over the system's VFS.
    static func named(_ name: String?) throws(CatalogError) -> String {
        if let name { return name }
        try registration.get()
        return production
    }

    /// Returns the URI of a file for SQLite, including the VFS.
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
