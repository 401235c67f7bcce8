// SPDX-License-Identifier: Apache-2.0

import Catalog
import HealthCatalog

/// The result of a repair: kept and lost data.
public struct HealthRepairReport: Sendable {
    /// A lost item other than a sample.
    public struct Loss: Sendable, Hashable {
        /// The item, and the damage.
        public var message: String
        /// The time of the item, if known.
        public var range: TimeRange?
    }

    /// The engine's report: samples, segments, names of series and the tail.
    public var engine: RepairReport
    /// Metadata sets kept.
    public var metadata = 0
    /// Objects kept: imported elements and saved objects, counted like those of `HealthVerifyReport`.
    public var objects = 0
    /// Documents kept.
    public var documents = 0
    /// Attachments kept.
    public var attachments = 0
    /// Sources kept.
    public var sources = 0
    /// Losses other than samples.
    public var losses: [Loss] = []
    /// Corrections without a loss.
    public var remarks: [String] = []

    /// Whether nothing was lost.
    public var isComplete: Bool { engine.isComplete && losses.isEmpty }
}

extension HealthStore {
    /// Creates a new store with all sound data of a damaged one, which is not changed. Keeps everything that
    /// `TimeSeriesStore.repair` keeps, and every readable source, device, metadata set, object, document,
    /// characteristic and import log entry.
    ///
    /// - Parameters:
    ///   - path: the damaged store. No process should be writing it.
    ///   - target: an empty or missing directory. It is no store until the repair is complete.
    /// - Throws: the errors of `TimeSeriesStore.repair`.
    @discardableResult
    public static func repair(
        from path: String, to target: String, options: StoreOptions = StoreOptions()
    ) throws(HealthStoreError) -> HealthRepairReport {
        var found = SalvagedHealth()
        var failure: HealthStoreError?
        let engine: RepairReport
        do throws(StoreError) {
            engine = try TimeSeriesStore.repair(from: path, to: target, options: options) {
                (isComplete, open) throws(StoreError) in
                if isComplete, found.losses.isEmpty, found.remarks.isEmpty { return }
                failure = try restoreSeries(open(), &found)
                // The caller receives `failure` instead of this error.
                if failure != nil { throw StoreError(.inputOutput, "lost series cannot be restored", path: target) }
            } extra: { old, new in
                found = try salvagedTables(old, new)
            }
        } catch {
            throw failure ?? HealthStoreError(error)
        }
        var report = HealthRepairReport(engine: engine)
        report.metadata = found.rows["metadata"] ?? 0
        report.objects = (found.rows["object"] ?? 0) + (found.rows["health_object"] ?? 0)
        report.documents = found.rows["document"] ?? 0
        report.attachments = found.rows["attachment"] ?? 0
        report.sources = found.rows["source"] ?? 0
        report.remarks = found.remarks
        report.losses = found.losses.map { loss in
            let range = loss.start.map { TimeRange($0, max(loss.end ?? $0, $0 &+ 1)) }
            return HealthRepairReport.Loss(message: loss.what, range: range)
        }
        return report
    }

    /// Copies the readable rows of the health tables into a new catalog.
    static func salvagedTables(_ old: RepairContext, _ new: CatalogTransaction) throws -> SalvagedHealth {
        guard let catalog = old.catalog else { return SalvagedHealth() }
        let tests = HealthSalvage.Tests(
            isMetadata: { (try? HealthMetadata(decoding: $0)) != nil },
            isBody: { body, bytes in
                guard let plain = try? ObjectExpander.decode(body) else { return false }
                return bytes.map { $0 == Int64(plain.count) } ?? true
            }, isRecord: isRecord, isSession: { (try? SessionRecord($0)) != nil },
            isSessionPart: { (try? SessionPart($0)) != nil }, isAttachment: { (try? HKAttachment($0)) != nil })
        let salvage = HealthSalvage(catalog, into: new, tests, files: old.attachedFiles, placeholder: lostMetadata)
        return try salvage.run(old.series, highestMetadata: old.highestMetadata, provenances: old.provenances)
    }

