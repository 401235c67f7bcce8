// SPDX-License-Identifier: Apache-2.0

import FileSystem

extension ExportReader {
    /// The name extensions of documents: files other than the XML that the consumer receives.
    static let documentTypes: Set = ["gpx", "csv", "json", "pdf", "jpg", "jpeg", "png", "heic", "tiff"]
    /// The maximum number of files opened to find the XML, and the number of bytes read of each.
    private static let probes = 64
    private static let probeLength = 64 << 10

    /// Reads the XML of an archive, then its documents.
    static func readArchive(
        _ archive: ZipArchive, _ consumer: inout some ExportConsumer
    ) throws(ExportError) -> ExportSummary {
        var issues = IssueLog()
        var entries: [ZipEntry] = []
        var seen: Set<String> = []
        for entry in try archive.entries() where !entry.isDirectory && !entry.isClutter {
            let shown = ExportFileName.shown(entry.name)
            if let (reason, what) = entry.objection {
                issues.add(reason, offset: entry.offset, "\(what): \(shown)")
            } else if entry.size / archive.limits.ratio > entry.packed + 4_096 {
                issues.add(
                    .oversizedFile, offset: entry.offset,
                    "\(shown) would unpack to \(entry.size) bytes from \(entry.packed)")
            } else if !seen.insert(entry.name).inserted {
                issues.add(.damagedFile, offset: entry.offset, "a second file with the name \(shown)")
            } else {
                entries.append(entry)
            }
        }
        let exports = try findExports(archive, entries, &issues)
        guard let main = exports.first else {
            throw .notAnExport(seen: describe(archive.noun, entries, issues))
        }
        let names = Set(exports.map(\.name))
        let documents = documents(archive, entries.filter { !names.contains($0.name) }, &issues)
        let total = documents.reduce(main.size) { $0 + $1.size }
        var header = ExportHeader()
        header.kind = .zip
        header.entry = main.name
        let source = try archive.source(of: main, total: total)
        var summary = try read(source, archive.limits, header, issues, &consumer)
        let folder = main.name.dropLast(main.lastName.count)
        try read(documents, of: archive, in: folder, Progress(done: main.size, total: total), &summary, &consumer)
        return summary
    }

    /// Reads the XML of a folder, or of the folders directly in it, then the documents beside the XML.
    static func readFolder(
        _ folder: ExportFolder, _ consumer: inout some ExportConsumer
    ) throws(ExportError) -> ExportSummary {
        // The other files of the folder may have nothing to do with the export.
        var search = IssueLog()
        let top = try folder.list("", &search)
        var candidates = top.files
        var issues = IssueLog()
        var exports = try findExports(folder, candidates.filter { $0.fileType == "xml" }, &issues)
        if exports.isEmpty {
            for name in top.folders.prefix(probes) { candidates += try folder.list(name, &search).files }
            exports = try findExports(folder, candidates.filter { $0.fileType == "xml" }, &issues)
        }
        guard let main = exports.first else {
            throw .notAnExport(seen: describe(folder.noun, candidates, search))
        }
        var header = ExportHeader()
        header.kind = .folder
        header.entry = main.name
        let inner = folder.folder(of: main)
        return try readXML(main.size, beside: inner, header, issues, &consumer) { total throws(ExportError) in
            try folder.source(of: main, total: total)
        }
    }

    /// Reads an XML, then the documents in the folders that the Health app puts beside it.
    ///
    /// - Parameter source: receives the total for progress, and returns the bytes of the XML.
    static func readXML(
        _ size: UInt64, beside folder: ExportFolder, _ header: ExportHeader, _ found: IssueLog,
        _ consumer: inout some ExportConsumer, source: (UInt64) throws(ExportError) -> any ByteSource
    ) throws(ExportError) -> ExportSummary {
        var issues = found
        let documents = documents(folder, try folder.documents(&issues), &issues)
        let total = documents.reduce(size) { $0 + $1.size }
        var summary = try read(try source(total), folder.limits, header, issues, &consumer)
        try read(documents, of: folder, in: "", Progress(done: size, total: total), &summary, &consumer)
        return summary
    }

    /// The number of bytes read, and the total number.
    private struct Progress {
        var done: UInt64
        let total: UInt64
    }

    /// Reads documents, whose paths become relative to the folder of the XML.
    private static func read<Files: ExportFiles>(
        _ documents: [Files.File], of files: Files, in folder: some StringProtocol, _ progress: Progress,
        _ summary: inout ExportSummary, _ consumer: inout some ExportConsumer
    ) throws(ExportError) {
        var progress = progress
        var buffer: [UInt8] = []
        for file in documents {
            // The form of the XML: a leading slash.
            let path = "/" + (file.name.hasPrefix(folder) ? file.name.dropFirst(folder.count) : file.name[...])
            try readDocument(files, file, path: path, &buffer, &summary, &consumer)
            progress.done += file.size
            try consumer.call {
                try $0.progress(
                    bytesRead: progress.done, bytesTotal: progress.total, records: summary.records)
            }
        }
    }

