// SPDX-License-Identifier: Apache-2.0

package import FileSystem
import Synchronization

extension FaultyDisk {
    package func createDirectory(_ path: String) throws(DiskError) {
        try whole(.createDirectory, path) { (state) throws(DiskError) in
            try live.createDirectory(path)
            let number = state.model.newNumber()
            state.model.directories[number] = FaultyModel.Directory()
            state.model.link(path, number)
        }
    }

    package func kind(of path: String) throws(DiskError) -> EntryKind? {
        try whole(.kind, path) { (_) throws(DiskError) in try live.kind(of: path) }
    }

    package func size(of path: String) throws(DiskError) -> UInt64 {
        try whole(.sizeOf, path) { (_) throws(DiskError) in try live.size(of: path) }
    }

    package func list(_ path: String) throws(DiskError) -> [String] {
        try whole(.list, path) { (_) throws(DiskError) in try live.list(path) }
    }

    package func create(_ path: String) throws(DiskError) -> any DiskFile {
        try whole(.create, path) { (state) throws(DiskError) in
            let file = try live.create(path)
            let number = state.model.newNumber()
            state.model.files[number] = FaultyModel.File(
                handle: try live.open(path, writable: false), liveSize: 0, durableSize: 0)
            state.model.link(path, number)
            return FaultyFile(self, file, number, path)
        }
    }

    package func open(_ path: String, writable: Bool) throws(DiskError) -> any DiskFile {
        try whole(.open, path) { (state) throws(DiskError) in
            let file = try live.open(path, writable: writable)
            return FaultyFile(self, file, state.model.number(of: path) ?? -1, path)
        }
    }

    package func map(_ path: String, length: Int) throws(DiskError) -> any MappedFile {
        try whole(.map, path) { (_) throws(DiskError) in
            FaultyMap(self, try live.map(path, length: length), path)
        }
    }

    package func remove(_ path: String) throws(DiskError) {
        try whole(.remove, path) { (state) throws(DiskError) in
            try live.remove(path)
            state.model.unlink(path)
        }
    }

    package func rename(_ path: String, to newPath: String) throws(DiskError) {
        try whole(.rename, path) { (state) throws(DiskError) in
            try live.rename(path, to: newPath)
            state.model.move(path, to: newPath)
        }
    }

    package func syncDirectory(_ path: String) throws(DiskError) {
        try whole(.syncDirectory, path) { (state) throws(DiskError) in
            try live.syncDirectory(path)
            state.model.syncNames(of: path)
        }
    }

    package func lock(_ path: String, exclusive: Bool, byte: Int64) throws(DiskError) -> (any DiskLock)? {
        try whole(.lock, path) { (_) throws(DiskError) in
            try live.lock(path, exclusive: exclusive, byte: byte)
        }
    }

    package func firstLockedByte(_ path: String, in bytes: Range<Int64>) throws(DiskError) -> Int64? {
        try whole(.lock, path) { (_) throws(DiskError) in try live.firstLockedByte(path, in: bytes) }
    }

    package func freeSpace(at path: String) throws(DiskError) -> UInt64 {
        try whole(.freeSpace, path) { (state) throws(DiskError) in
            let free = try live.freeSpace(at: path)
            guard let capacity = state.capacity else { return free }
            let used = state.usedBytes
            return used < capacity ? capacity - used : 0
        }
    }

    package func access(to path: String) throws(DiskError) -> DirectoryAccess {
        try whole(.kind, path) { (_) throws(DiskError) in try live.access(to: path) }
    }
}

/// An open file of a `FaultyDisk`.
final class FaultyFile: ResizableFile {
    private let disk: FaultyDisk
    private let file: any DiskFile
    private let number: Int
    private let path: String

    init(_ disk: FaultyDisk, _ file: any DiskFile, _ number: Int, _ path: String) {
        self.disk = disk
        self.file = file
        self.number = number
        self.path = path
    }

