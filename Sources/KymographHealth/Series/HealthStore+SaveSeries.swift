// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import HealthModel

/// A quantity series to be saved.
struct QuantitySeriesDraft {
    let type: HKQuantityType
    let unit: HKUnit
    let start: Int64
    let rows: QuantitySeriesRows
    let summary: QuantitySeriesSummary
    let uuid: UUID
    let device: HKDevice?
    let metadata: HealthMetadataValues?
}

extension HealthStore {
    /// Saves a quantity series of a program, durably, in one commit.
    ///
    /// - Parameter revision: the source revision of the program, which is stored with the series.
    /// - Throws: `errorInvalidArgument` for a series that violates a save rule or is saved already, otherwise
    ///   `errorDatabaseInaccessible`.
    /// - Complexity: O(n); a long series is written to segments while other writers wait.
    func save(_ draft: QuantitySeriesDraft, as revision: HKSourceRevision) throws(HKError) -> HKQuantitySample {
        let (start, end) = (StoredTime.date(draft.start), StoredTime.date(draft.rows.end))
        let header = ObjectHeader(
            uuid: draft.uuid, sourceRevision: revision, device: draft.device, metadata: draft.metadata)
        let isCumulative = draft.type.aggregationStyle == .cumulative
        // The rules for a sample of one quantity apply to the whole series.
        try HealthSaveRules.check(
            HKQuantitySample(
                header: header, type: draft.type,
                quantity: HKQuantity(
                    unit: draft.unit, doubleValue: isCumulative ? draft.summary.sum : draft.summary.average),
                count: 1, start: start, end: end))
        // The returned sample is equal to a later query's.
        let record = QuantitySeriesRecord(
            unit: draft.unit.unitString, summary: draft.summary, firstIdentity: SampleIdentity(draft.uuid))
        let sample = record.sample(header, draft.type, start: start, end: end)
        var batch = SaveBatch(try SavingProgram(revision), created: SystemClock.wallNanoseconds())
        try batch.append(
            sample, start: draft.start, end: draft.rows.end,
            .quantities(draft.rows, draft.summary, unit: record.unit, isCumulative: isCumulative))
        try commit(batch, identities: .unchecked)
        return sample
    }
}