    /// Returns the XML files with the root `HealthData`, found by their content because names are localised. The
    /// largest one is first, and only that one is read.
    private static func findExports<Files: ExportFiles>(
        _ files: Files, _ entries: [Files.File], _ issues: inout IssueLog
    ) throws(ExportError) -> [Files.File] {
        let bySize = entries.sorted { $0.size > $1.size }
        let xml = bySize.filter { $0.fileType == "xml" }
        let others = bySize.filter { $0.fileType != "xml" && !documentTypes.contains($0.fileType) }
        var found: [Files.File] = []
        for entry in xml.prefix(probes) + others.prefix(probes) {
            guard try isExport(files, entry, &issues) else { continue }
            let shown = ExportFileName.shown(entry.name)
            guard entry.size <= files.limits.xmlBytes else {
                issues.add(.oversizedFile, offset: entry.archiveOffset, "\(shown) exceeds the size limit")
                continue
            }
            if let first = found.first {
                let chosen = ExportFileName.shown(first.name)
                issues.add(
                    .secondExport, offset: entry.archiveOffset, "a second export, smaller than \(chosen): \(shown)")
            }
            found.append(entry)
        }
        return found
    }

    private static func isExport<Files: ExportFiles>(
        _ files: Files, _ entry: Files.File, _ issues: inout IssueLog
    ) throws(ExportError) -> Bool {
        do {
            var source = try files.source(of: entry, total: nil)
            let count = Int(min(UInt64(probeLength), entry.size))
            var bytes = [UInt8](repeating: 0, count: count + ExportScanner.slack)
            let got = try source.read(into: &bytes, offset: 0, count: count)
            return ["<!DOCTYPE HealthData", "<HealthData"].contains { (text: StaticString) in
                var at = 0
                while at < got {
                    if ScanBytes.matches(bytes.span, at, got, text) { return true }
                    at = ScanBytes.find(0x3C, in: bytes.span, at + 1, got)
                }
                return false
            }
        } catch {
            guard let damage = files.damage(error) else { throw error }
            issues.add(.damagedFile, offset: damage.offset, damage.what)
            return false
        }
    }

    /// Returns the documents for the consumer; all other files are reported as issues.
    private static func documents<Files: ExportFiles>(
        _ files: Files, _ entries: [Files.File], _ issues: inout IssueLog
    ) -> [Files.File] {
        var found: [Files.File] = []
        var room = files.limits.allDocumentBytes
        for entry in entries {
            let shown = ExportFileName.shown(entry.name)
            if !documentTypes.contains(entry.fileType) {
                issues.add(.ignoredFile, offset: entry.archiveOffset, "\(shown) is not read")
            } else if entry.size > UInt64(files.limits.documentBytes) || entry.size > room {
                issues.add(
                    .oversizedFile, offset: entry.archiveOffset,
                    "\(shown) exceeds the size limit with \(entry.size) bytes")
            } else {
                room -= entry.size
                found.append(entry)
            }
        }
        return found
    }

    /// Reads one document.
    ///
    /// - Parameter bytes: the memory of the last document, which is reused.
    private static func readDocument<Files: ExportFiles>(
        _ files: Files, _ entry: Files.File, path: String, _ bytes: inout [UInt8], _ summary: inout ExportSummary,
        _ consumer: inout some ExportConsumer
    ) throws(ExportError) {
        let size = Int(entry.size)
        // Without this, a longer array would be a copy of the bytes.
        if size > bytes.capacity { bytes.removeAll(keepingCapacity: true) }
        bytes.removeLast(max(0, bytes.count - size))
        bytes.append(contentsOf: repeatElement(0, count: max(0, size - bytes.count)))
        let deflated: [UInt8]?
        do {
            var source = try files.document(entry)
            let got = try source.read(into: &bytes, offset: 0, count: bytes.count)
            let short = got < bytes.count ? "\(ExportFileName.shown(entry.name)) became shorter" : nil
            if let damage = source.damage ?? short {
                summary.issues.add(.damagedFile, offset: entry.archiveOffset, damage)
                return
            }
            deflated = source.deflated
        } catch {
            guard let damage = files.damage(error) else { throw error }
            summary.issues.add(.damagedFile, offset: damage.offset, damage.what)
            return
        }
        try consumer.call { try $0.document(path: path, bytes: bytes, deflated: deflated) }
        summary.documents += 1
    }

    /// Returns the names of some files of an archive or folder without an export.
    private static func describe(_ noun: String, _ entries: [some ExportFile], _ issues: IssueLog) -> String {
        let names = entries.prefix(3).map { ExportFileName.shown($0.name) }.joined(separator: ", ")
        let more = entries.count > 3 ? ", ..." : ""
        let first = issues.listed.first.map { "; \($0.what)" } ?? ""
        let found = entries.isEmpty ? "" : " (\(names)\(more))"
        let count = entries.count == 1 ? "1 file" : "\(entries.count) files"
        let archive = entries.first { $0.fileType == "zip" }.map { ExportFileName.shown($0.name) }
        let advice = archive.map { "; to import \($0), name it instead" } ?? ""
        return "\(noun) of \(count)\(found) without an XML whose root is HealthData\(first)\(advice)"
    }
}
