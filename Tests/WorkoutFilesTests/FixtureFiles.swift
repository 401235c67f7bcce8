// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import WorkoutFiles

/// The files that the tests read.
enum FixtureFiles {
    /// Returns the path of a fixture.
    static func path(_ name: String) throws -> String {
        try #require(Bundle.module.url(forResource: name, withExtension: nil, subdirectory: "Fixtures")).path
    }

    static func bytes(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: try path(name))))
    }

    /// Returns the rows of a CSV file; an empty text for a missing value.
    static func rows(_ path: String) throws -> [[String]] {
        let text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
        return text.split(whereSeparator: \.isNewline).map { line in
            line.split(separator: ",", omittingEmptySubsequences: false).map {
                $0.trimmingCharacters(in: .whitespaces)
            }
        }
    }

    /// The fixtures that can be read.
    static let all = [
        "garmin-fenix-5-run.fit", "compressed-speed-distance.fit", "activity-unexpected-eof.fit",
        "activity-settings-corruptheader.fit", "activity_5039744860.gpx", "activity_5039744860.tcx",
    ]

    /// The folder of further FIT files with the oracle's output beside them; nil if the variable is not set.
    static let folder = ProcessInfo.processInfo.environment["KYMOGRAPH_FIT_FILES"]
}
