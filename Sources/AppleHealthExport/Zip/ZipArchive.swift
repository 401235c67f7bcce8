// SPDX-License-Identifier: Apache-2.0

import Bytes
import FileSystem

/// A zip archive, read by its central directory.
///
/// No file is ever written with a name from an archive. Every number of the archive is checked against the length of
/// the file and `ExportLimits` before use.
struct ZipArchive {
    let file: any DiskFile
    let size: UInt64
    let limits: ExportLimits

    /// The maximum length of the central directory: 100,000 files with long names.
    private static let directoryLimit: UInt64 = 32 << 20
    /// The maximum length of the comment, the end record and the locator before it.
    private static let tailLimit: UInt64 = 65_535 + 22 + 20

    init(_ file: any DiskFile, _ size: UInt64, _ limits: ExportLimits) {
        self.file = file
        self.size = size
        self.limits = limits
    }

    /// The location of the central directory.
    private struct Directory {
        var offset: UInt64
        var length: UInt64
        var count: UInt64
        /// The correction of all offsets: the length of any data before the archive.
        var shift: UInt64 = 0
    }

    /// Returns all files of the archive, sorted by offset.
    ///
    /// - Throws: `.damagedArchive` if the directory cannot be read; `.refused` for too many files, or if two files
    ///   share bytes, as in archives that decompress to excessive sizes.
    func entries() throws(ExportError) -> [ZipEntry] {
        let directory = try findDirectory()
        let bytes = try read(directory.offset + directory.shift, Int(directory.length))
        var entries: [ZipEntry] = []
        do {
            var reader = ByteReader(bytes)
            while reader.remaining > 0 {
                guard entries.count < limits.entries else {
                    throw ExportError.refused(
                        what: "an archive of more than \(limits.entries) files", line: 0, offset: directory.offset)
                }
                entries.append(try ZipEntry(&reader, shift: directory.shift))
            }
        } catch let error as ByteError {
            throw .damagedArchive(
                what: "its directory is malformed (\(error.what))", offset: directory.offset + UInt64(error.offset))
        } catch {
            throw error as? ExportError ?? .damagedArchive(what: "\(error)", offset: directory.offset)
        }
        // An archive of more than 65,535 files without zip64 counts modulo 65,536.
        guard UInt64(entries.count) & 0xFFFF == directory.count & 0xFFFF else {
            throw .damagedArchive(
                what: "its directory holds \(entries.count) files instead of \(directory.count)",
                offset: directory.offset)
        }
        return try bounded(entries, end: directory.offset + directory.shift)
    }

    /// Sorts the files by offset, and sets the limit of each to the start of the next.
    private func bounded(_ entries: [ZipEntry], end: UInt64) throws(ExportError) -> [ZipEntry] {
        var sorted = entries.sorted { $0.offset < $1.offset }
        for index in sorted.indices {
            let next = index + 1 < sorted.count ? sorted[index + 1].offset : end
            let entry = sorted[index]
            let (least, overflow) = entry.offset.addingReportingOverflow(entry.leastLength)
            guard !overflow, least <= end else {
                throw .damagedArchive(what: "\(entry.name) does not fit into the archive", offset: entry.offset)
            }
            guard least <= next else {
                throw .refused(
                    what: "two files of the archive share bytes: \(entry.name) and the next file", line: 0,
                    offset: entry.offset)
            }
            sorted[index].limit = next
        }
        return sorted
    }

    /// Reads bytes; throws if they are not there.
    func read(_ offset: UInt64, _ count: Int) throws(ExportError) -> [UInt8] {
        guard offset <= size, UInt64(count) <= size - offset else {
            throw .damagedArchive(what: "it refers to bytes after its end", offset: offset)
        }
        var bytes = [UInt8](repeating: 0, count: count)
        let got = try file.bytes(at: offset, count: count, into: &bytes, offset: 0)
        guard got == count else { throw .damagedArchive(what: "it became shorter", offset: offset + UInt64(got)) }
        return bytes
    }

