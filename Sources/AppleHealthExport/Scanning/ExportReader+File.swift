// SPDX-License-Identifier: Apache-2.0

package import FileSystem

extension ExportReader {
    /// Reads an export, plain XML or a zip archive, with any name.
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
        let (file, size) = try open(path, on: disk)
        defer { try? file.close() }
        var head = [UInt8](repeating: 0, count: 16)
        let count = try file.bytes(at: 0, count: head.count, into: &head, offset: 0)
        switch FileKind(head[..<count]) {
        case .xml:
            return try read(FileSource(file, 0..<size), limits, ExportHeader(), IssueLog(), &consumer)
        case .zip:
            return try readArchive(ZipArchive(file, size, limits), &consumer)
        case .other(let what):
            throw .notAnExport(seen: what)
        }
    }

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

    private static func open(_ path: String, on disk: any Disk) throws(ExportError) -> (any DiskFile, UInt64) {
        do {
            if try disk.kind(of: path) == .directory {
                throw ExportError.notAnExport(seen: "a folder; give the export.zip, or the XML inside the folder")
            }
            let file = try disk.open(path, writable: false)
            return (file, try file.size())
        } catch let error as DiskError {
            throw .unreadable(path: error.path, what: error.message)
        } catch {
            throw error as? ExportError ?? .unreadable(path: path, what: "\(error)")
        }
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
