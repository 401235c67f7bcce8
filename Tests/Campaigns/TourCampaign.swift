// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Kymograph
import Synchronization
import TestSupport

/// Walks through what random lives seldom or never do (notes of doubt, orphans, beginnings of stores, repairs, loads
/// that are given up, backups and restorations over what interrupted ones left) and crashes before, and fails, each
/// call on the way: every call site has its turn.
package enum TourCampaign: Campaign {
    package static let name = "tour"
    package static let summary = "crashes before, and failures of, each call of a walk along the rare ways"

    /// One walk: along the rare ways with at most one fault, or one way of backups with what befalls it.
    private enum Walk: Sendable {
        case rare(DiskFault?)
        case backup(BackupScene, BackupEvent)
    }

    package static func run(_ plan: CampaignPlan) throws -> CampaignResult {
        var result = CampaignResult(suite: name, seed: plan.seed)
        let clock = CampaignClock(plan)
        var seed = plan.seed
        while result.cases < plan.cases, !clock.isOver {
            let start = try TourStart(seed: seed)
            var random = SeededGenerator(seed: seed)
            let walks = try backupWalks(seed, &random, &result) + rareWalks(start, &random, &result)
            // Fewer cases than walks are spread over all of them.
            let wanted = min(walks.count, plan.cases - result.cases)
            let found = plan.sideBySide(wanted, until: clock) { number, _, mine in
                switch walks[number * walks.count / wanted] {
                case .rare(let fault): walk(start, fault, "seed \(start.seed)", &mine)
                case .backup(let scene, let event): walk(scene, event, start.seed, &mine)
                }
            }
            result.merge(found)
            result.count("tours")
            seed &+= 1
        }
        result.seconds = clock.elapsed
        return result
    }

    private static func rareWalks(
        _ start: TourStart, _ random: inout SeededGenerator, _ result: inout CampaignResult
    ) throws -> [Walk] {
        let calls = try Tour(start, fault: nil).run(&result)
        result.count("calls of a tour", calls)
        let faults = (1...calls).map { nth in
            DiskFault(
                Set(DiskCallKind.allCases), nth: nth, forever: random.chance(0.2),
                errno: random.chance(0.3) ? DiskError.noSpace : DiskError.inputOutput,
                effect: random.chance(0.3) ? .everything : .nothing)
        }
        return [.rare(nil)] + faults.map { .rare($0) }
    }

    /// Each way of backups, with a crash before each change, and with each call failing, once and for ever.
    private static func backupWalks(
        _ seed: UInt64, _ random: inout SeededGenerator, _ result: inout CampaignResult
    ) throws -> [Walk] {
        var walks: [Walk] = []
        for scene in try BackupScene.all(seed: seed) {
            let calls = try BackupWalk(scene, .nothing, seed: seed).run(&result)
            result.count("calls of backups", calls.count)
            var changes = 0
            for (index, kind) in calls.enumerated() {
                if kind.isMutation {
                    changes += 1
                    walks.append(.backup(scene, .crash(changes)))
                }
                for forever in [false, true] {
                    let effect: DiskFault.Effect = random.pick([.nothing, .nothing, .part, .everything])
                    var fault = DiskFault(
                        Set(DiskCallKind.allCases), nth: index + 1, forever: forever, effect: effect)
                    // Only what changes the disk finds it full.
                    if kind.isMutation, random.chance(0.4) {
                        fault = DiskFault(
                            DiskCallKind.mutations, nth: changes, forever: forever, errno: DiskError.noSpace,
                            effect: effect)
                    }
                    walks.append(.backup(scene, .fault(fault)))
                }
            }
        }
        return walks
    }

    private static func walk(
        _ scene: BackupScene, _ event: BackupEvent, _ seed: UInt64, _ result: inout CampaignResult
    ) {
        result.cases += 1
        do {
            try BackupWalk(scene, event, seed: seed).run(&result)
        } catch {
            result.fail("seed \(seed), \(scene.way.rawValue), \(event.note): \(error)")
        }
    }

    private static func walk(_ start: TourStart, _ fault: DiskFault?, _ seed: String, _ result: inout CampaignResult) {
        let text = fault.map { "call \($0.nth) fails \($0.forever ? "for ever" : "once"), \($0.effect) done" }
        let note = "\(seed), \(text ?? "crashes only")"
        result.cases += 1
        do {
            var inner = CampaignResult(suite: "", seed: 0)
            let tour = try Tour(start, fault: fault)
            tour.crashes = true
            _ = try tour.run(&inner)
            inner.failures = inner.failures.map { "\(note): \($0)" }
            result.merge(inner)
        } catch {
            result.fail("\(note): \(error)")
        }
    }
}

/// The disk that a tour begins with.
struct TourStart: Sendable {
    private let disk: FaultyDisk
    /// What the store holds.
    let digest: UInt64
    let seed: UInt64

    /// A disk of that kind for a tour of its own.
    func image() throws -> MemoryDisk { try disk.crash(seed: seed, .keepAll) }

    init(seed: UInt64) throws {
        self.seed = seed
        var random = SeededGenerator(seed: seed)
        let disk = try FaultyDisk()
        let simulated = try SimulatedStore(disk)
        try simulated.create()
        let store = try simulated.opened()
        try store.series("pulse", kind: .discrete)
        try store.perform(.append("pulse", StoreScript.samples(&random, 50)))
        try store.perform(.load([("pulse", StoreScript.samples(&random, 3_000))]))
        try store.perform(.append("pulse", StoreScript.samples(&random, 40)))
        digest = try simulated.digest()
        // A writer in doubt, a file that no commit names, a store that was begun, and one without its catalog.
        try disk.createFile("/store/DOUBT", [])
        try disk.createFile("/store/segments/00000000-0000-4000-8000-000000000000.kseg", [1, 2, 3])
        for folder in ["/room", "/begun", "/begun/segments", "/lost", "/lost/segments"] {
            try disk.createDirectory(folder)
        }
        for file in ["LOCK", "kymograph.sqlite.new", "kymograph.sqlite.new-wal"] {
            try disk.createFile("/begun/" + file, [])
        }
        try disk.createFile("/lost/LOCK", [])
        try disk.createFile("/lost/segments/00000000-0000-4000-8000-000000000001.kseg", [1])
        // As a kill leaves it: with a log.
        self.disk = try FaultyDisk(disk.crash(seed: seed, .keepAll))
        simulated.close()
    }
}

