// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat
import Cipher
import FileSystem
import Kernels
import Synchronization
import TimeIndex

/// One check of an open store: the catalog, the witness, every segment, and the tail.
struct StoreCheck {
    private let context: StoreContext
    private let access: CatalogAccess

    init(_ context: StoreContext, _ access: CatalogAccess) {
        self.context = context
        self.access = access
    }

    /// Reads everything. See `TimeSeriesStore.verify()`.
    ///
    /// - Parameter isCopy: whether it is the copy of a backup: it has no witness, an interrupted later backup may have
    ///   left files that no commit names, and the check of the backup checks who may write.
    func run(isCopy: Bool) throws(StoreError) -> VerifyReport {
        try context.requireOwnProcess()
        var report = VerifyReport()
        let version = context.version
        let problems = try access.withCatalog { catalog throws(CatalogError) in try catalog.integrityProblems() }
        for problem in problems {
            report.problems.append(.init(path: problem.path, offset: problem.offset, message: problem.message))
        }
        if !isCopy {
            report.checkAccess(to: context.layout.root, context.disk)
            try checkKeys(&report)
            try checkWitness(version, &report)
            try checkOrphans(version, &report)
        }
        for file in version.segments.values.sorted(by: { $0.row.id < $1.row.id }) { Self.check(file, &report) }
        try checkTail(&report)
        try checkAttachedFiles(isCopy: isCopy, &report)
        if report.isSound { try checkTombstones(version, &report) }
        report.nameSeries { version.series[$0.rawValue]?.name }
        return report
    }

    /// The last commit of the catalog now.
    private func lastCommit() throws(StoreError) -> Int64 {
        try access.withCatalog { catalog throws(CatalogError) in try catalog.load(tailAfter: .max) }.seq
    }

    /// Checks that both copies of the keys of an encrypted store are sound and equal.
    private func checkKeys(_ report: inout VerifyReport) throws(StoreError) {
        guard context.options.keys != nil else { return }
        let files = KeysFiles(context.disk, context.layout.root)
        let found: KeysFiles.Found?
        do throws(StoreError) { found = try inCipher { () throws(CipherError) in try files.read() } } catch {
            return report.note(error, path: context.layout.keys)
        }
        for name in found?.outdated ?? [KeysFiles.first, KeysFiles.second] {
            report.problems.append(
                .init(
                    path: context.layout.root + "/" + name,
                    message: "this copy of the keys is missing, damaged or older; opening for writing mends it"))
        }
    }

    /// Checks that the witness can be read, and that the catalog has its last commit.
    private func checkWitness(_ version: Version, _ report: inout VerifyReport) throws(StoreError) {
        var message: String?
        var isRemark = false
        // A witness that is being written is whole the next time.
        for _ in 0..<3 {
            message = nil
            let said = try Witness.statement(context.layout, context.options)
            isRemark = said.isCut
            switch said.testimony(for: context.storeID) {
            case .none:
                if version.seq == 0 { break }
                isRemark = true
                message =
                    "the witness is missing, so nothing shows whether the catalog lost its last commits; opening "
                    + "for writing makes one"
            case .forged: throw Witness.Statement.forgery(context.layout)
            case .unreadable:
                message =
                    said.isCut
                    ? "the witness is empty or cut, as a power cut may leave it, so nothing shows whether the "
                        + "catalog lost its last commits; opening for writing mends it"
                    : "the witness cannot be read; opening for writing mends it"
            case .commit(let seq, let isWhole):
                if !isWhole {
                    message =
                        said.isCut
                        ? "the witness is cut, as a power cut may leave it; opening for writing mends it"
                        : "one copy of the witness is damaged; opening for writing mends it"
                }
                // A writer in another process may have committed meanwhile.
                if seq <= version.seq { break }
                let now = try lastCommit()
                if seq > now {
                    isRemark = false
                    message = "commit \(seq) was acknowledged, but the catalog knows only \(now)"
                }
            }
            if message == nil { return }
        }
        guard let message else { return }
        if isRemark { return report.remarks.append("\(context.layout.witness): \(message)") }
        report.problems.append(.init(path: context.layout.witness, message: message))
    }

    /// Lists files that no commit names: of a load under way, or of a load that ended with its process.
    private func checkOrphans(_ version: Version, _ report: inout VerifyReport) throws(StoreError) {
        let named = Set(version.segments.values.map(\.path) + version.retired.map { context.layout.segment($0.uuid) })
        let names = try onDisk { () throws(DiskError) in
            try context.disk.kind(of: context.layout.segments) == .directory
                ? context.disk.list(context.layout.segments) : []
        }
        for path in names.map({ context.layout.segments + "/" + $0 }) where !named.contains(path) {
            let header: SegmentHeader?
            do throws(StoreError) {
                header = try onDisk { () throws(DiskError) in try SegmentHeader.ofFile(path, context.disk) }
            } catch {
                report.note(error, path: path)
                continue
            }
            if let header, try isBehind(header) {
                report.problems.append(
                    .init(
                        path: path,
                        message:
                            "the segment was begun after a later commit than the catalog knows: that is an older one"))
                continue
            }
            report.remarks.append(
                "\(path) is named by no commit; the next opening for writing removes segments that are")
        }
    }

    /// Whether a segment was begun after a commit that the catalog does not know, now that the segment is there.
    private func isBehind(_ header: SegmentHeader) throws(StoreError) -> Bool {
        guard header.isLater(than: context.snapshot().sequence, of: context.storeID) else { return false }
        let now = try lastCommit()
        return header.isLater(than: now, of: context.storeID)
    }