    /// Decodes the body of a saved object, as every search of its type requires. A body of an unknown kind is only
    /// decompressed.
    static func checkRecord(_ kind: Int64, _ body: [UInt8]) throws(HealthStoreError) {
        switch SavedObjectKind(rawValue: kind) {
        case .correlation: _ = try CorrelationRecord.members(body)
        case .quantitySeries: _ = try QuantitySeriesRecord(body)
        case .heartbeatSeries: _ = try HeartbeatRecord(body)
        case .electrocardiogram: _ = try ElectrocardiogramRecord(body)
        case .workout: _ = try WorkoutRecord(body)
        case .workoutRoute: _ = try RouteRecord(body)
        case .effort: _ = try EffortRecord(body)
        case .fields: _ = try FieldsRecord(body)
        case nil: _ = try ObjectExpander.decode(body)
        }
    }

    private static func isRecord(_ kind: Int64, _ body: [UInt8]) -> Bool {
        do throws(HealthStoreError) {
            try checkRecord(kind, body)
            return true
        } catch {
            return false
        }
    }

    /// Restores lost series objects from their quantities, so that no quantity is orphaned. Returns the error, or nil.
    private static func restoreSeries(_ engine: TimeSeriesStore, _ found: inout SalvagedHealth) -> HealthStoreError? {
        do throws(HealthStoreError) {
            let count = try HealthStore(engine).restoreSeries()
            if count > 0 {
                found.remarks.append(
                    "\(count) lost series were restored from their quantities, without their metadata")
            }
            return nil
        } catch {
            return error
        }
    }

    /// Returns the placeholder for a lost metadata set: the key `KymographLostMetadata`, and the lost row's number as
    /// the value.
    private static func lostMetadata(_ id: Int64) -> [UInt8] {
        let text = Array("KymographLostMetadata\(id)".utf8)
        var writer = MetadataWriter()
        writer.begin()
        writer.entry(text, key: 0..<21, value: 21..<text.count)
        return writer.bytes
    }

    /// Checks a store in any state. For a store that cannot be opened, returns what a repair would report about its
    /// samples. For a backup, also checks the list of its files.
    ///
    /// - Parameters:
    ///   - path: the directory of the store or the backup.
    ///   - keys: the file of exported keys, for a backup that was made without its keys.
    /// - Throws: the errors of `TimeSeriesStore.verify(at:)` and `TimeSeriesStore.verifyBackup(at:keys:options:)`;
    ///   `invalidArgument` for a store if `keys` is given.
    public static func verify(
        at path: String, keys: String? = nil, options: StoreOptions = StoreOptions()
    ) throws(HealthStoreError) -> HealthVerifyReport {
        let opened: Result<TimeSeriesStore, StoreError> = Result { () throws(StoreError) in
            try TimeSeriesStore.open(at: path, mode: .readOnly, options: options)
        }
        switch opened {
        case .success(let engine):
            defer { engine.close() }
            guard keys == nil else {
                let message = "this is a store, with its own keys; exported keys are for a backup made without them"
                throw HealthStoreError(StoreError(.invalidArgument, message, path: path))
            }
            return try HealthStore(engine).verify()
        case .failure(let error) where error.kind == .isBackup:
            return try verifyBackup(at: path, keys, error, options)
        case .failure(let error) where !error.mayBeDamage:
            throw HealthStoreError(error)
        case .failure(let error):
            return HealthVerifyReport(
                engine: try inEngine { () throws(StoreError) in try TimeSeriesStore.examine(path, options, error) })
        }
    }

    /// - Parameter error: the error of the attempt to open it as a store.
    private static func verifyBackup(
        at path: String, _ keys: String?, _ error: StoreError, _ options: StoreOptions
    ) throws(HealthStoreError) -> HealthVerifyReport {
        guard var check = try inEngine({ () throws(StoreError) in try BackupCheck(path, options) }) else {
            throw HealthStoreError(error)
        }
        guard let copy = try inEngine({ () throws(StoreError) in try check.open(keys: keys) }) else {
            return HealthVerifyReport(engine: try inEngine { () throws(StoreError) in try check.finish(nil) })
        }
        defer { copy.close() }
        var report = try HealthStore(copy).verify(isCopy: true)
        report.engine = try inEngine { () throws(StoreError) in try check.finish(report.engine) }
        return report
    }
}
