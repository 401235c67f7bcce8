// SPDX-License-Identifier: Apache-2.0

import Catalog
import FileSystem

/// The file beside the catalog that records the last acknowledged commit.
///
/// SQLite cannot distinguish a log that lost its end from a log that never had that end. The witness can: if it names a
/// later commit than the catalog, acknowledged data is missing. It is written after each commit without a sync, so that
/// it may lag behind after a power loss, but is never ahead of an intact catalog. It holds two equal statements, so
/// that a damaged byte does not disable it.
struct Witness {
    /// The number of bytes of one statement of a plain store: magic, store, commit, checksum.
    static let size = WitnessCodec.plainSize
    /// The number of statements in the file, one after the other.
    static let copies = 2

    private let file: any DiskFile
    private let store: [UInt8]
    private let codec: WitnessCodec

    /// Opens the witness, or creates it.
    init(_ path: String, store: [UInt8], disk: any Disk, keys: StoreKeys? = nil) throws(StoreError) {
        self.store = store
        codec = try WitnessCodec(keys)
        file = try onDisk { () throws(DiskError) in
            try disk.exists(path) ? disk.open(path, writable: true) : disk.create(path)
        }
    }

    /// Records a commit.
    func note(_ seq: Int64) throws(StoreError) {
        let once = try codec.encode(seq, store)
        let bytes = once + once
        try onDisk { () throws(DiskError) in try file.write(bytes, 0..<bytes.count, at: 0) }
    }

    func close() throws(StoreError) { try onDisk { () throws(DiskError) in try file.close() } }

    /// The statement of a witness about a store.
    enum Testimony: Equatable {
        /// There is no witness.
        case none
        /// The witness belongs to another store, or its bytes are damaged.
        case unreadable
        /// A statement has the right checksum, but was not written with the key of the store.
        case forged
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
        /// Reads the statements.
        var codec = WitnessCodec()

        func testimony(for store: [UInt8]) -> Testimony {
            guard let bytes else { return .none }
            let said = codec.statements(bytes).filter { $0 == nil || $0?.store == store }
            if said.contains(where: { $0?.isForged == true }) { return .forged }
            guard let last = said.compactMap({ $0?.commit }).max() else { return .unreadable }
            // The first version of the file held one statement.
            let isWhole = bytes.count == size || said.count == copies && said.allSatisfy { $0?.commit == last }
            return .commit(last, isWhole: isWhole)
        }

        /// The identity of the store in the statements; nil if no copy is intact, or the copies name two stores.
        var store: [UInt8]? {
            let named = Set(codec.statements(bytes ?? []).compactMap { $0 }.filter { !$0.isForged }.map(\.store))
            return named.count == 1 ? named.first : nil
        }

        /// The last acknowledged commit, of any store.
        var lastCommit: Int64? {
            guard let store, case .commit(let seq, _) = testimony(for: store) else { return nil }
            return seq
        }
    }

    /// Reads the witness of a store.
    ///
    /// - Ordering: before the catalog is loaded; a commit between the two would look lost.
    static func statement(_ layout: StoreLayout, _ options: StoreOptions) throws(StoreError) -> Statement {
        let codec = try WitnessCodec(options.keys)
        return try onDisk { () throws(DiskError) in try read(layout.witness, disk: options.disk, codec) }
    }

    /// Reads a witness. Not inlined: tests identify call sites from the stack.
    @inline(never)
    static func read(
        _ path: String, disk: any Disk, _ codec: WitnessCodec = WitnessCodec()
    ) throws(DiskError) -> Statement {
        guard try disk.exists(path) else { return Statement(bytes: nil, codec: codec) }
        let (count, most) = (try disk.size(of: path), WitnessCodec.mostSize * copies)
        guard count <= UInt64(most) else { return Statement(bytes: [], codec: codec) }
        let bytes = try disk.contents(of: path, limit: most)
        let isCut = codec.isCut(bytes.count) || bytes.allSatisfy { $0 == 0 }
        return Statement(bytes: bytes, isCut: isCut, codec: codec)
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
    /// - Throws: `rolledBack`, `forged`.
    func requireAcknowledged(
        by image: CatalogImage, _ layout: StoreLayout, _ options: StoreOptions
    ) throws(StoreError) {
        if let least = options.atLeastCommit, image.seq < least, !options.acceptsLostCommits {
            throw StoreError(
                .rolledBack,
                "the store ends with commit \(image.seq), and the caller has seen commit \(least): it is an older copy",
                path: layout.root)
        }
        let testimony = testimony(for: image.storeID)
        if testimony == .forged, !options.acceptsLostCommits { throw Self.forgery(layout) }
        guard case .commit(let seq, _) = testimony, seq > image.seq, !options.acceptsLostCommits else { return }
        throw StoreError(
            .rolledBack,
            "the catalog ends at commit \(image.seq), but commit \(seq) was acknowledged: restore a backup, "
                + "or open with acceptsLostCommits to use the remaining data", path: layout.catalog)
    }

    static func forgery(_ layout: StoreLayout) -> StoreError {
        StoreError(
            .forged,
            "WITNESS has the right checksum, but was not written with the store's key: another program changed it, so "
                + "acknowledged commits may be missing. Restore a backup, or open with acceptsLostCommits to use the "
                + "data that is here", path: layout.witness)
    }
}
