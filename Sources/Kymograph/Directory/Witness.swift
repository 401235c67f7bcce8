// SPDX-License-Identifier: Apache-2.0

import Bytes
import Catalog
import FileSystem
import Kernels

/// The file beside the catalog that remembers the last acknowledged commit.
///
/// SQLite cannot tell a log that lost its end from one that never had it. The witness can: where it knows a later
/// commit than the catalog, acknowledged data is missing. It is written after each commit and not synced, so it
/// may lag behind after a power cut, but it is never ahead of an honest catalog. It says the same twice, so that a
/// damaged byte does not silence it.
struct Witness {
    /// The number of bytes of one statement: magic, store, commit, checksum.
    static let size = magic.count + idBytes + 8 + 4
    /// How many statements the file holds, one behind the other.
    static let copies = 2
    private static let magic: [UInt8] = Array("KYMOWITN".utf8)
    private static let idBytes = 16

    private let file: any DiskFile
    private let store: [UInt8]

    /// Opens the witness, or makes it where there is none.
    init(_ path: String, store: [UInt8], disk: any Disk) throws(DiskError) {
        self.store = store
        file = try disk.exists(path) ? disk.open(path, writable: true) : disk.create(path)
    }

    /// Notes a commit.
    func note(_ seq: Int64) throws(DiskError) {
        let once = Self.encode(seq, store)
        let bytes = once + once
        try file.write(bytes, 0..<bytes.count, at: 0)
    }

    func close() throws(DiskError) { try file.close() }

    /// What a witness says of a store.
    enum Testimony: Equatable {
        /// There is none.
        case none
        /// It is another store's, or its bytes are not what was written.
        case unreadable
        /// The last acknowledged commit; whether every copy says so.
        case commit(Int64, isWhole: Bool)
    }

    /// The bytes of a witness, to be judged when the store is known: whoever compares it with the catalog must read
    /// the witness first, or a commit between the two would look like a lost one.
    struct Statement {
        /// Nil if there is no witness; empty if the file is longer than any.
        let bytes: [UInt8]?
        /// Whether the file ends early, or holds nothing but zeros: a power cut leaves it so, as it is not synced.
        var isCut = false

        func testimony(for store: [UInt8]) -> Testimony {
            guard let bytes else { return .none }
            let said = (0..<copies).map { commit(at: $0 * size, of: store, in: bytes) }
            guard let last = said.compactMap({ $0 }).max() else { return .unreadable }
            // The first version of the file held one.
            let isWhole = bytes.count == size || said.allSatisfy { $0 == last }
            return .commit(last, isWhole: isWhole)
        }

        /// The store that it speaks of, which its checksum covers; nil where no copy is sound, or they name two.
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

        /// The last commit of whatever store it speaks of.
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
    /// - Ordering: before the catalog is loaded; a commit between the two would look like a lost one.
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
    /// Whether the witness knows later commits than the catalog.
    func isAhead(of image: CatalogImage) -> Bool {
        guard case .commit(let seq, _) = testimony(for: image.storeID) else { return false }
        return seq > image.seq
    }

    /// Refuses a catalog that lost acknowledged commits, unless the caller accepts that.
    ///
    /// - Throws: `rolledBack`.
    func requireAcknowledged(
        by image: CatalogImage, _ layout: StoreLayout, _ options: StoreOptions
    ) throws(StoreError) {
        guard case .commit(let seq, _) = testimony(for: image.storeID), seq > image.seq, !options.acceptsLostCommits
        else { return }
        throw StoreError(
            .rolledBack,
            "the catalog knows commit \(image.seq), but commit \(seq) was acknowledged: restore a backup, "
                + "or open with acceptsLostCommits to see what is left", path: layout.catalog)
    }
}
