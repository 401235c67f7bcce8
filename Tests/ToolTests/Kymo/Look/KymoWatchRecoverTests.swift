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
