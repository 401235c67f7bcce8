// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel
import KymographHealth
import Synchronization
import TestSupport

/// A session of this process and the programs that mirror it, one after the other.
struct MirroredSession {
    private let seed: UInt64
    private let path: String
    private let program: String
    private var random: SeededGenerator
    private let health: HKHealthStore
    private let session: HKWorkoutSession
    private let delegate: MirrorDelegate
    private let heard: HeardLines
    private var mirror: MirrorProgram?
    private var counts: [String: Int] = [:]
    /// The expected pauses and resumptions of the workout.
    private var events: [HKWorkoutEventType] = []

    /// A wait that only a defect exceeds.
    static let patience = Duration.seconds(60)

    init(_ path: String, seed: UInt64, program: String) throws {
        (self.path, self.seed, self.program) = (path, seed, program)
        random = SeededGenerator(seed: seed)
        health = HKHealthStore(directory: path, client: MirrorWorker.client)
        let configuration = HKWorkoutConfiguration()
        configuration.activityType = .hiking
        session = try HKWorkoutSession(healthStore: health, configuration: configuration)
        let heard = HeardLines()
        self.heard = heard
        delegate = MirrorDelegate { heard.add($0) }
        session.delegate = delegate
    }

    /// Runs the session: mirrors, a killed mirror in between or not, the end by either side, and the saved workout.
    mutating func run() async throws -> [String: Int] {
        defer { health.close() }
        session.prepare()
        try await expect("changed notStarted prepared")
        // Sessions are mirrored before or after their start.
        let startsFirst = random.chance(0.5)
        if startsFirst { try await start() }
        try await connect()
        if !startsFirst { try await start() }
        for _ in 0...random.below(3) {
            try await exchange()
            if random.chance(0.4) { try await killMirror() }
        }
        try await end()
        try await check()
        return counts
    }

    private mutating func start() async throws {
        let now = Date()
        session.startActivity(with: now)
        try await session.associatedWorkoutBuilder().beginCollection(at: now)
        try await expectBoth("changed prepared running")
    }

    /// Starts a program that mirrors the session.
    private mutating func connect() async throws {
        let child = try MirrorProgram(program, path, seed)
        try child.expect("ready")
        try await session.startMirroringToCompanionDevice()
        mirror = child
        // The state of the mirror is that of the session's record.
        try child.expect("mirrored \(session.state) 1 \(HKWorkoutActivityType.hiking.rawValue)")
        counts["mirrors", default: 0] += 1
    }

    /// Pauses, resumes and sends data from both sides.
    private mutating func exchange() async throws {
        for _ in 0...random.below(4) {
            switch random.below(3) {
            case 0: try await toggle(byMirror: random.chance(0.7))
            case 1:
                let text = "from the session \(random.below(1_000))"
                try await session.sendToRemoteWorkoutSession(data: Data(text.utf8))
                try mirror?.expect("data \(text)")
                counts["data", default: 0] += 1
            default:
                let text = "from the mirror \(random.below(1_000))"
                mirror?.tell("send \(text)")
                try mirror?.expect("sent")
                try await expect("data \(text)")
                counts["data", default: 0] += 1
            }
        }
        mirror?.tell("builder")
        try mirror?.expect("refused \(HKError.Code.errorInvalidArgument.rawValue)")
    }

    /// Pauses a running session, or resumes a paused session.
    private mutating func toggle(byMirror: Bool) async throws {
        let isPause = session.state == .running
        if byMirror {
            mirror?.tell(isPause ? "pause" : "resume")
        } else if isPause {
            session.pause()
        } else {
            session.resume()
        }
        try await expectBoth(isPause ? "changed running paused" : "changed paused running")
        guard session.state == (isPause ? .paused : .running) else {
            throw CampaignError("the session is \(session.state)")
        }
        try await expectBoth("event \((isPause ? HKWorkoutEventType.pause : .resume).rawValue)")
        events.append(isPause ? .pause : .resume)
        counts[byMirror ? "calls of mirrors" : "calls of sessions", default: 0] += 1
    }

