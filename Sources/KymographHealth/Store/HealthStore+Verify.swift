// SPDX-License-Identifier: Apache-2.0

import Catalog
import HealthCatalog

/// The result of a check of a whole health store.
public struct HealthVerifyReport: Sendable {
    /// The engine's result: samples, segments, catalog.
    public var engine: VerifyReport
    /// The number of metadata sets read.
    public var metadata = 0
    /// The number of decoded objects: imported elements and saved objects.
    public var objects = 0
    /// The number of locations of routes.
    public var locations = 0
    /// The numbers of the locations, which `engine.samples` includes.
    public var locationNumbers = 0
    /// The number of decompressed documents.
    public var documents = 0
    /// The number of attachments; `engine.attachedFiles` are their files.
    public var attachments = 0
    /// The problems of the health layer's tables.
    public var problems: [String] = []

    /// Whether everything was read and no problem was found.
    public var isSound: Bool { engine.isSound && problems.isEmpty }
    /// Whether damage is proved. A store that is neither sound nor damaged could not be read in full.
    public var isDamaged: Bool { !engine.problems.isEmpty || !problems.isEmpty }
}

extension HealthStore {
    /// Returns the contents of the store and its size on disk.
    ///
    /// - Throws: `engine(.inputOutput)`.
    public func info() throws(HealthStoreError) -> StoreInfo {
        try inEngine { () throws(StoreError) in try engine.info() }
    }

    /// Returns the size of each series on disk, by column and encoding. A series holds the samples of one type, source
    /// and unit; its name is the type's identifier. Reads every block.
    ///
    /// - Throws: `engine(.corrupt)`, `engine(.inputOutput)`.
    public func usage() throws(HealthStoreError) -> [SeriesUsage] {
        try inEngine { () throws(StoreError) in try engine.usage() }
    }

    /// Reads and checks everything: the engine's data, every metadata set, object and document, and that every series
    /// has a row. Damage is reported, not thrown.
    ///
    /// - Throws: `engine(.closed)`; `engine(.inputOutput)` if the catalog cannot be read at all.
    public func verify() throws(HealthStoreError) -> HealthVerifyReport {
        try verify(isCopy: false)
    }

    /// - Parameter isCopy: whether the store is the copy in a backup.
    func verify(isCopy: Bool) throws(HealthStoreError) -> HealthVerifyReport {
        var report = HealthVerifyReport(
            engine: try inEngine { () throws(StoreError) in try engine.verify(isCopy: isCopy) })
        do throws(HealthStoreError) {
            report.problems += try catalog([]) { try HealthCatalog.problems($0) }
            try checkSeries(&report)
            try checkBodies(&report)
            // Unreadable data is reported already.
            if report.isSound {
                try checkQuantities(&report)
                (report.locations, report.locationNumbers) = try locations()
            }
        } catch {
            if error.kind == .engine(.closed) { throw error }
            if case .engine = error.kind {
                report.engine.noteUnread(error.path ?? engine.catalogPath, error.message)
            } else {
                report.problems.append(error.description)
            }
        }
        return report
    }

    private func checkSeries(_ report: inout HealthVerifyReport) throws(HealthStoreError) {
        let view = try uncheckedView()
        report.problems += view.tables.gaps(of: view.snapshot)
    }

    /// Reports the quantities and locations whose series object does not exist.
    private func checkQuantities(_ report: inout HealthVerifyReport) throws(HealthStoreError) {
        for one in try orphanedQuantities(view()) {
            report.problems.append(
                "\(one.count) samples of series \(one.row.series) belong to health object \(one.object), which is not "
                    + "a live series of \(one.type)")
        }
    }

    /// Returns the problem of a body; nil if it is sound.
    private func check(
        _ what: String, _ body: () throws(HealthStoreError) -> Void
    ) throws(HealthStoreError) -> String? {
        do throws(HealthStoreError) {
            try body()
            return nil
        } catch {
            if case .engine = error.kind { throw error }
            return "\(what): \(error)"
        }
    }

