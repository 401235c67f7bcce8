// SPDX-License-Identifier: Apache-2.0

package import FileSystem

extension ExportReader {
    /// Reads an export with any name: an archive, a folder with its files, or plain XML with the folders beside it.
    ///
    /// Malformed parts are repaired or skipped, and listed in the summary; `Docs/Guide/Import.md` has the rules. Takes
    /// time linear in the length, and memory for one window, the largest element that is not a record, and one
    /// document.
    /// - Throws: `ExportError.notAnExport` for other files, `.refused` for a document type with entities,
    ///   `.damagedArchive` for an archive without a readable directory, `.unreadable` if the disk fails, `.consumer`
    ///   with the error of the consumer. Earlier calls of the consumer are not undone.
    package static func read(
        file path: String, on disk: any Disk = RealDisk(), limits: ExportLimits = ExportLimits(),
        consumer: inout some ExportConsumer
    ) throws(ExportError) -> ExportSummary {
        let file: any DiskFile
        let size: UInt64
        do {
            if try ExportFolder.isFolder(path, on: disk) {
                return try readFolder(ExportFolder(path: path, disk: disk, limits: limits), &consumer)
            }
            file = try disk.open(path, writable: false)
            size = try file.size()
        } catch let error as DiskError {
            throw .unreadable(path: error.path, what: error.message)
        } catch {
            throw error as? ExportError ?? .unreadable(path: path, what: "\(error)")
        }
        defer { try? file.close() }
        var head = [UInt8](repeating: 0, count: headLength)
        let count = try file.bytes(at: 0, count: head.count, into: &head, offset: 0)
        switch FileKind(head[..<count]) {
        case .xml:
            let folder = ExportFolder(path: ExportFolder.path(of: path), disk: disk, limits: limits)
            return try readXML(size, beside: folder, ExportHeader(), IssueLog(), &consumer) { total in
                FileSource(file, 0..<size, total: total)
            }
        case .zip:
            return try readArchive(ZipArchive(file, size, limits), &consumer)
        case .other(let what):
            throw .notAnExport(seen: what)
        }
    }

    /// Reads an export from standard input: XML as it arrives, an archive by way of a temporary file.
    ///
    /// The directory of an archive is at its end, so an archive is copied before it is read.
    /// - Parameters:
    ///   - stream: an open input at its start.
    ///   - makeFile: returns an empty file without a name.
    /// - Throws: as `read(file:)`.
    package static func read(
        stream: FileReader, limits: ExportLimits = ExportLimits(), makeFile: () throws -> any DiskFile,
        consumer: inout some ExportConsumer
    ) throws(ExportError) -> ExportSummary {
        var head = [UInt8](repeating: 0, count: headLength)
        let total = stream.size ?? 0
        head.removeLast(head.count - (try StreamSource.read(stream, into: &head, offset: 0, count: head.count)))
        var source = StreamSource(stream, head: head)
        switch FileKind(head[...]) {
        case .xml:
            return try read(source, limits, ExportHeader(), IssueLog(), &consumer)
        case .zip:
            let file: any DiskFile
            do { file = try makeFile() } catch { throw .consumer(error) }
            defer { try? file.close() }
            let size = try source.copy(to: file) { read throws(ExportError) in
                try consumer.call { try $0.progress(bytesRead: read, bytesTotal: total, records: 0) }
            }
            return try readArchive(ZipArchive(file, size, limits), &consumer)
        case .other(let what):
            throw .notAnExport(seen: what)
        }
    }

    /// The number of bytes that decide the kind of a file.
    private static let headLength = 16

    /// Reads an export from XML in memory.
    package static func read(
        xml bytes: [UInt8], limits: ExportLimits = ExportLimits(), consumer: inout some ExportConsumer
    ) throws(ExportError) -> ExportSummary {
        try read(MemorySource(bytes), limits, ExportHeader(), IssueLog(), &consumer)
    }

    /// Reads one XML document.
    static func read(
        _ source: any ByteSource, _ limits: ExportLimits, _ header: ExportHeader, _ issues: IssueLog,
        _ consumer: inout some ExportConsumer
    ) throws(ExportError) -> ExportSummary {
        var scanner = ExportScanner(source, limits, header, issues)
        try scanner.run(&consumer)
        return scanner.summary
    }
}

/// The kind of a file, by its first bytes.
enum FileKind: Equatable {
    case xml
    case zip
    case other(String)

    init(_ head: ArraySlice<UInt8>) {
        let known: [([UInt8], String)] = [
            ([0xFF, 0xFE], "text in UTF-16; exports are in UTF-8"),
            ([0xFE, 0xFF], "text in UTF-16; exports are in UTF-8"),
            ([0x1F, 0x8B], "a gzip file; unpack it first"),
            ([0x37, 0x7A, 0xBC, 0xAF], "a 7-Zip archive; unpack it first"),
            ([0x52, 0x61, 0x72, 0x21], "a RAR archive; unpack it first"),
            ([0x42, 0x5A, 0x68], "a bzip2 file; unpack it first"),
            ([0xFD, 0x37, 0x7A, 0x58, 0x5A], "an xz file; unpack it first"),
            (Array("SQLite format 3".utf8), "a SQLite database"),
            (Array("bplist".utf8), "a binary property list"),
            (Array("%PDF".utf8), "a PDF document"),
        ]
        if head.starts(with: [0x50, 0x4B, 0x03, 0x04]) || head.starts(with: [0x50, 0x4B, 0x05, 0x06]) {
            self = .zip
        } else if let other = known.first(where: { head.starts(with: $0.0) }) {
            self = .other(other.1)
        } else {
            self = .xml
        }
    }
}
