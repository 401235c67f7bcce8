// SPDX-License-Identifier: Apache-2.0

import Catalog
import HealthCatalog

/// What a repair of a health store kept, and what it could not.
public struct HealthRepairReport: Sendable {
    /// Something that was no sample, of which nothing is left.
    public struct Loss: Sendable, Hashable {
        /// What it was, and what is wrong with it.
        public var message: String
        /// When it was, where that is known.
        public var range: TimeRange?
    }

    /// What became of samples, segments, names of series and the tail.
    public var engine: RepairReport
    /// Metadata sets kept.
    public var metadata = 0
    /// Objects kept: of exports, and those with identities of their own, as `HealthVerifyReport` counts them.
    public var objects = 0
    /// Documents kept.
    public var documents = 0
    /// Sources kept.
    public var sources = 0
    /// What is lost beside samples.
    public var losses: [Loss] = []
    /// What was put right without a loss.
    public var remarks: [String] = []

    /// Whether nothing was lost.
    public var isComplete: Bool { engine.isComplete && losses.isEmpty }
}

extension HealthStore {
    /// Makes a new store of everything that is sound in another one, which may be damaged in any way and is not
    /// changed: what `TimeSeriesStore.repair` keeps, and sources, devices, metadata, objects, documents,
    /// characteristics and the log of imports, as far as their rows can be read.
    ///
    /// - Parameters:
    ///   - path: the damaged store, which nobody should be writing.
    ///   - target: a directory that is empty or not there; no store before the repair is complete.
    /// - Throws: as `TimeSeriesStore.repair`.
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
                // Which one it was the caller is told.
                if failure != nil { throw StoreError(.inputOutput, "lost series cannot be made anew", path: target) }
            } extra: { old, new in
                guard let catalog = old.catalog else { return }
                let salvage = HealthSalvage(
                    catalog, into: new, isMetadata: { (try? HealthMetadata(decoding: $0)) != nil },
                    isBody: { body, bytes in
                        guard let plain = try? ObjectExpander.decode(body) else { return false }
                        return bytes.map { $0 == Int64(plain.count) } ?? true
                    }, isRecord: isRecord, placeholder: lostMetadata)
                found = try salvage.run(
                    old.series, highestMetadata: old.highestMetadata, provenances: old.provenances)
            }
        } catch {
            throw failure ?? HealthStoreError(error)
        }
        var report = HealthRepairReport(engine: engine)
        report.metadata = found.rows["metadata"] ?? 0
        report.objects = (found.rows["object"] ?? 0) + (found.rows["health_object"] ?? 0)
        report.documents = found.rows["document"] ?? 0
        report.sources = found.rows["source"] ?? 0
        report.remarks = found.remarks
        report.losses = found.losses.map { loss in
            let range = loss.start.map { TimeRange($0, max(loss.end ?? $0, $0 &+ 1)) }
            return HealthRepairReport.Loss(message: loss.what, range: range)
        }
        return report
    }

    /// Whether the bytes of a health object can be read, which every search of its type does. Of a kind that nobody
    /// knows yet, whether they can be unpacked.
    private static func isRecord(_ kind: Int64, _ body: [UInt8]) -> Bool {
        do throws(HealthStoreError) {
            switch SavedObjectKind(rawValue: kind) {
            case .correlation: _ = try CorrelationRecord.members(body)
            case .quantitySeries: _ = try QuantitySeriesRecord(body)
            case .heartbeatSeries: _ = try HeartbeatRecord(body)
            case .electrocardiogram: _ = try ElectrocardiogramRecord(body)
            case nil: _ = try ObjectExpander.decode(body)
            }
            return true
        } catch {
            return false
        }
    }

    /// Makes lost objects of series anew from their quantities, so that these belong to something. What went wrong.
    private static func restoreSeries(_ engine: TimeSeriesStore, _ found: inout SalvagedHealth) -> HealthStoreError? {
        do throws(HealthStoreError) {
            let count = try HealthStore(engine).restoreSeries()
            if count > 0 {
                found.remarks.append(
                    "\(count) lost series were made anew from their quantities, without their metadata")
            }
            return nil
        } catch {
            return error
        }
    }

    /// The metadata set that stands for a lost one: its key says so, its value is the number it had.
    private static func lostMetadata(_ id: Int64) -> [UInt8] {
        let text = Array("KymographLostMetadata\(id)".utf8)
        var writer = MetadataWriter()
        writer.begin()
        writer.entry(text, key: 0..<21, value: 21..<text.count)
        return writer.bytes
    }

    /// Checks a store in whatever state it is, also one that cannot be opened: then what a repair would have to say of
    /// its samples. Of a backup the list of its files is checked as well.
    ///
    /// - Throws: as `TimeSeriesStore.verify(at:)`.
    public static func verify(
        at path: String, options: StoreOptions = StoreOptions()
    ) throws(HealthStoreError) -> HealthVerifyReport {
        let opened: Result<TimeSeriesStore, StoreError> = Result { () throws(StoreError) in
            try TimeSeriesStore.open(at: path, mode: .readOnly, options: options)
        }
        switch opened {
        case .success(let engine):
            defer { engine.close() }
            return try HealthStore(engine).verify()
        case .failure(let error) where error.kind == .isBackup:
            return try verifyBackup(at: path, error, options)
        case .failure(let error) where !error.mayBeDamage:
            throw HealthStoreError(error)
        case .failure(let error):
            return HealthVerifyReport(
                engine: try inEngine { () throws(StoreError) in try TimeSeriesStore.examine(path, options, error) })
        }
    }

    /// - Parameter error: why it could not be opened as a store.
    private static func verifyBackup(
        at path: String, _ error: StoreError, _ options: StoreOptions
    ) throws(HealthStoreError) -> HealthVerifyReport {
        guard var check = try inEngine({ () throws(StoreError) in try BackupCheck(path, options) }) else {
            throw HealthStoreError(error)
        }
        guard let copy = try inEngine({ () throws(StoreError) in try check.open() }) else {
            return HealthVerifyReport(engine: try inEngine { () throws(StoreError) in try check.finish(nil) })
        }
        defer { copy.close() }
        var report = try HealthStore(copy).verify(isCopy: true)
        report.engine = try inEngine { () throws(StoreError) in try check.finish(report.engine) }
        return report
    }
}
