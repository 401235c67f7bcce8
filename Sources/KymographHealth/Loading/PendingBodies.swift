// SPDX-License-Identifier: Apache-2.0

package import FileSystem
import Kymograph

/// Byte strings that wait for a commit: in memory up to a limit, then in an unlinked file.
///
/// The routes of years can exceed the memory of a machine. The file is in the store's directory, so that it uses space
/// on the disk of the commit.
package final class PendingBodies {
    /// The location of a byte string.
    package struct Place: Sendable {
        let file: Bool
        let at: Int
        let count: Int
    }

    /// The maximum number of bytes in memory; further bytes are written to the file.
    static let inMemory = 1 << 20

    private let makeFile: () throws(StoreError) -> any DiskFile
    private let path: String
    /// The name of the file until it is unlinked.
    static let name = "import.tmp"
    private let limit: Int
    private var memory: [UInt8] = []
    private var file: (any DiskFile)?
    private var fileCount = 0

    /// - Parameters:
    ///   - path: the path of the file, for errors.
    ///   - limit: the maximum number of bytes in memory.
    ///   - makeFile: creates the file.
    init(
        _ path: String, limit: Int = PendingBodies.inMemory, makeFile: @escaping () throws(StoreError) -> any DiskFile
    ) {
        self.path = path
        self.limit = limit
        self.makeFile = makeFile
    }

    func append(_ bytes: [UInt8]) throws(HealthStoreError) -> Place {
        if memory.count + bytes.count <= limit {
            memory.append(contentsOf: bytes)
            return Place(file: false, at: memory.count - bytes.count, count: bytes.count)
        }
        return try appendToFile(bytes)
    }

    /// Writes a byte string to the file.
    func appendToFile(_ bytes: [UInt8]) throws(HealthStoreError) -> Place {
        if file == nil { file = try inEngine(makeFile) }
        do throws(DiskError) {
            try file?.write(bytes, 0..<bytes.count, at: UInt64(fileCount))
        } catch {
            throw HealthStoreError(error)
        }
        fileCount += bytes.count
        return Place(file: true, at: fileCount - bytes.count, count: bytes.count)
    }

    func bytes(_ place: Place) throws(HealthStoreError) -> [UInt8] {
        guard place.file, let file else { return Array(memory[place.at..<place.at + place.count]) }
        var buffer = [UInt8]()
        do throws(DiskError) {
            let count = try file.read(at: UInt64(place.at), count: place.count, into: &buffer, offset: 0)
            buffer.removeLast(max(0, buffer.count - count))
            if count == place.count { return buffer }
        } catch {
            throw HealthStoreError(error)
        }
        throw HealthStoreError(
            .engine(.inputOutput),
            "the temporary file of the import ends before byte \(place.at + place.count); import the file again",
            path: path)
    }

    deinit { try? file?.close() }
}

extension HealthLoader {
    /// Moves bytes of the caller out of the memory until they are needed again.
    ///
    /// - Throws: the error of the disk.
    package func setAside(_ bytes: [UInt8]) throws(HealthStoreError) -> PendingBodies.Place {
        try bodies.appendToFile(bytes)
    }

    /// Returns bytes that were set aside.
    package func bytes(setAsideAt place: PendingBodies.Place) throws(HealthStoreError) -> [UInt8] {
        try bodies.bytes(place)
    }

    /// Returns a new file in the store's directory, readable only by its owner. It has no name, so it vanishes with the
    /// process.
    package func makeTemporaryFile() throws(HealthStoreError) -> any DiskFile {
        let engine = store.engine
        return try inEngine { () throws(StoreError) in try engine.createTemporaryFile(PendingBodies.name) }
    }
}

extension HealthStoreError {
    init(_ error: DiskError) {
        self.init(
            .engine(error.isFull ? .diskFull : .inputOutput), "\(error.operation) failed: \(error.message)",
            path: error.path)
    }
}
