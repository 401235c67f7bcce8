// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Kymograph
import TestSupport

/// Checks the content of a disk after a backup, a restoration or an opening, successful or not.
struct BackupJudge {
    private let scene: BackupScene
    private let note: String

    init(_ scene: BackupScene, _ note: String) {
        self.scene = scene
        self.note = note
    }

    /// - Parameters:
    ///   - isDone: true if success was reported.
    ///   - goesOn: true to run the next backup or restoration, which must succeed.
    func run(_ image: MemoryDisk, isDone: Bool, goesOn: Bool, _ result: inout CampaignResult) throws {
        do {
            let simulated = try SimulatedStore(image)
            defer { simulated.close() }
            if scene.way.restores {
                try restoration(image, simulated, isDone, goesOn, &result)
            } else if scene.way.makesBackup {
                try source(image, simulated, &result)
                try backup(simulated, isDone, &result)
                if goesOn { try nextBackup(image, simulated, &result) }
            } else {
                try opening(image, simulated, &result)
            }
        } catch {
            result.fail("\(note): \(error)")
        }
    }

    // MARK: Backups

    /// Expects a complete store with unchanged segments. A store that lacks a segment gets it back first.
    private func source(_ image: MemoryDisk, _ simulated: SimulatedStore, _ result: inout CampaignResult) throws {
        let found = image.files
        for (path, bytes) in scene.files where path.hasPrefix("store/segments/") && found[path] != bytes {
            result.fail("\(note): \(path) has changed")
        }
        if scene.way.refusal != nil { try image.createFile("/" + scene.segment.path, scene.segment.bytes) }
        try simulated.open()
        try expectHeld(simulated.opened(), "the store", &result)
    }

    /// Expects no backup, the earlier backup, or the backup of the current store.
    private func backup(_ simulated: SimulatedStore, _ isDone: Bool, _ result: inout CampaignResult) throws {
        let now: UInt64? = scene.way.refusal == nil ? scene.held : scene.earlier
        var allowed = isDone ? [now] : [now, scene.earlier]
        if scene.way == .unchanged { allowed = [scene.held] }
        let shown = try shown(simulated, BackupScene.place, "/shown")
        if scene.way == .unnamed, !isDone, shown == nil {
            // The unnamed backup is complete in the other place.
            allowed.append(nil)
            if try self.shown(simulated, BackupScene.place + ".partial", "/shown beside") != scene.earlier {
                result.fail("\(note): the unnamed backup is missing")
            }
        }
        if !allowed.contains(shown) { result.fail("\(note): the backup is wrong or missing: \(isDone)") }
        result.count(shown == nil ? "no backup" : shown == scene.held ? "the backup" : "the earlier backup")
    }

    /// Runs the next backup, which must succeed and remove leftovers.
    private func nextBackup(
        _ image: MemoryDisk, _ simulated: SimulatedStore, _ result: inout CampaignResult
    ) throws {
        try simulated.opened().backup(to: BackupScene.place)
        if try shown(simulated, BackupScene.place, "/shown again") != scene.held {
            result.fail("\(note): the next backup is wrong")
        }
        let text = try image.contents(of: BackupScene.place + "/MANIFEST", limit: 1 << 20)
        let lines = String(decoding: text, as: UTF8.self).split(separator: "\n").filter { $0.hasPrefix("file ") }
        let named = lines.compactMap { $0.split(separator: " ").last.map(String.init) }
        let wanted = Set((named + ["BACKUP", "MANIFEST"]).map { "store-backup/" + $0 })
        let others = wanted.symmetricDifference(image.files.keys.filter { $0.hasPrefix("store-backup") })
        if !others.isEmpty { result.fail("\(note): the next backup left or lacks \(others.sorted())") }
    }

    /// Returns the digest of a store restored from a place; nil if the place is refused as no backup.
    private func shown(_ simulated: SimulatedStore, _ place: String, _ target: String) throws -> UInt64? {
        do throws(StoreError) {
            try TimeSeriesStore.restore(from: place, to: target, options: simulated.options)
        } catch {
            guard error.kind == .notAStore else { throw error }
            return nil
        }
        let store = try TimeSeriesStore.open(at: target, options: simulated.options)
        defer { store.close() }
        if let first = try store.verify().problems.first {
            throw CampaignError("a restored store is damaged: \(first.path): \(first.message)")
        }
        return try SimulatedStore.digest(of: store)
    }

