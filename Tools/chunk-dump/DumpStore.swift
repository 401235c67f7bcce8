// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import FileSystem

/// The files of a store directory, or an overview of one segment file.
struct StoreImage {
    /// A file and, for a segment, its footer and run directory.
    struct File {
        let name: String
        let path: String
        let bytes: UInt64
        /// Whether it is a segment whose content is encrypted, and there is no key.
        var isClosed = false
        var footer: SegmentFooter?
        var runs: [RunEntry] = []
        var problem: String?
        var isSegment: Bool { name.hasSuffix(".kseg") }
    }

    let path: String
    private let keys: DumpKeys
    private let isDirectory: Bool
    private(set) var files: [File] = []
    private(set) var catalog: CatalogReport?

    /// Reads a directory. Throws if it cannot be listed, or contains neither a catalog nor segments.
    init(path: String, _ keys: DumpKeys) throws(DumpFailure) {
        self.path = path
        self.keys = keys
        isDirectory = true
        do throws(DiskError) { try collect(path, under: "", depth: 0) } catch { throw DumpFailure(error) }
        let hasCatalog = files.contains { $0.name == CatalogReport.fileName }
        guard hasCatalog || files.contains(where: \.isSegment) else {
            throw DumpFailure(message: "\(path): not a store; found neither \(CatalogReport.fileName) nor a segment")
        }
        if hasCatalog { catalog = try CatalogReport(store: path, keys) }
    }

    /// Reads one segment file.
    init(file: String, _ keys: DumpKeys) throws(DumpFailure) {
        path = file
        self.keys = keys
        isDirectory = false
        do throws(DiskError) {
            let size = try RealDisk().size(of: file)
            files = [try look(File(name: file, path: file, bytes: size))]
        } catch {
            throw DumpFailure(error)
        }
        // A damaged magic number is damage; a file without any intact unit is not a segment.
        if files[0].problem != nil { _ = try SegmentImage(path: file, keys: keys) }
    }

    private mutating func collect(_ directory: String, under prefix: String, depth: Int) throws(DiskError) {
        let disk = RealDisk()
        for name in try disk.list(directory) {
            let path = directory + "/" + name
            switch try disk.kind(of: path) {
            case .directory where depth < 3: try collect(path, under: prefix + name + "/", depth: depth + 1)
            case .file:
                var file = File(name: prefix + name, path: path, bytes: try disk.size(of: path))
                if file.isSegment { file = try look(file) }
                files.append(file)
            default: break
            }
        }
    }

    /// Reads header, footer and directory of a segment, but not blocks and index.
    ///
    /// - Throws: if the segment is unreadable for a reason other than damage.
    private func look(_ file: File) throws(DiskError) -> File {
        var file = file
        do {
            let disk = try RealDisk().open(file.path, writable: false)
            var bytes: [UInt8] = []
            func read(_ at: UInt64, _ count: Int) throws -> [UInt8] {
                let got = try disk.read(at: at, count: count, into: &bytes, offset: 0)
                return Array(bytes.prefix(got))
            }
            let header = try SegmentHeader.decode(
                read(0, SegmentHeader.encryptedSize), latest: SegmentFormat.encryptedVersion)
            if header.encryption != nil, keys.ring == nil {
                file.isClosed = true
                return file
            }
            let isMisplaced = header.encryption == nil && keys.image != nil
            if isMisplaced { file.problem = "\(FormatError(.forged, at: 8, "a plain segment in an encrypted store"))" }
            let key = isMisplaced ? nil : try SegmentKey.of(header, keys: keys.ring)
            let length = UInt64(header.footerLength)
            let tail = file.bytes >= length ? file.bytes - length : 0
            let footer = try SegmentFooter.decode(
                read(tail, header.footerLength), fileLength: file.bytes, header: header, key: key)
            file.footer = footer
            file.runs = try RunDirectory.decode(
                read(footer.directoryOffset, Int(footer.directoryLength)), header: header, footer: footer, key: key)
        } catch {
            if let error = error as? DiskError, !error.isDamage, !error.isMissing { throw error }
            file.problem = "\(error)"
        }
        return file
    }

    // MARK: output

    /// Dumps level 0; returns true if nothing is corrupt.
    func dump(json: Bool, verify: Bool, _ output: Output) throws(DumpFailure) -> Bool {
        let verdicts = (catalog?.disagreements(with: files) ?? []) + (verify ? try verification() : [])
        let isSound = files.allSatisfy { $0.problem == nil } && catalog?.problem == nil && keysAreSound
        if json {
            guard case .object(var fields) = self.json else { return false }
            fields.append(("problems", .array(verdicts.map { .string($0) })))
            if verify { fields.append(("verifiedContent", .bool(!isClosed))) }
            try output.put(.object(fields))
        } else {
            try text(output)
            for verdict in verdicts { try output.alarm("problem: \(verdict)") }
            if verify, isClosed { try output.line("verification: only checksums, without the key") }
            if verify, verdicts.isEmpty, !isClosed { try output.line("verification: no differences") }
        }
        return verdicts.isEmpty && isSound
    }