    func write(_ bytes: [UInt8], _ range: Range<Int>, at position: UInt64) throws(DiskError) {
        let (end, overflow) = position.addingReportingOverflow(UInt64(range.count))
        let place = overflow ? 0..<0 : position..<end
        disk.announce(.write, path)
        try disk.state.withLock { (state) throws(DiskError) in
            let fault = try disk.enter(&state, .write, path, place)
            var count = range.count
            switch fault?.effect {
            case .nothing?: count = 0
            case .part?: count /= 2
            case .everything?, nil: break
            }
            let room = roomToWrite(state, end)
            let fits = room >= UInt64(range.count)
            if !fits { count = min(count, Int(clamping: room)) }
            if count > 0 || fault == nil && fits {
                let before = state.model.files[number]
                if !overflow { try state.model.willWrite(number, position..<position + UInt64(count)) }
                do throws(DiskError) {
                    try file.write(bytes, range.lowerBound..<range.lowerBound + count, at: position)
                } catch {
                    state.model.files[number] = before
                    throw error
                }
            }
            if let fault { throw FaultyDisk.error(fault, .write, path) }
            if !fits { throw DiskError("write", path, DiskError.noSpace, "after \(count) of \(range.count) bytes") }
        }
    }

    /// Returns the number of bytes, of a write that ends at `end`, that fit into the capacity.
    private func roomToWrite(_ state: FaultyDisk.State, _ end: UInt64) -> UInt64 {
        guard let capacity = state.capacity, let size = state.model.files[number]?.liveSize, end > size else {
            return .max
        }
        let used = state.usedBytes
        let free = used < capacity ? capacity - used : 0
        let growth = end - size
        return growth <= free ? .max : free
    }

    func read(
        at position: UInt64, count: Int, into buffer: inout [UInt8], offset: Int
    ) throws(DiskError) -> Int {
        let (end, overflow) = position.addingReportingOverflow(UInt64(max(count, 0)))
        let fault = try disk.state.withLock { (state) throws(DiskError) in
            try disk.enter(&state, .read, path, overflow ? 0..<0 : position..<end)
        }
        guard let fault else { return try file.read(at: position, count: count, into: &buffer, offset: offset) }
        guard fault.effect == .part else { throw FaultyDisk.error(fault, .read, path) }
        return try file.read(at: position, count: count / 2, into: &buffer, offset: offset)
    }

    func truncate(to size: UInt64) throws(DiskError) {
        try disk.whole(.truncate, path) { (state) throws(DiskError) in
            guard let file = file as? any ResizableFile else {
                throw DiskError("truncate", path, DiskError.inputOutput, "the file has a fixed length")
            }
            let before = state.model.files[number]
            try state.model.willResize(number, to: size)
            do throws(DiskError) {
                try file.truncate(to: size)
            } catch {
                state.model.files[number] = before
                throw error
            }
        }
    }

    func size() throws(DiskError) -> UInt64 {
        try disk.whole(.size, path) { (_) throws(DiskError) in try file.size() }
    }

    func sync() throws(DiskError) {
        disk.announce(.sync, path)
        try disk.state.withLock { (state) throws(DiskError) in
            let fault = try disk.enter(&state, .sync, path)
            try file.sync()
            switch fault?.effect {
            case .everything?, nil: state.model.syncContent(number)
            case .nothing?: state.model.failSync(number) { _ in false }
            case .part?:
                var random = state.random.split()
                state.model.failSync(number) { _ in random.chance(0.5) }
            }
            if let fault { throw FaultyDisk.error(fault, .sync, path) }
        }
    }

    func close() throws(DiskError) {
        try disk.whole(.close, path) { (_) throws(DiskError) in try file.close() }
    }
}

/// A mapped file of a `FaultyDisk`.
final class FaultyMap: MappedFile {
    private let disk: FaultyDisk
    private let file: any MappedFile
    private let path: String

    var count: Int { file.count }

    init(_ disk: FaultyDisk, _ file: any MappedFile, _ path: String) {
        self.disk = disk
        self.file = file
        self.path = path
    }

    func copy(_ range: Range<Int>, into out: inout [UInt8], at offset: Int) throws(DiskError) {
        let place = range.lowerBound < 0 ? 0..<0 : UInt64(range.lowerBound)..<UInt64(range.upperBound)
        let fault = try disk.state.withLock { (state) throws(DiskError) in
            try disk.enter(&state, .copy, path, place)
        }
        if let fault { throw FaultyDisk.error(fault, .copy, path) }
        try file.copy(range, into: &out, at: offset)
    }

    func advise(_ access: MappedAccess, _ range: Range<Int>) {}
}
