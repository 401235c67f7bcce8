// SPDX-License-Identifier: Apache-2.0

import Bytes
import Catalog
import ChunkFormat
import Cipher
import FileSystem

/// A check of the checksums of an encrypted store without its key. It finds all damage that the check with the key
/// finds, but no forgery, and it cannot compare the files with each other.
struct KeylessCheck {
    private let layout: StoreLayout
    private let options: StoreOptions
    private let store: [UInt8]
    private var disk: any Disk { options.disk }
    private var report = VerifyReport()

    /// - Throws: `notEncrypted`, `corrupt` if both copies of the keys are damaged or missing, `inputOutput`.
    init(_ layout: StoreLayout, _ options: StoreOptions) throws(StoreError) {
        self.layout = layout
        self.options = options
        let disk = options.disk
        guard let found = try inCipher({ () throws(CipherError) in try KeysFiles(disk, layout.root).read() }) else {
            if try StoreKeys.hasEncryptedFiles(layout, options) { throw StoreKeys.missingKeys(layout) }
            throw Self.notEncrypted("store", layout.root)
        }
        store = found.image.store.bytes
        for name in found.outdated {
            report.problems.append(
                .init(
                    path: layout.root + "/" + name,
                    message: "this copy of the keys is missing, damaged or older; opening for writing mends it"))
        }
    }

    static func notEncrypted(_ what: String, _ path: String) -> StoreError {
        StoreError(.notEncrypted, "the \(what) is not encrypted; verify it without this option", path: path)
    }

    mutating func run() throws(StoreError) -> VerifyReport {
        report.checkAccess(to: layout.root, disk)
        try checkWitness()
        try checkCatalog()
        try forEach(layout.segments, ".kseg") { check, path throws(StoreError) in try check.checkSegment(path) }
        try forEach(layout.attached, ".kfile") { check, path throws(StoreError) in try check.checkAttached(path) }
        return report
    }

    private mutating func lose(_ path: String, _ offset: UInt64?, _ message: String) {
        report.problems.append(.init(path: path, offset: offset, message: message))
    }

    private mutating func checkWitness() throws(StoreError) {
        let (path, disk) = (layout.witness, disk)
        let said = try onDisk { () throws(DiskError) in try Witness.read(path, disk: disk) }
        let testimony = said.testimony(for: store)
        if case .commit(_, true) = testimony { return }
        if testimony == .none || said.isCut {
            report.remarks.append("\(path): the witness is missing or cut; opening for writing mends it")
        } else {
            lose(path, nil, "the witness, or one copy of it, is damaged; opening for writing mends it")
        }
    }

    private mutating func checkCatalog() throws(StoreError) {
        let (path, vfs, id) = (layout.catalog, options.catalogVFS, store)
        let found = try inCatalog { () throws(CatalogError) in
            try CatalogDatabase.damagedPages(at: path, vfs: vfs, storeID: id)
        }
        for problem in found { lose(problem.path, problem.offset, problem.message) }
    }

    /// Checks the files of a directory with an ending. A file that disappears meanwhile is skipped.
    private mutating func forEach(
        _ directory: String, _ ending: String, _ body: (inout KeylessCheck, String) throws(StoreError) -> Void
    ) throws(StoreError) {
        let disk = disk
        let names = try onDisk { () throws(DiskError) in
            try disk.kind(of: directory) == .directory ? disk.list(directory) : []
        }
        for name in names.sorted() where name.hasSuffix(ending) {
            let path = directory + "/" + name
            do throws(StoreError) { try body(&self, path) } catch {
                if (try? disk.exists(path)) == false { continue }
                report.note(error, path: path)
            }
        }
    }

    private func bytes(_ path: String) throws(StoreError) -> [UInt8] {
        let most = SegmentSalvage.bound(options)
        return try onDisk { () throws(DiskError) in try disk.contents(of: path, limit: Int(clamping: most)) }
    }

    private mutating func checkSegment(_ path: String) throws(StoreError) {
        let bytes = try bytes(path)
        report.segments += 1
        report.bytes += Int64(bytes.count)
        let header = try inFormat(path) { () throws(FormatError) in
            try SegmentHeader.decode(
                Array(bytes.prefix(SegmentHeader.encryptedSize)), latest: SegmentFormat.encryptedVersion)
        }
        guard header.encryption != nil, header.store == store else {
            return lose(path, 0, "a plain segment, or that of another store, in an encrypted store")
        }
        var scanner = UnitScanner(bytes, header: header)
        var last: FoundUnit?
        while let unit = scanner.next() {
            if unit.kind == .block { report.blocks += 1 }
            last = unit
        }
        for hole in scanner.damage { lose(path, UInt64(hole.lowerBound), "\(hole.count) bytes are damaged") }
        if scanner.damage.isEmpty, last?.kind != .footer { lose(path, UInt64(bytes.count), "the file ends early") }
    }

    private mutating func checkAttached(_ path: String) throws(StoreError) {
        let bytes = try bytes(path)
        report.attachedFiles += 1
        report.bytes += Int64(bytes.count)
        let layout = AttachedLayout(isEncrypted: true)
        let name = path.split(separator: "/").last.map { String($0) } ?? ""
        guard let uuid = StoreLayout.uuid(ofAttached: name),
            let content = layout.content(fileBytes: UInt64(bytes.count))
        else { return lose(path, nil, "no attached file has this name and length") }
        let store = store
        try inFormat(path) { () throws(FormatError) in
            _ = try AttachedHeader(Array(bytes.prefix(AttachedHeader.size)))
            var codec = AttachedUnit(store: store, file: uuid)
            let count = AttachedLayout.count(content: content)
            for number in 0..<count {
                let start = layout.headerBytes + Int(number) * layout.unitBytes
                let range = start..<min(bytes.count, start + layout.unitBytes)
                try codec.verifyEncrypted(bytes, range, number: UInt64(number), isLast: number == count - 1)
            }
        }
    }
}

extension TimeSeriesStore {
    /// Verifies all checksums of an encrypted store or backup without its key, as a keeper of copies can. Finds
    /// all damage, but no forgery; the contents of the files are not compared.
    ///
    /// - Parameters:
    ///   - path: the directory of the store or the backup.
    ///   - options: options without a key; a key is not used.
    /// - Throws: `notAStore`, `notEncrypted`, `corrupt` if both copies of the keys are damaged or missing,
    ///   `inputOutput`.
    /// - Complexity: O(bytes); memory of one segment.
    public static func verifyWithoutKey(
        at path: String, options: StoreOptions = StoreOptions()
    ) throws(StoreError) -> VerifyReport {
        if var backup = try BackupCheck(path, options) {
            if backup.isEncrypted == false { throw KeylessCheck.notEncrypted("backup", path) }
            return try backup.finish(nil)
        }
        let layout = StoreLayout(root: path, catalog: options.catalogPath)
        guard try onDisk({ () throws(DiskError) in try options.disk.exists(layout.catalog) }) else {
            throw StoreError(.notAStore, "there is no store here; name another one", path: path)
        }
        var check = try KeylessCheck(layout, options)
        return try check.run()
    }
}
