// SPDX-License-Identifier: Apache-2.0

import AppleHealthExport
import Foundation
import HealthModel
import TestSupport
import Testing

@testable import KymographHealth

@Suite("T-1 the workouts of an export of 480,000 records")
struct WorkoutGeneratedTests {
    /// Creates the archive of `Docs/Internals/Performance.md`, without its records, with the routes as files.
    private func archive(_ bench: ImportBench) throws -> String {
        let path = bench.directory.file("export.zip")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "python3", repositoryFile("Benchmarks/data/gen_export_xml.py"), "--records", "480000", "--skip-records",
            "--gpx", "--zip", path,
        ]
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return path
    }

    @Test("energy, distance, duration, statistics and route of all 161 workouts equal those of the file")
    func workouts() async throws {
        let bench = try ImportBench()
        let path = try archive(bench)
        let outcome = try bench.importFile(path)
        #expect(outcome.complete && outcome.issues.isEmpty && outcome.documentsAdded == 94)
        let truth = try PlainWorkout.oracle(path)
        #expect(truth.count == 161 && truth.count { !$0.routes.isEmpty } == 94)
        let found = try await bench.plainWorkouts()
        PlainWorkout.compare(found, truth, path)
        // Energies and durations that are absent on both sides would be equal, too.
        #expect(found.allSatisfy { $0.energy != nil && $0.duration > 0 && $0.statistics.count >= 3 })
        #expect(found.count { $0.distance != nil } == 94)
        #expect(found.reduce(0) { $0 + $1.routes.reduce(0) { $0 + $1.count } } > 300_000)
    }
}