    /// Finds the end record after the last file, and from it the directory.
    private func findDirectory() throws(ExportError) -> Directory {
        let length = min(size, Self.tailLimit)
        let start = size - length
        let tail = try read(start, Int(length))
        guard let at = endRecord(tail) else {
            throw .damagedArchive(what: "it has no directory: the file was cut off", offset: size)
        }
        do {
            var reader = ByteReader(tail, at: at + 4)
            let disks = try (reader.u16(), reader.u16())
            _ = try reader.u16()
            let count = try reader.u16()
            let bytes = try reader.u32()
            let offset = try reader.u32()
            var directory = Directory(offset: UInt64(offset), length: UInt64(bytes), count: UInt64(count))
            var end = start + UInt64(at)
            let isLong = count == .max || bytes == .max || offset == .max
            if isLong, let long = try longRecord(tail, at) {
                (directory, end) = long
            } else if disks.0 != 0 || disks.1 != 0 {
                throw ExportError.damagedArchive(what: "it is one part of several", offset: end)
            }
            return try located(directory, before: end)
        } catch {
            let malformed = "its end record is malformed"
            throw error as? ExportError ?? .damagedArchive(what: malformed, offset: start + UInt64(at))
        }
    }

    /// Returns the offset of the end record. Its comment ends at the end of the file, or at least not after it.
    private func endRecord(_ tail: [UInt8]) -> Int? {
        var fallback: Int?
        var at = tail.count - 22
        while at >= 0 {
            if tail[at] == 0x50, tail[at + 1] == 0x4B, tail[at + 2] == 0x05, tail[at + 3] == 0x06 {
                let end = at + 22 + Int(tail[at + 20]) + Int(tail[at + 21]) << 8
                if end == tail.count { return at }
                if end < tail.count, fallback == nil { fallback = at }
            }
            at -= 1
        }
        return fallback
    }

    /// Returns the directory of the zip64 record, which a locator before the end record refers to; nil without a
    /// locator.
    private func longRecord(_ tail: [UInt8], _ end: Int) throws -> (Directory, UInt64)? {
        guard end >= 20 else { return nil }
        var locator = ByteReader(tail, at: end - 20, end: end)
        guard try locator.u32() == 0x0706_4B50 else { return nil }
        _ = try locator.u32()
        let place = try locator.u64()
        var record = ByteReader(try read(place, 56))
        guard try record.u32() == 0x0606_4B50 else {
            throw ExportError.damagedArchive(what: "its zip64 record is not at the stated offset", offset: place)
        }
        try record.skip(28)
        let count = try record.u64()
        let bytes = try record.u64()
        let offset = try record.u64()
        return (Directory(offset: offset, length: bytes, count: count), place)
    }

    /// Checks that the directory is inside the file, and corrects its offset for data before the archive.
    private func located(_ found: Directory, before end: UInt64) throws(ExportError) -> Directory {
        var directory = found
        guard directory.length <= Self.directoryLimit, directory.length <= end,
            directory.offset <= end - directory.length
        else {
            throw .damagedArchive(what: "its directory does not fit into the file", offset: directory.offset)
        }
        let expected = end - directory.length
        if directory.length >= 4, expected != directory.offset {
            let here = try read(directory.offset, 4) == ZipEntry.signature
            let there = try read(expected, 4) == ZipEntry.signature
            if !here, there { directory.shift = expected - directory.offset }
        }
        return directory
    }
}

extension ZipArchive: ExportFiles {
    var noun: String { "a zip archive" }

    func source(of file: ZipEntry, total: UInt64?) throws(ExportError) -> any ByteSource {
        try ZipEntrySource(file, in: self, total: total)
    }

    func document(_ file: ZipEntry) throws(ExportError) -> any ByteSource {
        try ZipEntrySource(file, in: self, keeping: true)
    }

    func damage(_ error: ExportError) -> (what: String, offset: UInt64?)? {
        guard case .damagedArchive(let what, let offset) = error else { return nil }
        return (what, offset)
    }
}
