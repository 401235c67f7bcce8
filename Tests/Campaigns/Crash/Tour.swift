// SPDX-License-Identifier: Apache-2.0

import Catalog
import FileSystem
import Kymograph
import Synchronization
import TestSupport

/// The initial disk of a tour.
struct TourStart: Sendable {
    private let disk: FaultyDisk
    /// The digest of the store.
    let digest: UInt64
    let seed: UInt64

    /// Returns a copy of the disk for one tour.
    func image() throws -> MemoryDisk { try disk.crash(seed: seed, .keepAll) }

    init(seed: UInt64) throws {
        self.seed = seed
        var random = SeededGenerator(seed: seed)
        let disk = try FaultyDisk()
        let simulated = try SimulatedStore(disk)
        try simulated.create()
        let store = try simulated.opened()
        try store.series("canary pulse", kind: .discrete)
        try store.perform(.append("canary pulse", StoreScript.samples(&random, 50)))
        try store.perform(.load([("canary pulse", StoreScript.samples(&random, 3_000))]))
        try store.perform(.append("canary pulse", StoreScript.samples(&random, 40)))
        // Samples that a merge drops, and then tombstones to remove.
        let more = StoreScript.samples(&random, 3_000)
        try store.perform(.load([("canary pulse", more)]))
        let deleted = [more[500].start, more[1_500].start, more[2_000].start].sorted()
        try store.perform(.delete("canary pulse", TimeRange(deleted[0], deleted[1])))
        try store.perform(.delete("canary pulse", TimeRange(deleted[1], deleted[2] + 1)))
        digest = try simulated.digest()
        // An unknown-outcome mark, an orphaned segment, an unfinished store, and a store without its catalog.
        try disk.createFile("/store/DOUBT", [])
        try disk.createFile("/store/segments/00000000-0000-4000-8000-000000000000.kseg", [1, 2, 3])
        for folder in ["/room", "/begun", "/begun/segments", "/lost", "/lost/segments", "/bare", "/unfinished"] {
            try disk.createDirectory(folder)
        }
        for file in ["LOCK", "kymograph.sqlite.new", "kymograph.sqlite.new-wal"] {
            try disk.createFile("/begun/" + file, [])
        }
        // Files of a repair that was killed after its store got its name.
        for file in ["REPAIR", "WITNESS.new"] { try disk.createFile("/store/" + file, []) }
        // Files of a repair that was killed earlier.
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
        // The state after a kill, with a log.
        self.disk = try FaultyDisk(disk.crash(seed: seed, .keepAll))
        simulated.close()
    }

    /// Creates a copy of the store after a power cut that tore the log during its rewrite.
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
    let start: TourStart
    private let disk: FaultyDisk
    let simulated: SimulatedStore
    let isFaulty: Bool
    /// The number of steps that failed. It makes the paths of repeated steps new.
    private(set) var attempt = 0
    /// The range of the walk's calls that belong to the repairs.
    private(set) var repairing = 0..<0
    /// True if images of crashes are checked.
    var crashes = false

    init(_ start: TourStart, fault: DiskFault?) throws {
        self.start = start
        disk = try FaultyDisk(start.image())
        simulated = try SimulatedStore(disk)
        isFaulty = fault != nil
        if let fault { disk.inject(fault) } else { disk.keepWays() }
    }

