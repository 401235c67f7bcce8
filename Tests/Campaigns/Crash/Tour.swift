// SPDX-License-Identifier: Apache-2.0

import Catalog
import FileSystem
import Kymograph
import Synchronization
import TestSupport

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
        // Something for a merge to leave out, and then deletions to forget.
        let more = StoreScript.samples(&random, 3_000)
        try store.perform(.load([("pulse", more)]))
        let deleted = [more[500].start, more[1_500].start, more[2_000].start].sorted()
        try store.perform(.delete("pulse", TimeRange(deleted[0], deleted[1])))
        try store.perform(.delete("pulse", TimeRange(deleted[1], deleted[2] + 1)))
        digest = try simulated.digest()
        // A writer in doubt, a file that no commit names, a store that was begun, and one without its catalog.
        try disk.createFile("/store/DOUBT", [])
        try disk.createFile("/store/segments/00000000-0000-4000-8000-000000000000.kseg", [1, 2, 3])
        for folder in ["/room", "/begun", "/begun/segments", "/lost", "/lost/segments", "/bare", "/unfinished"] {
            try disk.createDirectory(folder)
        }
        for file in ["LOCK", "kymograph.sqlite.new", "kymograph.sqlite.new-wal"] {
            try disk.createFile("/begun/" + file, [])
        }
        // What a repair leaves that is killed when its store has its name.
        for file in ["REPAIR", "WITNESS.new"] { try disk.createFile("/store/" + file, []) }
        // And what one left that was killed before.
        try disk.createDirectory("/left")
        try disk.createDirectory("/left/segments")
        for file in ["REPAIR", "LOCK", "kymograph.sqlite.new", "segments/00000000-0000-4000-8000-000000000002.kseg"] {
            try disk.createFile("/left/" + file, [])
        }
        try disk.createFile("/bare/WITNESS", [1])
        try disk.createFile("/unfinished/BACKUP", [])
        try disk.createFile("/lost/LOCK", [])
        try disk.createFile("/lost/segments/00000000-0000-4000-8000-000000000001.kseg", [1])
        try Self.tear(disk)
        // As a kill leaves it: with a log.
        self.disk = try FaultyDisk(disk.crash(seed: seed, .keepAll))
        simulated.close()
    }

    /// The store once more, as a power cut leaves it that tears the log while it is written again.
    private static func tear(_ disk: FaultyDisk) throws {
        try disk.createDirectory("/torn")
        try disk.createDirectory("/torn/segments")
        let whole = try disk.crash(seed: 0, .keepAll)
        for (path, bytes) in whole.files where path.hasPrefix("store/") && !path.hasSuffix("-shm") {
            let place = "/torn/" + path.dropFirst("store/".count)
            guard path.hasSuffix("-wal") else {
                try disk.createFile(place, bytes)
                continue
            }
            try disk.createFile(place, Array(bytes.prefix(bytes.count / 3)))
            func little(_ number: some FixedWidthInteger) -> [UInt8] {
                (0..<number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
            }
            let header = Array("KymoCopy".utf8) + little(Int64(bytes.count)) + little(CatalogVFS.checksum(bytes))
            try disk.createFile(place + "-copy", header + bytes)
        }
    }
}

/// One walk, on a disk with at most one fault.
final class Tour {
    private let start: TourStart
    private let disk: FaultyDisk
    private let simulated: SimulatedStore
    private let isFaulty: Bool
    private var attempt = 0
    /// Of the calls of a walk, those of the repairs.
    private(set) var repairing = 0..<0
    /// Whether disks that a crash left are looked at.
    var crashes = false

    init(_ start: TourStart, fault: DiskFault?) throws {
        self.start = start
        disk = try FaultyDisk(start.image())
        simulated = try SimulatedStore(disk)
        isFaulty = fault != nil
        if let fault { disk.inject(fault) }
    }

