// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Kymograph
import Synchronization
import TestSupport

/// The event during a walk.
enum BackupEvent: Sendable {
    case nothing
    /// A power cut or a kill before a changing call, counted from 1.
    case crash(Int)
    case fault(DiskFault)

    var note: String {
        switch self {
        case .nothing: "undisturbed"
        case .crash(let nth): "crash before change \(nth)"
        case .fault(let fault):
            "call \(fault.nth) fails \(fault.forever ? "for ever" : "once") with \(fault.errno), \(fault.effect) done"
        }
    }
}

/// Runs one way of a backup, a restoration or an opening once. Each state that it leaves must be complete, and the way
/// must finally succeed.
final class BackupWalk {
    private let scene: BackupScene
    private let event: BackupEvent
    private let note: String
    private let disk: FaultyDisk
    private let simulated: SimulatedStore
    private let taker: ImageTaker
    private var random: SeededGenerator

    init(_ scene: BackupScene, _ event: BackupEvent, seed: UInt64) throws {
        self.scene = scene
        self.event = event
        note = "seed \(seed), \(scene.way.rawValue), \(event.note)"
        disk = try FaultyDisk(scene.image())
        simulated = try SimulatedStore(disk)
        var number: UInt64 = 0
        switch event {
        case .nothing: break
        case .crash(let nth): number = UInt64(nth)
        case .fault(let fault): number = UInt64(fault.nth) &* 2 &+ (fault.forever ? 1 : 0)
        }
        random = SeededGenerator(seed: (seed &* 31 &+ number) &* 0x9E37_79B9)
        taker = ImageTaker(disk, event, seed: random.next())
    }

    /// Runs the walk to its end. Returns the calls to the disk in the first attempt.
    @discardableResult
    func run(_ result: inout CampaignResult) throws -> [DiskCall] {
        if scene.way.makesBackup {
            // A backup may use a writing or a reading handle.
            try simulated.open(random.chance(0.5) ? .readWrite : .readOnly)
        }
        disk.resetTrace()
        switch event {
        case .nothing: disk.keepWays()
        case .crash: break
        case .fault(let fault): disk.inject(fault)
        }
        taker.watch()
        let isDone = attempt(&result)
        let calls = disk.trace
        if case .fault = event { try finish(isDone, &result) }
        disk.observe(nil)
        if case .nothing = event { try judge(.keepAll, isDone: true, "at the end", &result) }
        simulated.close()
        for image in taker.taken() {
            result.count("images of backups")
            try BackupJudge(scene, "\(note), \(image.note)")
                .run(image.disk, isDone: false, goesOn: random.chance(0.5), &result)
        }
        return calls
    }

    /// Checks the state after an error and after the next attempt, which must succeed.
    private func finish(_ wasDone: Bool, _ result: inout CampaignResult) throws {
        disk.clearFaults()
        try judge(.keepAll, isDone: wasDone, "then", &result)
        let isThere = scene.way.restores && (wasDone || isRestored)
        if !isThere, !attempt(&result) { result.fail("\(note): the next attempt failed") }
        disk.observe(nil)
        if scene.way.restores {
            try BackupJudge.goOn(disk, simulated.options, note, &result)
        } else {
            // An acknowledged result is durable.
            let model: CrashModel = random.chance(0.5) ? .loseAll : .any
            try judge(model, isDone: true, "in the end \(model)", &result)
        }
    }

    /// True if the restored store has its catalog, so that it must be complete.
    private var isRestored: Bool { (try? disk.exists(BackupScene.restored + "/kymograph.sqlite")) ?? false }

    private func judge(_ model: CrashModel, isDone: Bool, _ when: String, _ result: inout CampaignResult) throws {
        let image = try disk.crash(seed: random.next(), model)
        try BackupJudge(scene, "\(note), \(when)").run(image, isDone: isDone, goesOn: false, &result)
    }

    /// Runs the way once. Returns true if it ended as on an intact disk. An error must match the injected fault.
    private func attempt(_ result: inout CampaignResult) -> Bool {
        do {
            try Self.take(scene.way, simulated)
            if let refusal = scene.way.refusal { result.fail("\(note): the way is not refused as \(refusal.rawValue)") }
            return true
        } catch let error as StoreError {
            if error.kind == scene.way.refusal { return true }
            result.count("error: \(error.kind.rawValue)")
            if let lie = lie(error) { result.fail("\(note): \(lie): \(error)") }
            return false
        } catch {
            result.fail("\(note): an unexpected type of error: \(error)")
            return false
        }
    }

    /// Backs up the open store, restores one, or opens it.
    static func take(_ way: BackupWay, _ simulated: SimulatedStore) throws {
        if way.makesBackup {
            try simulated.opened().backup(to: BackupScene.place)
        } else if way.restores {
            try TimeSeriesStore.restore(
                from: BackupScene.place, to: BackupScene.restored, options: simulated.options)
        } else {
            try simulated.open()
        }
    }

    /// Returns the reason why the kind of an error is wrong, or nil.
    private func lie(_ error: StoreError) -> String? {
        guard case .fault(let fault) = event else { return "an error without a fault" }
        let struck = disk.trace.filter { $0.errno != 0 }.map(\.kind)
        switch error.kind {
        case .inputOutput: return nil
        case .diskFull: return fault.errno == DiskError.noSpace ? nil : "the disk is not full"
        // Unreadable data is damage, and a short read looks like a file that is too short.
        case .corrupt: return struck.contains { [.read, .copy, .map].contains($0) } ? nil : "nothing is damaged"
        // The disk created a file and reported an error.
        case .alreadyExists: return struck.contains(.create) && fault.effect != .nothing ? nil : "nothing was there"
        default: return "the disk has no such fault"
        }
    }
}

/// Records images of crashes during a walk.
private final class ImageTaker: Sendable {
    private struct State {
        var random: SeededGenerator
        var images: [(disk: MemoryDisk, note: String)] = []
    }

    private let disk: FaultyDisk
    private let event: BackupEvent
    private let state: Mutex<State>

    init(_ disk: FaultyDisk, _ event: BackupEvent, seed: UInt64) {
        self.disk = disk
        self.event = event
        state = Mutex(State(random: SeededGenerator(seed: seed)))
    }

    func taken() -> [(disk: MemoryDisk, note: String)] { state.withLock { $0.images } }

    /// Starts recording: all images before the chosen change, or, after a fault, an image before a few of the changes.
    func watch() {
        let first = disk.mutationCount
        disk.observe { [self] kind, path in
            let change = disk.mutationCount - first + 1
            switch event {
            case .nothing: return
            case .crash(let nth):
                if change == nth { take([.keepAll, .loseAll, .any, .any], "before \(kind.rawValue) \(path)") }
            case .fault:
                guard disk.trace.contains(where: { $0.errno != 0 }) else { return }
                if state.withLock({ $0.random.chance(0.03) }) {
                    take([.any], "crash before change \(change), \(kind.rawValue) \(path)")
                }
            }
        }
    }

    private func take(_ models: [CrashModel], _ text: String) {
        CallSites.note(.crashed)
        for model in models {
            let seed = state.withLock { $0.random.next() }
            guard let image = try? disk.crash(seed: seed, model) else { continue }
            state.withLock { $0.images.append((image, "\(text), \(model)")) }
        }
    }
}