    /// Runs the walk to its end. Returns the calls to the disk.
    func run(_ result: inout CampaignResult) throws -> [DiskCall] {
        let images = Mutex<[(disk: MemoryDisk, note: String)]>([])
        let faulty = isFaulty
        let disk = disk
        if crashes {
            disk.observe { kind, path in
                // In a walk with a fault only the calls after the failure are new.
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
        let steps = [open, look, giveUp, merge, share, changeKeys, copies, repairs, backups, creations]
        for step in steps { try take(step, &result) }
        disk.observe(nil)
        let calls = disk.trace
        disk.clearFaults()
        simulated.close()
        try check(disk, "at the end", &result)
        for image in images.withLock({ $0 }) {
            result.count("images")
            try check(image.disk, image.note, &result)
        }
        return calls
    }

    /// Runs a step; after an error runs it again on a working disk.
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

    /// Opens a store with an unknown-outcome mark and an orphaned segment.
    private func open() throws { try simulated.open() }

    private func look() throws {
        let store = try simulated.opened()
        _ = try store.info()
        _ = try store.usage()
        _ = try store.verify()
        _ = try simulated.digest()
    }

    /// Merges everything while a reader holds the earlier state.
    private func merge() throws {
        let store = try simulated.opened()
        try simulated.withReader { reader in
            try store.compact()
            if try store.info().deletions != 1 { throw CampaignError("a compaction kept removable tombstones") }
            let digest = try SimulatedStore.digest(of: reader)
            if digest != start.digest { throw CampaignError("a merge changed a reader's snapshot") }
            try reader.refresh()
        }
        // The old files can be removed now.
        try simulated.open()
    }

    /// Shares a store: another opening writes, waits, and releases the writer.
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

    /// Takes a lock as another opening would.
    private func lock(byte: Int64, exclusive: Bool) throws(StoreError) -> (any DiskLock)? {
        do {
            return try disk.lock(SimulatedStore.path + "/LOCK", exclusive: exclusive, byte: byte)
        } catch {
            throw StoreError(.inputOutput, "\(error)")
        }
    }

    /// Runs a load that its caller cancels after several files.
    private func giveUp() throws {
        let store = try simulated.opened()
        guard let id = store.snapshot().series(named: "canary pulse")?.id else {
            throw StoreError(.unknownSeries, "no pulse")
        }
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

    /// Repairs into an existing directory, a new one, and one left by an interrupted repair.
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
            // Unreadable data must be reported as lost.
            if try report.isComplete && SimulatedStore.digest(of: repaired) != start.digest {
                throw CampaignError("a repair lost data without reporting it")
            }
        }
    }

    /// Verifies a backup, with and without its mark. Neither it nor an unfinished one may open as a store.
    private func backups() throws {
        let options = simulated.options
        let place = "/kept \(attempt)"
        try simulated.open(.readOnly)
        try simulated.opened().backup(to: place)
        simulated.close()
        for round in 0..<2 {
            let report = try TimeSeriesStore.verifyBackup(at: place, options: options)
            // A disk with a fault may report unreadable files.
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

    /// Creates stores over existing files, and an unused store.
    private func creations() throws {
        let options = simulated.options
        let begun = try TimeSeriesStore.openOrCreate(at: "/begun", options: options)
        defer { begun.close() }
        try begun.series("canary pulse", kind: .discrete)
        var random = SeededGenerator(seed: start.seed)
        try begun.perform(.load([("canary pulse", StoreScript.samples(&random, 6_000))]))
        let unused = try TimeSeriesStore.openOrCreate(at: "/unused \(attempt)", options: options)
        unused.closeAndRemoveIfUnused()
        do {
            try TimeSeriesStore.openOrCreate(at: "/lost", options: options).close()
            throw CampaignError("a store without its catalog opens")
        } catch let error as StoreError where error.kind == .corrupt {}
        // Only traces of the store are left.
        let report = try TimeSeriesStore.repair(from: "/bare", to: "/bare new \(attempt)", options: options)
        if report.isComplete { throw CampaignError("the remains of a store were repaired without a loss") }
    }

    /// Expects that the store on a disk is unchanged and intact.
    private func check(_ disk: any Disk, _ note: String, _ result: inout CampaignResult) throws {
        let left = try SimulatedStore(disk)
        do {
            try left.open()
            if try left.digest() != start.digest { result.fail("\(note): the store has the wrong content") }
            if let problem = try left.opened().verify().problems.first {
                result.fail("\(note): verify reports \(problem.path): \(problem.message)")
            }
        } catch {
            result.fail("\(note): \(error)")
        }
        left.close()
    }
}