    /// Returns the problems inside the segments, after verifying every unit and summary.
    /// Whether contents were encrypted, and not read.
    private var isClosed: Bool { files.contains(where: \.isClosed) || catalog?.isClosed == true }

    /// False if the keys of the store are damaged or forged; the keys of a single file are not verified.
    private var keysAreSound: Bool { !isDirectory || keys.problems.isEmpty }

    private func verification() throws(DumpFailure) -> [String] {
        var found: [String] = []
        for file in files where file.isSegment || files.count == 1 {
            do throws(DumpFailure) {
                let image = try SegmentImage(path: file.path, keys: keys)
                found += (image.problems + Verification(image).findings).map { "\(file.name): \($0)" }
            } catch {
                if error.isRefusal { throw error }
                found.append(error.message)
            }
        }
        for image in catalog?.tail ?? [] { found += image.problems }
        return found + (try catalog?.damagedPages(keys) ?? [])
    }

    private func text(_ output: Output) throws(DumpFailure) {
        let total = files.reduce(0) { $0 + $1.bytes }
        try output.line("\(path): \(Text.count(files.count, "file")), \(Text.count(total, "byte"))")
        var segments = Table(
            ["segment", "bytes", "runs", "blocks", "samples", "bytes/sample", "from", "to"], left: [0])
        var others = Table(["file", "bytes"], left: [0])
        for file in files {
            guard file.isSegment || files.count == 1 else {
                others.add([file.name, Text.grouped(file.bytes)])
                continue
            }
            guard let footer = file.footer, file.problem == nil else {
                let what = file.isClosed ? "encrypted" : file.problem ?? ""
                segments.add([file.name, Text.grouped(file.bytes), "-", "-", "-", "-", what])
                continue
            }
            segments.add([
                file.name, Text.grouped(file.bytes), Text.grouped(footer.runs), Text.grouped(footer.blocks),
                Text.grouped(footer.samples),
                Text.ratio(Int(clamping: file.bytes), Int(clamping: footer.samples), 3), Text.instant(footer.minStart),
                Text.instant(footer.maxEnd),
            ])
        }
        try output.put(others)
        try output.put(segments)
        try keys.write(output)
        if isClosed { try output.line("the content is encrypted: \(keys.advice)") }
        if let catalog {
            try catalog.write(output)
            for name in catalog.unnamed(files) { try output.line("note: \(name) is not in the catalog") }
        }
        for file in files { if let problem = file.problem { try output.alarm("problem: \(file.name): \(problem)") } }
    }

    private var json: JSON {
        let list = files.map { file in
            var fields: [(String, JSON)] = [("name", .string(file.name)), ("bytes", .unsigned(file.bytes))]
            if let footer = file.footer {
                fields += [
                    ("runs", .int(Int(footer.runs))), ("blocks", .unsigned(footer.blocks)),
                    ("samples", .unsigned(footer.samples)), ("minStart", .integer(footer.minStart)),
                    ("maxEnd", .integer(footer.maxEnd)), ("checksum", .string(Text.hex(footer.checksum))),
                    ("series", .array(file.runs.map { .unsigned($0.series) })),
                ]
            }
            if file.isClosed { fields.append(("encrypted", .bool(true))) }
            if let problem = file.problem { fields.append(("problem", .string(problem))) }
            return JSON.object(fields)
        }
        var fields: [(String, JSON)] = [("path", .string(path)), ("level", .int(0)), ("files", .array(list))]
        if let keys = keys.json { fields.append(("keys", keys)) }
        if let catalog { fields.append(("catalog", catalog.json)) }
        return .object(fields)
    }

    // MARK: all segments

    /// Dumps levels 1 to 4 of every segment and, from level 2, of every tail row; returns true if nothing is corrupt.
    func dumpSegments(
        _ level: Int, json: Bool, verify: Bool, _ selection: Selection, _ output: Output
    ) throws(DumpFailure) -> Bool {
        if selection.block != nil {
            throw DumpFailure(message: "--block needs one segment file; block numbers repeat in every segment")
        }
        var isSound = true
        for file in files where file.isSegment && output.isOpen {
            do throws(DumpFailure) {
                let image = try SegmentImage(path: file.path, keys: keys)
                let sound = try image.dump(level, json: json, verify: verify, selection, output)
                isSound = isSound && sound
            } catch {
                if error.isRefusal { throw error }
                try output.line("\(error.message)")
                isSound = false
            }
        }
        if level > 1 {
            for image in catalog?.tail ?? [] where output.isOpen {
                if !json { try output.line(image.path) }
                let sound = try image.dump(level, json: json, verify: verify, selection, output)
                isSound = isSound && sound
            }
        }
        if !json { for problem in keys.problems { try output.alarm("problem: \(problem)") } }
        return isSound && keysAreSound && catalog?.problem == nil
            && catalog?.disagreements(with: files).isEmpty ?? true
    }
}