    /// Walks to the end; the calls that the disk got.
    func run(_ result: inout CampaignResult) throws -> [DiskCallKind] {
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
        for step in [open, look, giveUp, merge, share, repairs, backups, creations] { try take(step, &result) }
        disk.observe(nil)
        let calls = disk.trace.map(\.kind)
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
            result.count("error: \(error.kind.name)")
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

    /// Everything, while somebody reads what was there before.
    private func merge() throws {
        let store = try simulated.opened()
        try simulated.withReader { reader in
            try store.compact()
            if try store.info().deletions != 1 { throw CampaignError("a compaction did not forget what it can") }
            let digest = try SimulatedStore.digest(of: reader)
            if digest != start.digest { throw CampaignError("a merge changed what a reader sees") }
            try reader.refresh()
        }
        // Now the old files can go.
        try simulated.open()
    }

    /// A store that is shared: another one writes, waits, and lets this one in.
    private func share() throws {
        simulated.close()
        var options = simulated.options
        options.writerWait = .zero
        options.writerIdle = .seconds(3_600)
        let store = try TimeSeriesStore.open(at: SimulatedStore.path, mode: .shared, options: options)
        defer { store.close() }
        try store.seal()
        let waiting = try lock(byte: 1, exclusive: false)
        defer { waiting?.release() }
        store.giveWay()
        let writing = try lock(byte: 0, exclusive: true)
        defer { writing?.release() }
        do {
            try store.seal()
            throw CampaignError("two writers")
        } catch let error as StoreError where error.kind == .locked {}
        waiting?.release()
        writing?.release()
        try store.seal()
    }

    /// Of another opening.
    private func lock(byte: Int64, exclusive: Bool) throws(StoreError) -> (any DiskLock)? {
        do {
            return try disk.lock(SimulatedStore.path + "/LOCK", exclusive: exclusive, byte: byte)
        } catch {
            throw StoreError(.inputOutput, "\(error)")
        }
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

    /// Into a directory that is there, into one that is not, and into what an interrupted repair left.
    private func repairs() throws {
        simulated.close()
        let first = disk.trace.count
        defer { repairing = first..<disk.trace.count }
        let options = simulated.options
        var targets = attempt == 0 ? ["/room", "/fresh"] : ["/fresh \(attempt)"]
        if try disk.crash(seed: 0, .keepAll).files["left/kymograph.sqlite"] == nil { targets.append("/left") }
        let whole = targets.map { (SimulatedStore.path, $0) }
        let torn = ["/mended \(attempt)", "/mended again \(attempt)"].map { ("/torn", $0) }
        for (store, target) in whole + torn {
            let report = try TimeSeriesStore.repair(from: store, to: target, options: options)
            let repaired = try TimeSeriesStore.open(at: target, options: options)
            defer { repaired.close() }
            // What could not be read is lost, and said to be.
            if try report.isComplete && SimulatedStore.digest(of: repaired) != start.digest {
                throw CampaignError("a repair lost something and does not say so")
            }
        }
    }

    /// A backup is checked, with its mark and without, and neither it nor one that was begun passes for a store.
    private func backups() throws {
        let options = simulated.options
        let place = "/kept \(attempt)"
        try simulated.open(.readOnly)
        try simulated.opened().backup(to: place)
        simulated.close()
        for round in 0..<2 {
            let report = try TimeSeriesStore.verifyBackup(at: place, options: options)
            // A disk that cannot read a file cannot say that it is sound.
            if !isFaulty, let problem = report.problems.first {
                throw CampaignError("a backup is damaged: \(problem.path): \(problem.message)")
            }
            for other in [place, "/unfinished"] {
                do {
                    try TimeSeriesStore.open(at: other, options: options).close()
                    throw CampaignError("a backup opens as a store")
                } catch let error as StoreError where error.kind == .isBackup {}
            }
            if round == 0 { try onDisk { try disk.remove(place + "/BACKUP") } }
        }
    }

    private func onDisk(_ body: () throws -> Void) throws {
        do { try body() } catch let error as DiskError { throw StoreError(.inputOutput, "\(error)") }
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
        // All that is left of a store is that there was one.
        let report = try TimeSeriesStore.repair(from: "/bare", to: "/bare new \(attempt)", options: options)
        if report.isComplete { throw CampaignError("nothing is left of a store, and nothing is said to be lost") }
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
