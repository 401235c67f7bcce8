// SPDX-License-Identifier: Apache-2.0

import Bytes
import Catalog
import FileSystem
import Kernels

/// The file beside the catalog that records the last acknowledged commit.
///
/// SQLite cannot distinguish a log that lost its end from a log that never had that end. The witness can: if it names a
/// later commit than the catalog, acknowledged data is missing. It is written after each commit without a sync, so that
/// it may lag behind after a power loss, but is never ahead of an intact catalog. It holds two equal statements, so
/// that a damaged byte does not disable it.
struct Witness {
    /// The number of bytes of one statement: magic, store, commit, checksum.
    static let size = magic.count + idBytes + 8 + 4
    /// The number of statements in the file, one after the other.
    static let copies = 2
    private static let magic: [UInt8] = Array("KYMOWITN".utf8)
    private static let idBytes = 16

    private let file: any DiskFile
    private let store: [UInt8]

    /// Opens the witness, or creates it.
    init(_ path: String, store: [UInt8], disk: any Disk) throws(DiskError) {
        self.store = store
        file = try disk.exists(path) ? disk.open(path, writable: true) : disk.create(path)
    }

    /// Records a commit.
    func note(_ seq: Int64) throws(DiskError) {
        let once = Self.encode(seq, store)
        let bytes = once + once
        try file.write(bytes, 0..<bytes.count, at: 0)
    }

    func close() throws(DiskError) { try file.close() }

    /// The statement of a witness about a store.
    enum Testimony: Equatable {
        /// There is no witness.
        case none
        /// The witness belongs to another store, or its bytes are damaged.
        case unreadable
        /// The last acknowledged commit, and whether all copies state it.
        case commit(Int64, isWhole: Bool)
    }

    /// The bytes of a witness, interpreted once the store is known.
    ///
    /// - Ordering: read before the catalog; a commit between the two would look lost.
    struct Statement {
        /// nil if there is no witness; empty if the file is too long.
        let bytes: [UInt8]?
        /// True if the file is too short, or holds only zeros: a power loss causes this, as the file is not synced.
        var isCut = false

        func testimony(for store: [UInt8]) -> Testimony {
            guard let bytes else { return .none }
            let said = (0..<copies).map { commit(at: $0 * size, of: store, in: bytes) }
            guard let last = said.compactMap({ $0 }).max() else { return .unreadable }
            // The first version of the file held one statement.
            let isWhole = bytes.count == size || said.allSatisfy { $0 == last }
            return .commit(last, isWhole: isWhole)
        }

        /// The identity of the store in the statements; nil if no copy is intact, or the copies name two stores.
        var store: [UInt8]? {
            guard let bytes else { return nil }
            let named = (0..<copies).compactMap { number -> [UInt8]? in
                let first = number * size + magic.count
                guard bytes.count >= (number + 1) * size else { return nil }
                let store = Array(bytes[first..<first + idBytes])
                return commit(at: number * size, of: store, in: bytes) == nil ? nil : store
            }
            return Set(named).count == 1 ? named.first : nil
        }

        /// The last acknowledged commit, of any store.
        var lastCommit: Int64? {
            guard let store, case .commit(let seq, _) = testimony(for: store) else { return nil }
            return seq
        }

        private func commit(at offset: Int, of store: [UInt8], in bytes: [UInt8]) -> Int64? {
            guard bytes.count >= offset + size else { return nil }
            let once = Array(bytes[offset..<offset + size])
            var reader = ByteReader(once, at: magic.count + store.count)
            guard let seq = try? reader.i64(), encode(seq, store) == once else { return nil }
            return seq
        }
    }

    /// Reads the witness of a store.
    ///
    /// - Ordering: before the catalog is loaded; a commit between the two would look lost.
    static func statement(_ layout: StoreLayout, _ options: StoreOptions) throws(StoreError) -> Statement {
        try onDisk { () throws(DiskError) in try read(layout.witness, disk: options.disk) }
    }

    /// Reads a witness. Not inlined: tests identify call sites from the stack.
    @inline(never)
    static func read(_ path: String, disk: any Disk) throws(DiskError) -> Statement {
        guard try disk.exists(path) else { return Statement(bytes: nil) }
        let count = try disk.size(of: path)
        guard count <= UInt64(size * copies) else { return Statement(bytes: []) }
        let bytes = try disk.contents(of: path, limit: size * copies)
        let isCut = bytes.count < size * copies && bytes.count != size || bytes.allSatisfy { $0 == 0 }
        return Statement(bytes: bytes, isCut: isCut)
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

extension Witness.Statement {
    /// Returns true if the witness names a later commit than the catalog.
    func isAhead(of image: CatalogImage) -> Bool {
        guard case .commit(let seq, _) = testimony(for: image.storeID) else { return false }
        return seq > image.seq
    }

    /// Refuses a catalog that lost acknowledged commits, unless the options accept that.
    ///
    /// - Throws: `rolledBack`.
    func requireAcknowledged(
        by image: CatalogImage, _ layout: StoreLayout, _ options: StoreOptions
    ) throws(StoreError) {
        guard case .commit(let seq, _) = testimony(for: image.storeID), seq > image.seq, !options.acceptsLostCommits
        else { return }
        throw StoreError(
            .rolledBack,
            "the catalog ends at commit \(image.seq), but commit \(seq) was acknowledged: restore a backup, "
                + "or open with acceptsLostCommits to use the remaining data", path: layout.catalog)
    }
}