    /// Kills the mirror. The session reports it, goes on, and gets a new mirror.
    private mutating func killMirror() async throws {
        let state = session.state
        mirror?.kill()
        mirror = nil
        try await expect("broken")
        guard session.state == state else { throw CampaignError("the session is \(session.state), not \(state)") }
        do {
            try await session.sendToRemoteWorkoutSession(data: Data("x".utf8))
            throw CampaignError("a session without a mirror sent data")
        } catch let error as HKError {
            guard error.code == .errorInvalidArgument else { throw error }
        }
        if random.chance(0.7) { try await toggle(byMirror: false) }
        counts["kills", default: 0] += 1
        try await connect()
    }

    /// Ends the session from one of the sides.
    private mutating func end() async throws {
        let state = session.state
        if random.chance(0.6) {
            mirror?.tell("end")
            counts["ended by mirrors", default: 0] += 1
        } else {
            session.end()
        }
        try await expectBoth("changed \(state) ended")
        try mirror?.expect("gone")
        guard session.state == .ended, let end = session.endDate else {
            throw CampaignError("the session is \(session.state) after its end")
        }
        let builder = session.associatedWorkoutBuilder()
        try await builder.endCollection(at: end)
        try await builder.finishWorkout()
    }

    /// Compares the saved workout with the session.
    private func check() async throws {
        let query = HKSampleQueryDescriptor(predicates: [.workout()], sortDescriptors: [])
        let found = try await query.result(for: health)
        guard let workout = found.first, found.count == 1, workout.workoutActivityType == .hiking else {
            throw CampaignError("\(found.count) workouts instead of one")
        }
        let types = (workout.workoutEvents ?? []).map(\.type)
        guard types == events else { throw CampaignError("the workout has the events \(types), not \(events)") }
        guard workout.startDate == session.startDate, workout.endDate == session.endDate else {
            throw CampaignError("the workout has other dates than the session")
        }
        let left = try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasPrefix("mirror") }
        guard left.isEmpty else { throw CampaignError("the store still has \(left)") }
    }

    // MARK: - Waiting

    /// Waits for a call of the session's own delegate.
    private func expect(_ line: String) async throws { try await heard.wait(for: line) }

    /// Waits for a call of the delegates of both sides.
    private func expectBoth(_ line: String) async throws {
        try await expect(line)
        try mirror?.expect(line)
    }
}

/// The lines of a delegate that were not waited for yet.
final class HeardLines: Sendable {
    private let lines = Mutex<[String]>([])

    func add(_ line: String) { lines.withLock { $0.append(line) } }

    /// Waits for a line, and removes it.
    func wait(for line: String) async throws {
        let end = ContinuousClock.now + MirroredSession.patience
        while ContinuousClock.now < end {
            let isThere = lines.withLock { lines in
                guard let place = lines.firstIndex(of: line) else { return false }
                lines.remove(at: place)
                return true
            }
            if isThere { return }
            try await Task.sleep(for: .milliseconds(1))
        }
        throw CampaignError("the session did not report \"\(line)\", but \(lines.withLock { $0 })")
    }
}

/// A child process that mirrors sessions, and the lines that were not waited for yet.
final class MirrorProgram {
    private let child: ChildProgram
    private var lines: [Substring] = []

    init(_ program: String, _ path: String, _ seed: UInt64) throws {
        child = try ChildProgram(program, ["worker", "mirror", path, "\(seed)"])
    }

    func tell(_ line: String) { child.tell(line) }

    func kill() { child.kill() }

    /// Waits for a line, and removes it.
    func expect(_ line: String) throws {
        let end = ContinuousClock.now + MirroredSession.patience
        while true {
            if let place = lines.firstIndex(where: { $0 == line }) {
                lines.remove(at: place)
                return
            }
            guard ContinuousClock.now < end, !child.isAtEnd else { break }
            if !ChildProgram.wait(for: [child], nanoseconds: 100_000_000).isEmpty { lines += child.lines() }
        }
        throw CampaignError("the mirror did not report \"\(line)\", but \(lines)")
    }
}
