// SPDX-License-Identifier: Apache-2.0

import Bytes
import Cipher
import Kernels

/// Encodes and decodes the statements of a witness. `Docs/Format/Store.md` describes the bytes.
struct WitnessCodec: Sendable {
    /// The size of a statement of a plain store.
    static let plainSize = magic.count + idBytes + 8 + 4
    /// The size of a statement of an encrypted store.
    static let mostSize = plainSize + macBytes
    private static let magic: [UInt8] = Array("KYMOWITN".utf8)
    private static let encryptedMagic: [UInt8] = Array("KYMOWITE".utf8)
    private static let idBytes = 16
    /// The bytes of the authentication code that are stored.
    private static let macBytes = 16

    /// The key of the authentication codes; nil if the store is not encrypted, or not opened yet.
    private let key: SecretBytes?

    /// A codec of plain statements. It reads encrypted ones without a check of their authentication codes.
    init() { key = nil }

    init(_ keys: StoreKeys?) throws(StoreError) {
        guard let keys else {
            key = nil
            return
        }
        key = try inCipher { () throws(CipherError) in try keys.ring.witnessKey() }
    }

    /// One statement.
    struct Statement: Equatable {
        let store: [UInt8]
        let commit: Int64
        /// Whether the statement has the right checksum and no right authentication code.
        let isForged: Bool
    }

    /// Returns the bytes of a statement.
    func encode(_ commit: Int64, _ store: [UInt8]) throws(StoreError) -> [UInt8] {
        var writer = ByteWriter(capacity: Self.mostSize)
        writer.put(bytes: key == nil ? Self.magic : Self.encryptedMagic)
        writer.put(bytes: store)
        writer.put(commit)
        if let key {
            let text = writer.bytes
            let mac = try inCipher { () throws(CipherError) in try Derivation.hmac(key, text) }
            writer.put(bytes: mac.prefix(Self.macBytes))
        }
        let sum = Kernel.crc32c(writer.bytes, 0..<writer.count)
        writer.put(sum)
        return writer.bytes
    }

    /// Returns the statements of a file; nil for a damaged or missing statement.
    func statements(_ bytes: [UInt8]) -> [Statement?] {
        let isEncrypted = key != nil || bytes.count > Self.plainSize * Witness.copies
        let found = statements(bytes, isEncrypted: isEncrypted)
        // A plain witness of an encrypted store is no damage.
        guard key != nil, found.allSatisfy({ $0 == nil }) else { return found }
        return statements(bytes, isEncrypted: false)
    }

    private func statements(_ bytes: [UInt8], isEncrypted: Bool) -> [Statement?] {
        let size = isEncrypted ? Self.mostSize : Self.plainSize
        return (0..<Witness.copies).map { number in
            let start = number * size
            guard bytes.count >= start + size else { return nil }
            return statement(Array(bytes[start..<start + size]), isEncrypted: isEncrypted)
        }
    }

    private func statement(_ bytes: [UInt8], isEncrypted: Bool) -> Statement? {
        let magic = isEncrypted ? Self.encryptedMagic : Self.magic
        let end = bytes.count - 4
        var reader = ByteReader(bytes, at: magic.count + Self.idBytes)
        guard bytes.starts(with: magic), let commit = try? reader.i64() else { return nil }
        var tail = ByteReader(bytes, at: end)
        guard let stored = try? tail.u32(), stored == Kernel.crc32c(bytes, 0..<end) else { return nil }
        let store = Array(bytes[magic.count..<magic.count + Self.idBytes])
        let isForged = key != nil && (try? encode(commit, store)) != bytes
        return Statement(store: store, commit: commit, isForged: isForged)
    }

    /// Whether a file of a size was cut.
    func isCut(_ count: Int) -> Bool {
        key == nil
            ? count < Self.plainSize * Witness.copies && count != Self.plainSize
            : count < Self.mostSize * Witness.copies
    }
}
