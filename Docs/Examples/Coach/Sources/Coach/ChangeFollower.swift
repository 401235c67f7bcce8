// SPDX-License-Identifier: Apache-2.0

import Foundation
import KymographHealth

/// Follows what comes and goes in a health store, over restarts of the service: where it stands is kept in a file.
struct ChangeFollower {
    let health: HKHealthStore
    let file: URL

    typealias Change = HKAnchoredObjectQueryDescriptor<HKSample>.Result

    /// Takes changes until one was the last; returns how many samples came and how many went.
    ///
    /// The first change is all that came and went since the last time, at once, even if that is nothing.
    func follow(until isLast: (Change) -> Bool) async throws -> (came: Int, went: Int) {
        let types: [HKSampleType] = [Athlete.heartRate, Athlete.steps, Athlete.distance, Athlete.sleep]
        let query = HKAnchoredObjectQueryDescriptor(
            predicates: types.map { .sample(type: $0) }, anchor: try anchor())
        var (came, went) = (0, 0)
        for try await change in query.results(for: health) {
            // A service would write to its own database here; then, and only then, does it keep the anchor.
            came += change.addedSamples.count
            went += change.deletedObjects.count
            try keep(change.newAnchor)
            if isLast(change) { break }
        }
        return (came, went)
    }

    /// The anchor of the last time; nil the first time.
    ///
    /// The file holds the anchor's text, whose checksum is verified here. `NSKeyedUnarchiver` would stop the process at
    /// some damaged archives.
    ///
    /// - Throws: ``DamagedAnchor`` if the file holds no anchor.
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

/// A file that should hold an anchor and does not.
struct DamagedAnchor: Error, CustomStringConvertible {
    let path: String

    var description: String { "\(path) holds no anchor; remove it to begin with everything that is stored" }
}
