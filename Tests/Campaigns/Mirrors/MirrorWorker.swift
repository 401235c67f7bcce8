// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel
import KymographHealth
import Synchronization

/// A program that mirrors the sessions of another process: it reports what its delegate receives, and performs
/// the calls that its parent names.
enum MirrorWorker {
    /// The client of both processes.
    static let client = "com.example.mirrored"

    private static func code(_ error: any Error) -> String { "\((error as? HKError)?.code.rawValue ?? -1)" }

    /// Works until the parent closes the pipe.
    static func work(_ path: String, _ say: @escaping @Sendable (String) -> Void) async throws {
        let health = HKHealthStore(directory: path, client: client)
        defer { health.close() }
        let mirrored = Mutex<HKWorkoutSession?>(nil)
        let delegate = MirrorDelegate(say)
        health.workoutSessionMirroringStartHandler = { session in
            session.delegate = delegate
            mirrored.withLock { $0 = session }
            let activity = session.workoutConfiguration.activityType.rawValue
            say("mirrored \(session.state) \(session.type.rawValue) \(activity)")
        }
        say("ready")
        while let line = readLine() {
            let words = line.split(separator: " ", maxSplits: 1)
            guard let session = mirrored.withLock({ $0 }) else { throw CampaignError("\(line) without a session") }
            switch words.first {
            case "pause": session.pause()
            case "resume": session.resume()
            case "end": session.end()
            case "send":
                do {
                    try await session.sendToRemoteWorkoutSession(data: Data((words.last ?? "").utf8))
                    say("sent")
                } catch { say("refused \(code(error))") }
            case "builder":
                // A mirror has no builder of its own.
                do {
                    try await session.associatedWorkoutBuilder().beginCollection(at: Date())
                    say("began")
                } catch { say("refused \(code(error))") }
            default: throw CampaignError("unknown call \(line)")
            }
        }
    }
}
