// SPDX-License-Identifier: Apache-2.0

import KymographHealth
import TestSupport
import Testing
import WorkoutFiles

/// The example of `Docs/Guide/Sensors.md`. The lines between the marks are those of the page.
@Suite("S-88 the example of the page about sensors")
struct SensorsExampleTests {
    @Test("a simulated wearer and a file are attached")
    func example() throws {
        let directory = try TemporaryDirectory()
        let health = HKHealthStore(directory: directory.file("store"))
        defer { health.close() }
        let path = try FixtureFiles.path("garmin-fenix-5-run.fit")

        // example sensors begins
        let simulator = WorkoutSimulator(SimulatedWearer(seed: 7), pace: .accelerated(by: 60))
        try health.attach(simulator)  // sessions that start later use it
        try health.detach(simulator)

        let file = try WorkoutFile(contentsOf: path)  // FIT, TCX or GPX
        if let damage = file.damage { print("incomplete: \(damage)") }
        try health.attach(WorkoutReplayer(file, pace: .accelerated(by: 60)))
        // example sensors ends

        #expect(file.damage == nil)
    }
}