    // MARK: Restorations

    /// Expects an unchanged backup, and a complete store or none. Without a store the next restoration must succeed.
    private func restoration(
        _ image: MemoryDisk, _ simulated: SimulatedStore, _ isDone: Bool, _ goesOn: Bool,
        _ result: inout CampaignResult
    ) throws {
        let found = image.files.filter { $0.key.hasPrefix("store-backup/") }
        if found != scene.files.filter({ $0.key.hasPrefix("store-backup/") }) {
            result.fail("\(note): the backup has changed")
        }
        do throws(StoreError) {
            let store = try TimeSeriesStore.open(at: BackupScene.restored, options: simulated.options)
            defer { store.close() }
            try expectHeld(store, "the restored store", &result)
            if store.currentAnchor().epoch == 0 { result.fail("\(note): the restored store began no epoch") }
            result.count("a restored store")
        } catch {
            // No store, or a store whose catalog does not have its name yet.
            guard error.kind == .notAStore, !isDone else { throw error }
            result.count("no restored store")
            guard goesOn else { return }
            try BackupWalk.take(.restore, simulated)
            let store = try TimeSeriesStore.open(at: BackupScene.restored, options: simulated.options)
            defer { store.close() }
            try expectHeld(store, "the store of the next restoration", &result)
        }
        if image.files.keys.contains(where: { $0.hasPrefix("store-restored.partial") }) {
            result.fail("\(note): the restoration left files")
        }
    }

    /// Saves a series in a restored store and cuts the power. Expects that the series is durable.
    static func goOn(
        _ disk: FaultyDisk, _ options: StoreOptions, _ note: String, _ result: inout CampaignResult
    ) throws {
        let sample = Sample(start: 1, value: 42)
        let store = try TimeSeriesStore.open(at: BackupScene.restored, options: options)
        let id = try store.series("afterwards", kind: .discrete).id
        try store.append(to: id, [sample])
        store.close()
        let left = try SimulatedStore(disk.crash(seed: 0, .loseAll))
        do {
            let store = try TimeSeriesStore.open(at: BackupScene.restored, options: left.options)
            defer { store.close() }
            if store.snapshot().count(of: id) != 1 { result.fail("\(note): the series saved afterwards is missing") }
        } catch {
            result.fail("\(note): a restored store that accepted a save is missing: \(error)")
        }
    }

    // MARK: Openings

    /// Expects a complete store for readers and writers, and no copy of the log.
    private func opening(_ image: MemoryDisk, _ simulated: SimulatedStore, _ result: inout CampaignResult) throws {
        do {
            try simulated.open(.readOnly)
            if try simulated.digest() != scene.held { result.fail("\(note): a reader sees a wrong state") }
        } catch let error as StoreError {
            // A torn log with a complete copy requires a writer.
            guard error.kind == .readOnly, try hasCopy(image) else { throw error }
            result.count("readers that need a writer first")
        }
        try simulated.open()
        try expectHeld(simulated.opened(), "the store", &result)
        if try hasCopy(image) { result.fail("\(note): a copy of the log is left") }
    }

    private func hasCopy(_ image: MemoryDisk) throws -> Bool {
        try image.exists(BackupScene.copy) || image.exists(BackupScene.secondCopy)
    }

    private func expectHeld(
        _ store: TimeSeriesStore, _ what: String, _ result: inout CampaignResult
    ) throws(StoreError) {
        do {
            if try SimulatedStore.digest(of: store) != scene.held {
                result.fail("\(note): \(what) has the wrong content")
            }
        } catch {
            result.fail("\(note): cannot read \(what): \(error)")
        }
        for problem in try store.verify().problems.prefix(1) {
            result.fail("\(note): \(what): \(problem.path): \(problem.message)")
        }
    }
}