    /// Checks one segment, and its runs as the catalog describes them.
    static func check(_ file: SegmentFile, _ report: inout VerifyReport) {
        let runs = file.runs
        report.segments += 1
        report.bytes += file.row.bytes
        var check = RunCheck(report)
        defer { report = check.report }
        do throws(StoreError) {
            _ = try file.mapped()
        } catch {
            for run in runs { check.lose(run, error) }
            return
        }
        for run in runs { check.check(run) }
        report = check.report
        do throws(StoreError) {
            try Self.check(directory: file.directory(), of: file, runs, &report)
        } catch {
            report.note(error, path: file.path)
        }
        check = RunCheck(report)
    }

    /// Compares the segment's own list of runs with the catalog's.
    private static func check(
        directory: [RunEntry], of file: SegmentFile, _ runs: [RunIndex], _ report: inout VerifyReport
    ) {
        if directory.count != runs.count {
            report.problems.append(
                .init(
                    path: file.path,
                    message: "the segment lists \(directory.count) series where the catalog says \(runs.count)"))
        }
        let entries = Dictionary(directory.map { ($0.series, $0) }) { first, _ in first }
        for run in runs where !(entries[UInt64(run.series)]?.agrees(with: run) ?? false) {
            report.problems.append(
                .init(
                    path: file.path, series: SeriesID(rawValue: run.series), range: TimeRange(of: run.summary),
                    message: "the segment's list of runs does not agree with the catalog"))
        }
    }

    /// Counts what each tombstone hides. Only where all blocks can be read.
    private func checkTombstones(_ version: Version, _ report: inout VerifyReport) throws(StoreError) {
        let scratch = QueryScratch(nil)
        for (series, tombstones) in version.tombstones.sorted(by: { $0.key < $1.key }) {
            var counter = TombstoneCounter(tombstones)
            for run in version.runs[series] { try counter.take(run, scratch) }
            for (said, found) in zip(tombstones.all, counter.counted.all) where said.count != found.count {
                report.problems.append(
                    .init(
                        path: context.layout.catalog, series: SeriesID(rawValue: series), range: said.range,
                        message:
                            "tombstone \(said.id) hides \(found.count) samples where the catalog says \(said.count)"))
            }
        }
    }

    /// Verifies every unit of every attached file, and lists files that no row names.
    private func checkAttachedFiles(isCopy: Bool, _ report: inout VerifyReport) throws(StoreError) {
        let files = AttachedFiles(context.layout, context.access)
        let rows: [AttachedFileRow]
        do throws(StoreError) {
            rows = try access.read { try $0.attachedFiles() }
        } catch {
            if error.kind == .closed { throw error }
            return report.note(error, path: context.layout.catalog)
        }
        for row in rows where row.died == nil {
            let path = context.layout.attachedFile(row.uuid)
            report.attachedFiles += 1
            report.bytes += Int64(clamping: row.fileBytes(isEncrypted: context.options.keys != nil))
            do throws(StoreError) {
                try files.check(row, at: path, store: context.storeID)
            } catch {
                // Another process may have retired and deleted the file meanwhile.
                if try access.read({ try $0.attachedFile(row.uuid) }) != nil { report.note(error, path: path) }
            }
        }
        if isCopy { return }
        let named = Set(rows.map { StoreLayout.attachedName($0.uuid) })
        for name in try files.names() where !named.contains(name) {
            report.remarks.append(
                "\(context.layout.attached)/\(name) is named by no commit; the next opening for writing removes such "
                    + "files")
        }
    }

    /// Reads the whole tail again from the disk and decodes it.
    private func checkTail(_ report: inout VerifyReport) throws(StoreError) {
        let rows: [TailRow]
        do throws(StoreError) {
            rows = try access.withCatalog { catalog throws(CatalogError) in try catalog.load() }.tail
        } catch {
            if error.kind == .closed { throw error }
            return report.note(error, path: context.layout.catalog)
        }
        for row in rows {
            report.bytes += Int64(row.body.count)
            let salvaged = TailSalvage(row, store: context.storeID, path: context.layout.catalog)
            report.blocks += salvaged.blocks
            report.samples += salvaged.samples
            for loss in salvaged.losses { report.problems.append(loss.problem) }
        }
    }
}

extension RunEntry {
    /// Whether the catalog says the same of a run as the segment itself.
    func agrees(with run: RunIndex) -> Bool {
        rootOffset == run.root.offset && rootLength == run.root.length && levels == run.levels
            && Int64(blocks) == run.blocks && summary.agrees(with: run.summary)
    }
}

extension VerifyReport {
    /// The remark on the directory of a store or a backup in which users outside its group may replace files.
    package static func accessRemark(_ path: String) -> String {
        "\(path): other users may replace files in this directory; \"chmod o-rwx\" keeps them out"
    }

    /// Adds a remark for the group and one for all others, if they may replace files in a directory.
    mutating func checkAccess(to path: String, _ disk: any Disk) {
        do throws(DiskError) {
            let access = try disk.access(to: path)
            if access.isWritableByOthers { remarks.append(Self.accessRemark(path)) }
            if access.isWritableByGroup {
                remarks.append(
                    "\(path): members of the directory's group may replace files in it; if the group is not meant to "
                        + "share it, \"chmod g-rwx\" keeps them out")
            }
        } catch {
            note(StoreError(error), path: path)
        }
    }
}
