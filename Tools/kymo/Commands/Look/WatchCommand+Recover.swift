// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import KymographHealth

extension WatchCommand {
    /// Starts a command for each workout session whose process is gone, once per death.
    ///
    /// A command that a signal ended is a further death, even if it owned the session only between two checks. The
    /// commands run on their own: they are not ended with this program.
    func recover(_ command: String) throws -> ExitStatus {
        let path = try store.resolved()
        let store = try store.open()
        defer { store.close() }
        var deaths = SessionDeaths()
        var running: [StartedCommand] = []
        while !Interrupt.isRequested {
            for session in deaths.next(try store.storedSessions()) {
                Messages.write("the process of a workout of \(session.client) is gone; starting the command")
                running.append(StartedCommand(process: try start(command, path, session), session: session.id))
            }
            var left: [StartedCommand] = []
            for one in running {
                guard one.isOver else {
                    left.append(one)
                    continue
                }
                let status = one.process.terminationStatus
                if status != 0 { Messages.write("the command ended with status \(status)") }
                // If the death was seen by the lock of the session, a later command runs already.
                let isLatest = running.last { $0.session == one.session }?.process === one.process
                if one.isDead, isLatest, !once { deaths.forget(one.session) }
            }
            running = left
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

/// A command that was started for a session.
private struct StartedCommand {
    let process: Process
    let session: Int64
    /// In nanoseconds of the monotonic clock.
    let start = SystemClock.monotonicNanoseconds()

    /// The shortest time between two starts for one session, in nanoseconds.
    private static let pause: Int64 = 1_000_000_000

    /// Whether a signal ended the command. A shell returns 128 and the number of the signal that ended its program.
    var isDead: Bool { process.terminationReason == .uncaughtSignal || process.terminationStatus > 128 }

    /// Whether the command has ended. A dead command counts only after a pause, so that a command that always dies is
    /// not started all the time.
    var isOver: Bool {
        !process.isRunning && (!isDead || SystemClock.monotonicNanoseconds() - start >= Self.pause)
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

    /// Notes the death of a program that was started for a session. If no process owns the session, it is returned
    /// again.
    mutating func forget(_ session: Int64) { known.remove(session) }
}
