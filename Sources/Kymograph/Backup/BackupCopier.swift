// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Kernels

/// The progress of a backup or a restoration.
public struct BackupProgress: Hashable, Sendable {
    /// Bytes copied and verified.
    public var bytesDone: UInt64
    /// Bytes to copy in all.
    public var bytesTotal: UInt64
}

/// Copies files one by one and computes a checksum of each.
struct BackupCopier {
    private static let piece = 1 << 20

    let disk: any Disk
    /// Receives the progress periodically; returning false cancels the call.
    let report: ((BackupProgress) -> Bool)?
    var progress = BackupProgress(bytesDone: 0, bytesTotal: 0)
    private var buffer: [UInt8] = []

    init(_ disk: any Disk, _ report: ((BackupProgress) -> Bool)?) {
        self.disk = disk
        self.report = report
    }

    /// Copies a file into a new, synced file and returns the checksum of the bytes. The new file's name is not synced.
    mutating func copy(_ source: String, to target: String, bytes: UInt64) throws(StoreError) -> UInt32 {
        let from = try onDisk { () throws(DiskError) in try disk.open(source, writable: false) }
        defer { try? from.close() }
        let size = try onDisk { () throws(DiskError) in try from.size() }
        guard size == bytes else {
            throw StoreError(.corrupt, "the file has \(size) bytes instead of \(bytes)", path: source)
        }
        let to = try onDisk { () throws(DiskError) in try disk.create(target) }
        defer { try? to.close() }
        var sum: UInt32 = 0
        var at: UInt64 = 0
        while at < bytes {
            let count = try read(from, at, bytes, source)
            sum = Kernel.crc32c(buffer, 0..<count, seed: sum)
            try onDisk { () throws(DiskError) in try to.write(buffer, 0..<count, at: at) }
            to.beginWriting(at..<at + UInt64(count))
            at += UInt64(count)
            try advance(UInt64(count))
        }
        try onDisk { () throws(DiskError) in
            try to.sync()
            try to.close()
        }
        return sum
    }

    /// Returns the checksum of a file's bytes.
    mutating func checksum(_ path: String, bytes: UInt64) throws(StoreError) -> UInt32 {
        let file = try onDisk { () throws(DiskError) in try disk.open(path, writable: false) }
        defer { try? file.close() }
        var sum: UInt32 = 0
        var at: UInt64 = 0
        while at < bytes {
            let count = try read(file, at, bytes, path)
            sum = Kernel.crc32c(buffer, 0..<count, seed: sum)
            at += UInt64(count)
        }
        return sum
    }

    private mutating func read(
        _ file: any DiskFile, _ at: UInt64, _ end: UInt64, _ path: String
    ) throws(StoreError) -> Int {
        let wanted = Int(min(UInt64(Self.piece), end - at))
        let count: Int
        do throws(DiskError) {
            count = try file.read(at: at, count: wanted, into: &buffer, offset: 0)
        } catch {
            throw StoreError(error).at(path, at)
        }
        guard count > 0 else { throw StoreError(.corrupt, "the file ends early", path: path, offset: at) }
        return count
    }

    private mutating func advance(_ bytes: UInt64) throws(StoreError) {
        progress.bytesDone += bytes
        if Task.isCancelled || report.map({ !$0(progress) }) ?? false {
            throw StoreError(.cancelled, "the call was cancelled and kept nothing")
        }
    }
}
