// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import KymographHealth

extension WatchCommand {
    /// Starts a command for each workout session whose process is gone, once per death.
    ///
    /// The commands run on their own: they are not ended with this program.
    func recover(_ command: String) throws -> ExitStatus {
        let path = try store.resolved()
        let store = try store.open()
        defer { store.close() }
        var deaths = SessionDeaths()
        var running: [Process] = []
        while !Interrupt.isRequested {
            for session in deaths.next(try store.storedSessions()) {
                Messages.write("the process of a workout of \(session.client) is gone; starting the command")
                running.append(try start(command, path, session))
            }
            for process in running where !process.isRunning && process.terminationStatus != 0 {
                Messages.write("the command ended with status \(process.terminationStatus)")
            }
            running.removeAll { !$0.isRunning }
            if once, running.isEmpty { return .done }
            SystemClock.sleep(milliseconds: 100)
        }
        return .done
    }

    private func start(_ command: String, _ path: String, _ session: StoredWorkoutSession) throws -> Process {
        let process = Self.shell(command, ["KYMO_STORE": path, "KYMO_CLIENT": session.client])
        process.standardInput = FileHandle.nullDevice
        try process.run()
        return process
    }
}

/// The deaths of the processes of workout sessions.
struct SessionDeaths {
    /// The sessions whose present death was returned.
    private var known: Set<Int64> = []

    /// Returns the sessions whose process is gone since the last call. A session that a process owned in between can
    /// die again.
    mutating func next(_ sessions: [StoredWorkoutSession]) -> [StoredWorkoutSession] {
        let gone = sessions.filter { !$0.isOwned }
        let new = gone.filter { !known.contains($0.id) }
        known = Set(gone.map(\.id))
        return new
    }
}
