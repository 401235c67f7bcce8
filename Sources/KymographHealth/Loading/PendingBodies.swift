// SPDX-License-Identifier: Apache-2.0

package import FileSystem

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

    private let disk: any Disk
    private let path: String
    /// The path of the file until it is unlinked.
    static func path(in directory: String) -> String { directory + "/import.tmp" }
    private let limit: Int
    private var memory: [UInt8] = []
    private var file: (any DiskFile)?
    private var fileCount = 0

    init(_ disk: any Disk, in directory: String, limit: Int = PendingBodies.inMemory) {
        self.disk = disk
        path = Self.path(in: directory)
        self.limit = limit
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
        do throws(DiskError) {
            if file == nil { file = try Self.makeFile(path, on: disk) }
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

    /// Creates a file and removes its name at once. A file left by a crash is removed first.
    static func makeFile(_ path: String, on disk: any Disk) throws(DiskError) -> any DiskFile {
        if try disk.kind(of: path) == .file { try disk.remove(path) }
        let file = try disk.create(path)
        try disk.remove(path)
        return file
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
        do {
            return try PendingBodies.makeFile(PendingBodies.path(in: store.path), on: store.engine.disk)
        } catch {
            throw HealthStoreError(error)
        }
    }
}

extension HealthStoreError {
    init(_ error: DiskError) {
        self.init(
            .engine(error.isFull ? .diskFull : .inputOutput), "\(error.operation) failed: \(error.message)",
            path: error.path)
    }
}
