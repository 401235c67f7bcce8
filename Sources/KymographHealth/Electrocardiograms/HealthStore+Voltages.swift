// SPDX-License-Identifier: Apache-2.0

import HealthCatalog
import HealthModel

extension HealthStore {
    /// The voltages of an electrocardiogram.
    ///
    /// - Throws: `HKError` `errorInvalidArgument` for a sample that the store does not have; what reading throws.
    func voltages(of sample: HKElectrocardiogram) throws -> VoltageMeasurements {
        if mode != .readWrite { try refresh() }
        let sequence = try view().snapshot.sequence
        let found = try catalog([HealthObjectRow?]()) {
            try HealthCatalog.healthObjects(uuids: [SampleIdentity(sample.uuid).bytes], asOf: sequence, $0)
        }
        guard let row = found.first.flatMap({ $0 }), row.kind == HealthRecordKind.electrocardiogram.rawValue else {
            throw HKError(
                .errorInvalidArgument, reason: "the electrocardiogram is not in the store", place: "\(sample)",
                advice: "ask for a sample that a query of this store has given")
        }
        return VoltageMeasurements(try ElectrocardiogramRecord(row.body))
    }
}
