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
            if let (reason, what) = entry.objection {
                issues.add(reason, offset: entry.offset, "\(what): \(shown(entry.name))")
            } else if entry.size / archive.limits.ratio > entry.packed + 4_096 {
                issues.add(
                    .oversizedFile, offset: entry.offset,
                    "\(shown(entry.name)) would unpack to \(entry.size) bytes from \(entry.packed)")
            } else if !seen.insert(entry.name).inserted {
                issues.add(.damagedFile, offset: entry.offset, "a second file with the name \(shown(entry.name))")
            } else {
                entries.append(entry)
            }
        }
        let exports = try findExports(archive, entries, &issues)
        guard let main = exports.first else { throw .notAnExport(seen: describe(entries, issues)) }
        let names = Set(exports.map(\.name))
        let documents = documents(archive, entries.filter { !names.contains($0.name) }, &issues)
        let total = documents.reduce(main.size) { $0 + $1.size }
        var header = ExportHeader()
        header.kind = .zip
        header.entry = main.name
        let source = try ZipEntrySource(main, in: archive, total: total)
        var summary = try read(source, archive.limits, header, issues, &consumer)
        var done = main.size
        for entry in documents {
            try readDocument(archive, entry, path: path(of: entry, beside: main), &summary, &consumer)
            done += entry.size
            try consumer.call { try $0.progress(bytesRead: done, bytesTotal: total, records: summary.records) }
        }
        return summary
    }

    /// Returns the XML files with the root `HealthData`, found by their content because names are localised. The
    /// largest one is first, and only that one is read.
    private static func findExports(
        _ archive: ZipArchive, _ entries: [ZipEntry], _ issues: inout IssueLog
    ) throws(ExportError) -> [ZipEntry] {
        let bySize = entries.sorted { $0.size > $1.size }
        let xml = bySize.filter { $0.fileType == "xml" }
        let others = bySize.filter { $0.fileType != "xml" && !documentTypes.contains($0.fileType) }
        var found: [ZipEntry] = []
        for entry in xml.prefix(probes) + others.prefix(probes) {
            guard try isExport(archive, entry, &issues) else { continue }
            guard entry.size <= archive.limits.xmlBytes else {
                issues.add(.oversizedFile, offset: entry.offset, "\(shown(entry.name)) exceeds the size limit")
                continue
            }
            if !found.isEmpty {
                issues.add(.secondExport, offset: entry.offset, "a second, smaller export: \(shown(entry.name))")
            }
            found.append(entry)
        }
        return found
    }

    private static func isExport(
        _ archive: ZipArchive, _ entry: ZipEntry, _ issues: inout IssueLog
    ) throws(ExportError) -> Bool {
        do {
            var source = try ZipEntrySource(entry, in: archive)
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
            guard case .damagedArchive(let what, let offset) = error else { throw error }
            issues.add(.damagedFile, offset: offset, what)
            return false
        }
    }

    /// Returns the documents for the consumer; all other files are reported as issues.
    private static func documents(
        _ archive: ZipArchive, _ entries: [ZipEntry], _ issues: inout IssueLog
    ) -> [ZipEntry] {
        var found: [ZipEntry] = []
        var room = archive.limits.allDocumentBytes
        for entry in entries {
            if !documentTypes.contains(entry.fileType) {
                issues.add(.ignoredFile, offset: entry.offset, "\(shown(entry.name)) is not read")
            } else if entry.size > UInt64(archive.limits.documentBytes) || entry.size > room {
                issues.add(
                    .oversizedFile, offset: entry.offset,
                    "\(shown(entry.name)) exceeds the size limit with \(entry.size) bytes")
            } else {
                room -= entry.size
                found.append(entry)
            }
        }
        return found
    }

    private static func readDocument(
        _ archive: ZipArchive, _ entry: ZipEntry, path: String, _ summary: inout ExportSummary,
        _ consumer: inout some ExportConsumer
    ) throws(ExportError) {
        var bytes = [UInt8](repeating: 0, count: Int(entry.size))
        do {
            var source = try ZipEntrySource(entry, in: archive)
            _ = try source.read(into: &bytes, offset: 0, count: bytes.count)
            if let damage = source.damage {
                summary.issues.add(.damagedFile, offset: entry.offset, damage)
                return
            }
        } catch {
            guard case .damagedArchive(let what, let offset) = error else { throw error }
            summary.issues.add(.damagedFile, offset: offset, what)
            return
        }
        try consumer.call { try $0.document(path: path, bytes: bytes) }
        summary.documents += 1
    }

    /// Returns the path in the form of the XML: relative to the folder of the XML, with a leading slash.
    private static func path(of entry: ZipEntry, beside main: ZipEntry) -> String {
        let folder = main.name.dropLast(main.lastName.count)
        return "/" + (entry.name.hasPrefix(folder) ? entry.name.dropFirst(folder.count) : entry.name[...])
    }

    /// Returns a name for a message: shortened, and without control characters.
    private static func shown(_ name: String) -> String {
        String(String.UnicodeScalarView(name.unicodeScalars.prefix(80).map { $0.value < 0x20 ? "?" : $0 }))
    }

    private static func describe(_ entries: [ZipEntry], _ issues: IssueLog) -> String {
        let names = entries.prefix(3).map { shown($0.name) }.joined(separator: ", ")
        let more = entries.count > 3 ? ", ..." : ""
        let first = issues.listed.first.map { "; \($0.what)" } ?? ""
        return
            "a zip archive of \(entries.count) files (\(names)\(more)) without an XML whose root is HealthData\(first)"
    }
}
