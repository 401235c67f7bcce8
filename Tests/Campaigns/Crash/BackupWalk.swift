// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Kymograph
import Synchronization
import TestSupport

/// What befalls a walk.
enum BackupEvent: Sendable {
    case nothing
    /// The power goes, or the process is killed, before a changing call, counted from 1.
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

/// One way of a backup, of a restoration or of an opening, once: what it leaves must be whole, and it must succeed in
/// the end.
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

    /// Walks to the end; the calls that the disk got in the first attempt.
    @discardableResult
    func run(_ result: inout CampaignResult) throws -> [DiskCallKind] {
        if scene.way.makesBackup {
            // What backs up may write or only read.
            try simulated.open(random.chance(0.5) ? .readWrite : .readOnly)
        }
        disk.resetTrace()
        if case .fault(let fault) = event { disk.inject(fault) }
        taker.watch()
        let isDone = attempt(&result)
        let calls = disk.trace.map(\.kind)
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

    /// What is there after an error, and after the next attempt, which must succeed.
    private func finish(_ wasDone: Bool, _ result: inout CampaignResult) throws {
        disk.clearFaults()
        try judge(.keepAll, isDone: wasDone, "then", &result)
        let isThere = scene.way.restores && (wasDone || isRestored)
        if !isThere, !attempt(&result) { result.fail("\(note): the next attempt fails") }
        disk.observe(nil)
        if scene.way.restores {
            try BackupJudge.goOn(disk, simulated.options, note, &result)
        } else {
            // What was acknowledged lasts.
            let model: CrashModel = random.chance(0.5) ? .loseAll : .any
            try judge(model, isDone: true, "in the end \(model)", &result)
        }
    }

    /// Whether a catalog has its name in the restored store's place: that is whole then, or judged to be a failure.
    private var isRestored: Bool { (try? disk.exists(BackupScene.restored + "/kymograph.sqlite")) ?? false }

    private func judge(_ model: CrashModel, isDone: Bool, _ when: String, _ result: inout CampaignResult) throws {
        let image = try disk.crash(seed: random.next(), model)
        try BackupJudge(scene, "\(note), \(when)").run(image, isDone: isDone, goesOn: false, &result)
    }

    /// Takes the way; whether it ended as it should on a sound disk. An error must be one that the disk had.
    private func attempt(_ result: inout CampaignResult) -> Bool {
        do {
            try Self.take(scene.way, simulated)
            if let refusal = scene.way.refusal { result.fail("\(note): it is not refused as \(refusal.rawValue)") }
            return true
        } catch let error as StoreError {
            if error.kind == scene.way.refusal { return true }
            result.count("error: \(error.kind.rawValue)")
            if let lie = lie(error) { result.fail("\(note): \(lie): \(error)") }
            return false
        } catch {
            result.fail("\(note): an error of another type: \(error)")
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

    /// What is wrong with the kind of an error, if anything.
    private func lie(_ error: StoreError) -> String? {
        guard case .fault(let fault) = event else { return "an error without a fault" }
        let struck = disk.trace.filter { $0.errno != 0 }.map(\.kind)
        switch error.kind {
        case .inputOutput: return nil
        case .diskFull: return fault.errno == DiskError.noSpace ? nil : "the disk is not full"
        // What cannot be read is damaged, and a read that gives too little looks like a file that is too short.
        case .corrupt: return struck.contains { [.read, .copy, .map].contains($0) } ? nil : "nothing is damaged"
        // A disk that makes a file and says that it did not.
        case .alreadyExists: return struck.contains(.create) && fault.effect != .nothing ? nil : "nothing was there"
        default: return "the disk has no such fault"
        }
    }
}

/// Takes what crashes during a walk would leave.
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

    /// From now on: before the change of choice all images, or, after a fault, one of a few of the changes.
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