/// One walk, on a disk with at most one fault.
private final class Tour {
    private let start: TourStart
    private let disk: FaultyDisk
    private let simulated: SimulatedStore
    private let isFaulty: Bool
    private var attempt = 0
    /// Whether disks that a crash left are looked at.
    var crashes = false

    init(_ start: TourStart, fault: DiskFault?) throws {
        self.start = start
        disk = try FaultyDisk(start.image())
        simulated = try SimulatedStore(disk)
        isFaulty = fault != nil
        if let fault { disk.inject(fault) }
    }

    /// Walks to the end; how many calls the disk got.
    func run(_ result: inout CampaignResult) throws -> Int {
        let images = Mutex<[(disk: MemoryDisk, note: String)]>([])
        let faulty = isFaulty
        let disk = disk
        if crashes {
            disk.observe { kind, path in
                // Of a walk with a fault, what a call that failed leads to is new.
                guard !faulty || disk.trace.contains(where: { $0.errno != 0 }) else { return }
                CallSites.note(.crashed)
                images.withLock { images in
                    if faulty, images.count >= 3 { return }
                    let models: [CrashModel] = [.any, .keepAll, .loseAll]
                    let model = models[images.count % models.count]
                    guard let left = try? disk.crash(seed: UInt64(images.count), model) else { return }
                    images.append((left, "crash before \(kind.rawValue) \(path), \(model)"))
                }
            }
        }
        for step in [open, look, giveUp, repairs, creations] { try take(step, &result) }
        disk.observe(nil)
        let calls = disk.callCount
        disk.clearFaults()
        simulated.close()
        try check(disk, "at the end", &result)
        for image in images.withLock({ $0 }) {
            result.count("images")
            try check(image.disk, image.note, &result)
        }
        return calls
    }

    /// Takes a step; after an error once more, on a disk that works.
    private func take(_ step: () throws -> Void, _ result: inout CampaignResult) throws {
        do {
            try step()
        } catch let error as StoreError {
            result.count("error: \(error.kind.rawValue)")
            guard isFaulty else { throw error }
            disk.clearFaults()
            attempt += 1
            try simulated.open()
            try step()
        }
    }

    /// With a note of doubt, and a file too many.
    private func open() throws { try simulated.open() }

    private func look() throws {
        let store = try simulated.opened()
        _ = try store.info()
        _ = try store.usage()
        _ = try store.verify()
        _ = try simulated.digest()
    }

    /// A load that its caller gives up when it has written several files.
    private func giveUp() throws {
        let store = try simulated.opened()
        guard let id = store.snapshot().series(named: "pulse")?.id else { throw StoreError(.unknownSeries, "no pulse") }
        var random = SeededGenerator(seed: start.seed)
        let samples = StoreScript.samples(&random, 6_000)
        let (starts, ends, values) = (samples.map(\.start), samples.map(\.end), samples.map(\.value))
        do {
            try store.bulkLoad { loader throws(StoreError) in
                try loader.append(to: id, starts: starts.span, ends: ends.span, values: values.span)
                throw StoreError(.cancelled, "enough")
            }
        } catch let error as StoreError where error.kind == .cancelled {}
    }

    /// Into a directory that is there, and into one that is not.
    private func repairs() throws {
        simulated.close()
        let options = simulated.options
        for target in attempt == 0 ? ["/room", "/fresh"] : ["/fresh \(attempt)"] {
            let report = try TimeSeriesStore.repair(from: SimulatedStore.path, to: target, options: options)
            let repaired = try TimeSeriesStore.open(at: target, options: options)
            defer { repaired.close() }
            // What could not be read is lost, and said to be.
            if try report.isComplete && SimulatedStore.digest(of: repaired) != start.digest {
                throw CampaignError("a repair lost something and does not say so")
            }
        }
    }

    /// Stores that are made where something is already, and one that is not used.
    private func creations() throws {
        let options = simulated.options
        let begun = try TimeSeriesStore.openOrCreate(at: "/begun", options: options)
        defer { begun.close() }
        try begun.series("pulse", kind: .discrete)
        var random = SeededGenerator(seed: start.seed)
        try begun.perform(.load([("pulse", StoreScript.samples(&random, 6_000))]))
        let unused = try TimeSeriesStore.openOrCreate(at: "/unused \(attempt)", options: options)
        unused.closeAndRemoveIfUnused()
        do {
            try TimeSeriesStore.openOrCreate(at: "/lost", options: options).close()
            throw CampaignError("a store without its catalog opens")
        } catch let error as StoreError where error.kind == .corrupt {}
    }

    /// What is on a disk is what was there, and sound.
    private func check(_ disk: any Disk, _ note: String, _ result: inout CampaignResult) throws {
        let left = try SimulatedStore(disk)
        do {
            try left.open()
            if try left.digest() != start.digest { result.fail("\(note): the store holds something else") }
            if let problem = try left.opened().verify().problems.first {
                result.fail("\(note): verify finds \(problem.path): \(problem.message)")
            }
        } catch {
            result.fail("\(note): \(error)")
        }
        left.close()
    }
}
