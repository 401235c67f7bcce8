// SPDX-License-Identifier: Apache-2.0

import Bytes
import FileSystem
import Kernels

/// The file beside the catalog that remembers the last acknowledged commit.
///
/// SQLite cannot tell a log that lost its end from one that never had it. The witness can: where it knows a later
/// commit than the catalog, acknowledged data is missing. It is written after each commit and not synced, so it
/// may lag behind after a power cut, but it is never ahead of an honest catalog.
struct Witness {
    /// The number of bytes of the file: magic, store, commit, checksum.
    static let size = 36
    private static let magic: [UInt8] = Array("KYMOWITN".utf8)

    private let file: any DiskFile
    private let store: [UInt8]

    /// Opens the witness, or makes it where there is none.
    init(_ path: String, store: [UInt8], disk: any Disk) throws(DiskError) {
        self.store = store
        file = try disk.exists(path) ? disk.open(path, writable: true) : disk.create(path)
    }

    /// Notes a commit.
    func note(_ seq: Int64) throws(DiskError) {
        let bytes = Self.encode(seq, store)
        try file.write(bytes, 0..<bytes.count, at: 0)
    }

    func close() throws(DiskError) { try file.close() }

    /// What a witness says.
    enum Testimony: Equatable {
        /// There is none.
        case none
        /// It is another store's, or its bytes are not what was written.
        case unreadable
        case commit(Int64)
    }

    /// Asks the witness of a store.
    static func read(_ path: String, store: [UInt8], disk: any Disk) throws(DiskError) -> Testimony {
        guard try disk.exists(path) else { return .none }
        guard try disk.size(of: path) == UInt64(size) else { return .unreadable }
        let bytes = try disk.contents(of: path, limit: size)
        var reader = ByteReader(bytes, at: magic.count + store.count)
        guard let seq = try? reader.i64(), encode(seq, store) == bytes else { return .unreadable }
        return .commit(seq)
    }

    private static func encode(_ seq: Int64, _ store: [UInt8]) -> [UInt8] {
        var writer = ByteWriter(capacity: size)
        writer.put(bytes: magic)
        writer.put(bytes: store)
        writer.put(seq)
        let sum = Kernel.crc32c(writer.bytes, 0..<writer.count)
        writer.put(sum)
        return writer.bytes
    }
}