    private func checkBodies(_ report: inout HealthVerifyReport) throws(HealthStoreError) {
        let metadata = try catalog((0, [String]())) { transaction in
            var found = (0, [String]())
            try HealthCatalog.eachMetadata(transaction) { row in
                found.0 += 1
                let problem = try check("metadata set \(row.id)") { () throws(HealthStoreError) in
                    _ = try HealthMetadata(decoding: row.body)
                }
                if let problem { found.1.append(problem) }
            }
            return found
        }
        report.metadata = metadata.0
        report.problems += metadata.1
        for kind in ImportedElementKind.allCases {
            let objects = try catalog((0, [String]())) { transaction in
                var found = (0, [String]())
                try HealthCatalog.eachElement(kind: kind.rawValue, transaction) { row in
                    found.0 += 1
                    let problem = try check("object \(row.id)") { () throws(HealthStoreError) in
                        _ = try ObjectExpander.decode(row.body)
                    }
                    if let problem { found.1.append(problem) }
                }
                return found
            }
            report.objects += objects.0
            report.problems += objects.1
        }
        let records = try catalog((0, [String]())) { transaction in
            var found = (0, [String]())
            try HealthCatalog.eachSavedObject(transaction) { row in
                found.0 += 1
                let problem = try check("health object \(row.id)") { () throws(HealthStoreError) in
                    try Self.checkRecord(row.kind, row.body)
                }
                if let problem { found.1.append(problem) }
            }
            return found
        }
        report.objects += records.0
        report.problems += records.1
        report.problems += try sessionProblems()
        try checkAttachments(&report)
        for document in try documents() {
            report.documents += 1
            let problem = try check("document \(document.id)") { () throws(HealthStoreError) in
                let bytes = try documentBytes(document.id)
                if bytes?.count != document.bytes {
                    throw HealthStoreError(.corrupt, "the size is \(bytes?.count ?? 0) bytes, not \(document.bytes)")
                }
            }
            if let problem { report.problems.append(problem) }
        }
    }

    /// Compares the attachments with the attached files and with the objects.
    private func checkAttachments(_ report: inout HealthVerifyReport) throws(HealthStoreError) {
        let found = try catalog((0, [String]())) { transaction in
            let rows = try HealthCatalog.attachments(of: nil, transaction)
            var files = Dictionary(
                try transaction.attachedFiles(isDead: false).map { ($0.uuid, $0) },
                uniquingKeysWith: { first, _ in first })
            var problems = [String]()
            for row in rows {
                let name = "attachment \(SampleIdentity(row.uuid).uuid)"
                if files.removeValue(forKey: row.uuid)?.bytes != row.bytes {
                    problems.append("\(name): no attached file has its identity and length")
                }
                if try HealthCatalog.savedObjects(uuids: [row.object], asOf: .max, transaction).first ?? nil == nil {
                    problems.append("\(name): its object is not in the store")
                }
                let problem = try check(name) { () throws(HealthStoreError) in _ = try HKAttachment(row) }
                if let problem { problems.append(problem) }
            }
            for uuid in files.keys { problems.append("attached file \(SampleIdentity(uuid).uuid) has no attachment") }
            return (rows.count, problems)
        }
        report.attachments = found.0
        report.problems += found.1
    }

    /// Returns the problems of workout sessions in progress.
    private func sessionProblems() throws(HealthStoreError) -> [String] {
        try catalog([String]()) { transaction in
            try HealthCatalog.sessions(transaction).flatMap { row in
                let own = try check("workout session \(row.id)") { () throws(HealthStoreError) in
                    _ = try SessionRecord(row.body)
                }
                let parts = try HealthCatalog.parts(ofSession: row.id, transaction).map { part in
                    try check("a list of workout session \(row.id)") { () throws(HealthStoreError) in
                        _ = try SessionPart(part.body)
                    }
                }
                return ([own] + parts).compactMap(\.self)
            }
        }
    }
}
