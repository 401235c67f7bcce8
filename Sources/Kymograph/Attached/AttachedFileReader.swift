// SPDX-License-Identifier: Apache-2.0

package import Catalog
import ChunkFormat
import FileSystem
import Synchronization

/// Reads one attached file from start to end, and verifies every unit. Needs a buffer of about 1 MiB.
package final class AttachedFileReader: Sendable {
    /// The number of content bytes.
    package let bytes: Int64
    private let path: String
    private let file: any DiskFile
    private let layout: AttachedLayout
    /// The number of units.
    private let count: Int64
    private let state: Mutex<State>

    private struct State {
        var codec: AttachedUnit
        var buffer: [UInt8] = []
        /// The number of the next unit.
        var next: Int64 = 0
    }

    /// The number of units that one call of the disk reads.
    private static let piece = 16

    /// Opens a file and compares its length with its row.
    ///
    /// - Throws: `corrupt` for a missing file or another length; `inputOutput`.
    init(_ row: AttachedFileRow, at path: String, store: [UInt8], _ access: FileAccess) throws(StoreError) {
        let file: any DiskFile
        do throws(DiskError) {
            file = try access.disk.open(path, writable: false)
        } catch {
            guard error.isMissing || error.isWrongKind else { throw StoreError(error) }
            throw StoreError(.corrupt, "the attached file is missing: \(error.message)", path: path)
        }
        let layout = AttachedLayout(isEncrypted: access.keys != nil)
        let codec: AttachedUnit
        do throws(StoreError) {
            let size = try onDisk { () throws(DiskError) in try file.size() }
            let wanted = layout.fileBytes(content: row.bytes)
            guard size == wanted else {
                throw StoreError(.corrupt, "the attached file has \(size) bytes instead of \(wanted)", path: path)
            }
            codec = try Self.codec(row, file, path, store, access.keys)
        } catch {
            try? file.close()
            throw error
        }
        (self.path, bytes) = (path, row.bytes)
        (self.file, self.layout) = (file, layout)
        state = Mutex(State(codec: codec))
        count = AttachedLayout.count(content: row.bytes)
    }

    deinit { try? file.close() }

    /// Returns the codec of a file, with the key of an encrypted one.
    private static func codec(
        _ row: AttachedFileRow, _ file: any DiskFile, _ path: String, _ store: [UInt8], _ keys: StoreKeys?
    ) throws(StoreError) -> AttachedUnit {
        guard let keys else { return AttachedUnit(store: store, file: row.uuid) }
        var bytes = [UInt8]()
        let count = try onDisk { () throws(DiskError) in
            try file.read(at: 0, count: AttachedHeader.size, into: &bytes, offset: 0)
        }
        let start = Array(bytes.prefix(count))
        return try inFormat(path) { () throws(FormatError) in
            let header = try AttachedHeader(start)
            let cipher = try keys.withGeneration { (ring) throws(FormatError) in
                try header.cipher(ring, store: store, file: row.uuid)
            }
            return AttachedUnit(store: store, file: row.uuid, cipher: cipher)
        }
    }

    /// Reads and verifies the next units, at most 16, and passes the content of each to a closure, in order.
    ///
    /// - Returns: false if there are no more units.
    /// - Throws: `corrupt` for damaged bytes, of which none are passed; `inputOutput`.
    package func read(_ body: (_ bytes: [UInt8], _ content: Range<Int>) -> Void) throws(StoreError) -> Bool {
        try state.withLock { state throws(StoreError) in
            guard let start = try fill(&state) else { return false }
            var contents: [Range<Int>] = []
            for unit in 0..<Int64(Self.piece) where state.next < count {
                let first = Int(unit) * layout.unitBytes
                let range = first..<min(first + layout.unitBytes, state.buffer.count)
                do throws(FormatError) {
                    contents.append(
                        try state.codec.open(
                            &state.buffer, range, number: UInt64(state.next), isLast: state.next == count - 1))
                } catch {
                    throw StoreError(
                        StoreError(error, path: path).kind, "the attached file is damaged: \(error.what)", path: path,
                        offset: start + UInt64(first))
                }
                state.next += 1
            }
            for content in contents { body(state.buffer, content) }
            return true
        }
    }

    /// Reads the next units into the buffer. Returns their offset, or nil at the end.
    private func fill(_ state: inout State) throws(StoreError) -> UInt64? {
        guard state.next < count else { return nil }
        let start = UInt64(layout.headerBytes) + UInt64(state.next) * UInt64(layout.unitBytes)
        let size = layout.fileBytes(content: bytes)
        let wanted = Int(min(UInt64(layout.unitBytes * Self.piece), size - start))
        let found: Int
        do throws(DiskError) {
            found = try file.read(at: start, count: wanted, into: &state.buffer, offset: 0)
        } catch {
            throw StoreError(error).at(path, start)
        }
        guard found == wanted else {
            throw StoreError(.corrupt, "the attached file ends early", path: path, offset: start + UInt64(found))
        }
        // The buffer of a first, longer read has old bytes at its end.
        if state.buffer.count > wanted { state.buffer.removeLast(state.buffer.count - wanted) }
        return start
    }
}

extension TimeSeriesStore {
    /// Opens an attached file.
    ///
    /// - Throws: `corrupt`, `inputOutput`, `closed`.
    package func openAttachedFile(_ row: AttachedFileRow) throws(StoreError) -> AttachedFileReader {
        try requireOpen()
        return try context.openAttachedFile(row)
    }

    /// Throws `corrupt` unless the file of a row exists with its length. For a commit that inserts the row.
    package func requireAttachedFile(_ row: AttachedFileRow) throws(StoreError) {
        _ = try context.openAttachedFile(row)
    }
}

extension StoreContext {
    func openAttachedFile(_ row: AttachedFileRow) throws(StoreError) -> AttachedFileReader {
        try AttachedFileReader(row, at: layout.attachedFile(row.uuid), store: storeID, access)
    }
}
