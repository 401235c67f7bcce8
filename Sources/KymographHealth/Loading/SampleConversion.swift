// SPDX-License-Identifier: Apache-2.0

import Catalog
import HealthCatalog

// Imports of earlier versions stored audiograms, prescriptions and clinical records only as elements. Each commit makes
// samples of a bounded number of elements and records the last one in a setting, so that a conversion continues after a
// crash.
extension HealthStore {
    /// Makes samples of all elements of audiograms, prescriptions and clinical records that have none.
    ///
    /// - Parameter most: the maximum number of elements of one commit.
    /// - Throws: the errors of a load. Samples of earlier commits stay.
    /// - Complexity: O(elements) if all are converted; otherwise O(bytes of elements and of their files).
    func convertSamples(most: Int = WorkoutConversion.mostElements) throws {
        if try unconvertedSamples(most: 1).isEmpty { return }
        let taken = try elements(of: .fields)
        while try !unconvertedSamples(most: 1).isEmpty { _ = try load { try $0.convertSamples(taken, most: most) } }
    }

    /// Makes samples of elements when a store is opened for writing. An error, such as a full disk, does not prevent
    /// the opening; the next opening continues.
    func convertSamplesAtOpening() {
        if mode == .readOnly { return }
        try? convertSamples()
    }

    /// Returns the ids of the first elements that are not converted to samples, ascending.
    func unconvertedSamples(most: Int) throws(HealthStoreError) -> [Int64] {
        try catalog([]) { transaction in
            let converted = try HealthCatalog.converted(HealthCatalog.convertedSamplesKey, transaction)
            let ids = try ImportedElementKind.ofSamples.flatMap {
                try HealthCatalog.elementIDs(kind: $0.rawValue, after: converted, limit: most, transaction)
            }
            return Array(ids.sorted().prefix(most))
        }
    }
}
