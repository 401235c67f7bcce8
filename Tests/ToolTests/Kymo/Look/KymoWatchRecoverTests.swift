// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import KymographHealth
import TestSupport
import Testing

@testable import kymo

@Suite("S-112 kymo watch --recover starts a program after its death")
struct KymoWatchRecoverTests {
    @Test("each death of a session's process is returned once")
    func deaths() {
        var deaths = SessionDeaths()
        func session(_ id: Int64, _ isOwned: Bool) -> StoredWorkoutSession {
            StoredWorkoutSession(id: id, client: "app", isOwned: isOwned)
        }
        #expect(deaths.next([session(1, true)]).isEmpty)
        #expect(deaths.next([session(1, false), session(2, true)]).map(\.id) == [1])
        #expect(deaths.next([session(1, false), session(2, false)]).map(\.id) == [2])
        #expect(deaths.next([session(1, false), session(2, false)]).isEmpty)
        // Recovered, and gone again.
        #expect(deaths.next([session(1, true), session(2, false)]).isEmpty)
        #expect(deaths.next([session(1, false), session(2, false)]).map(\.id) == [1])
        // The program that was started has died before it was seen as the owner.
        deaths.forget(1)
        #expect(deaths.next([session(1, false), session(2, false)]).map(\.id) == [1])
        deaths.forget(1)
        #expect(deaths.next([session(1, true), session(2, false)]).isEmpty)
        #expect(deaths.next([]).isEmpty)
        #expect(deaths.next([session(2, false)]).map(\.id) == [2])
    }

    @Test("a killed session's program is started, and again each time that a signal ends it")
    func kills() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("store")
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            let configuration = HKWorkoutConfiguration()
            configuration.activityType = .running
            let session = try HKWorkoutSession(
                healthStore: HKHealthStore(directory: path), configuration: configuration)
            session.startActivity(with: nil)
            try await session.associatedWorkoutBuilder().beginCollection(at: Date())
            kill(getpid(), SIGKILL)
        }
        // The program dies twice at once, and then ends kymo.
        let log = directory.file("log")
        let program =
            #"echo "$KYMO_STORE $KYMO_CLIENT" >> '\#(log)'; "#
            + #"if [ $(wc -l < '\#(log)') -lt 3 ]; then kill -9 $$; fi; kill -INT $PPID"#
        let outcome = try Tool.kymo.run(
            ["watch", "--recover", "--exec", program, "--store", path],
            // A failure does not block the tests for ever.
            after: #"exec timeout -s INT 120 "$0" "$@""#)
        let health = HKHealthStore(directory: path)
        defer { health.close() }
        let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").map(String.init)
        let expected = "\(path) \(HKSource.default().bundleIdentifier)"
        #expect(lines == [expected, expected, expected], "\(outcome.errors)")
        #expect(outcome.errors.split(separator: "\n").filter { $0.contains("starting the command") }.count == 3)
        #expect(outcome.errors.split(separator: "\n").filter { $0.contains("ended with status") }.count == 2)
        // The session waits for its program.
        let session = try #require(try await health.recoverActiveWorkoutSession())
        let builder = session.associatedWorkoutBuilder()
        try await builder.endCollection(at: Date())
        #expect(try await builder.finishWorkout() != nil)
        session.end()
    }

    @Test("options that do not fit are refused, and a store without sessions starts nothing")
    func options() throws {
        let refused = [
            ["watch"], ["watch", "--recover"], ["watch", "steps", "--recover", "--exec", "true"],
            ["watch", "--recover", "--all", "--exec", "true"], ["watch", "--recover", "--exec", "true", "--as", "x"],
        ]
        for arguments in refused {
            #expect(try Tool.kymo.run(arguments + ["--store", SampleStore.path]).code == 64, "\(arguments)")
        }
        let outcome = try Tool.kymo.run([
            "watch", "--recover", "--exec", "echo started", "--once", "--store", SampleStore.path,
        ])
        #expect(outcome.code == 0 && outcome.output.isEmpty, "\(outcome.errors)")
    }
}
