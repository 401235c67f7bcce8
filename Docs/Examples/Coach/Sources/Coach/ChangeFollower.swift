// SPDX-License-Identifier: Apache-2.0

import Foundation
import KymographHealth

/// Follows additions and deletions in a health store across restarts of the service; a file holds the last anchor.
struct ChangeFollower {
    let health: HKHealthStore
    let file: URL

    typealias Change = HKAnchoredObjectQueryDescriptor<HKSample>.Result

    /// Follows changes until `isLast` returns true. Returns the numbers of added and deleted samples.
    ///
    /// The first change contains everything since the stored anchor; it arrives immediately, even if it is empty.
    func follow(until isLast: (Change) -> Bool) async throws -> (came: Int, went: Int) {
        let types: [HKSampleType] = [Athlete.heartRate, Athlete.steps, Athlete.distance, Athlete.sleep]
        let query = HKAnchoredObjectQueryDescriptor(
            predicates: types.map { .sample(type: $0) }, anchor: try anchor())
        var (came, went) = (0, 0)
        for try await change in query.results(for: health) {
            // A service would write to its own database here, and store the anchor only afterwards.
            came += change.addedSamples.count
            went += change.deletedObjects.count
            try keep(change.newAnchor)
            if isLast(change) { break }
        }
        return (came, went)
    }

    /// Returns the stored anchor; nil at the first start.
    ///
    /// The file holds the anchor as text with a checksum, which is verified here. `NSKeyedUnarchiver` would end the
    /// process for some damaged archives.
    ///
    /// - Throws: ``DamagedAnchor`` if the file does not hold a valid anchor.
    func anchor() throws -> HKQueryAnchor? {
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        guard let anchor = HKQueryAnchor(text: text) else { throw DamagedAnchor(path: file.path) }
        return anchor
    }

    private func keep(_ anchor: HKQueryAnchor) throws {
        try Data(anchor.text.utf8).write(to: file, options: .atomic)
    }
}

/// The error of a file without a valid anchor.
struct DamagedAnchor: Error, CustomStringConvertible {
    let path: String

    var description: String { "\(path) holds no valid anchor; remove it to start again with all samples" }
}
