// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Kymograph
import TestSupport

/// Says whether a disk holds what it must after a backup, a restoration or an opening, however that ended.
struct BackupJudge {
    private let scene: BackupScene
    private let note: String

    init(_ scene: BackupScene, _ note: String) {
        self.scene = scene
        self.note = note
    }

    /// - Parameters:
    ///   - isDone: whether success was told.
    ///   - goesOn: whether the next backup is made, or the next restoration, and must succeed.
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

    /// The store is whole, and no segment was touched. One that lacked a segment gets it back first.
    private func source(_ image: MemoryDisk, _ simulated: SimulatedStore, _ result: inout CampaignResult) throws {
        let found = image.files
        for (path, bytes) in scene.files where path.hasPrefix("store/segments/") && found[path] != bytes {
            result.fail("\(note): \(path) is another")
        }
        if scene.way.refusal != nil { try image.createFile("/" + scene.segment.path, scene.segment.bytes) }
        try simulated.open()
        try expectHeld(simulated.opened(), "the store", &result)
    }

    /// The place holds no backup, the earlier one, or that of the store.
    private func backup(_ simulated: SimulatedStore, _ isDone: Bool, _ result: inout CampaignResult) throws {
        let now: UInt64? = scene.way.refusal == nil ? scene.held : scene.earlier
        var allowed = isDone ? [now] : [now, scene.earlier]
        if scene.way == .unchanged { allowed = [scene.held] }
        let shown = try shown(simulated, BackupScene.place, "/shown")
        if scene.way == .unnamed, !isDone, shown == nil {
            // Before it gets its name it is whole beside.
            allowed.append(nil)
            if try self.shown(simulated, BackupScene.place + ".partial", "/shown beside") != scene.earlier {
                result.fail("\(note): the backup that lacked its name is gone")
            }
        }
        if !allowed.contains(shown) { result.fail("\(note): the backup shows something else, or is gone: \(isDone)") }
        result.count(shown == nil ? "no backup" : shown == scene.held ? "the backup" : "the earlier backup")
    }

    /// The next backup succeeds and clears up.
    private func nextBackup(
        _ image: MemoryDisk, _ simulated: SimulatedStore, _ result: inout CampaignResult
    ) throws {
        try simulated.opened().backup(to: BackupScene.place)
        if try shown(simulated, BackupScene.place, "/shown again") != scene.held {
            result.fail("\(note): the next backup shows something else")
        }
        let text = try image.contents(of: BackupScene.place + "/MANIFEST", limit: 1 << 20)
        let lines = String(decoding: text, as: UTF8.self).split(separator: "\n").filter { $0.hasPrefix("file ") }
        let named = lines.compactMap { $0.split(separator: " ").last.map(String.init) }
        let wanted = Set((named + ["BACKUP", "MANIFEST"]).map { "store-backup/" + $0 })
        let others = wanted.symmetricDifference(image.files.keys.filter { $0.hasPrefix("store-backup") })
        if !others.isEmpty { result.fail("\(note): the next backup left, or lacks, \(others.sorted())") }
    }

    /// What is restored from a place; nil where it is refused as no backup.
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

    /// The backup is as it was; the store is whole or not there, and then the next restoration succeeds.
    private func restoration(
        _ image: MemoryDisk, _ simulated: SimulatedStore, _ isDone: Bool, _ goesOn: Bool,
        _ result: inout CampaignResult
    ) throws {
        let found = image.files.filter { $0.key.hasPrefix("store-backup/") }
        if found != scene.files.filter({ $0.key.hasPrefix("store-backup/") }) {
            result.fail("\(note): the backup is another")
        }
        do throws(StoreError) {
            let store = try TimeSeriesStore.open(at: BackupScene.restored, options: simulated.options)
            defer { store.close() }
            try expectHeld(store, "the restored store", &result)
            if store.currentAnchor().epoch == 0 { result.fail("\(note): the restored store began no epoch") }
            result.count("a restored store")
        } catch {
            // There is none, or one that still lacks the name of its catalog.
            guard error.kind == .notAStore, !isDone else { throw error }
            result.count("no restored store")
            guard goesOn else { return }
            try BackupWalk.take(.restore, simulated)
            let store = try TimeSeriesStore.open(at: BackupScene.restored, options: simulated.options)
            defer { store.close() }
            try expectHeld(store, "the store of the next restoration", &result)
        }
        if image.files.keys.contains(where: { $0.hasPrefix("store-restored.partial") }) {
            result.fail("\(note): something is left over")
        }
    }

    /// Saves something in a restored store and cuts the power: it must be there.
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
            if store.snapshot().count(of: id) != 1 { result.fail("\(note): what was saved afterwards is gone") }
        } catch {
            result.fail("\(note): a restored store that took a save is gone: \(error)")
        }
    }

    // MARK: Openings

    /// The store holds everything, for a reader and for a writer, and the copy of its log is gone.
    private func opening(_ image: MemoryDisk, _ simulated: SimulatedStore, _ result: inout CampaignResult) throws {
        do {
            try simulated.open(.readOnly)
            if try simulated.digest() != scene.held { result.fail("\(note): a reader sees something else") }
        } catch let error as StoreError {
            // A log that is torn while its copy is whole takes a writer.
            guard error.kind == .readOnly, try hasCopy(image) else { throw error }
            result.count("readers that need a writer first")
        }
        try simulated.open()
        try expectHeld(simulated.opened(), "the store", &result)
        if try hasCopy(image) { result.fail("\(note): a copy of the log is left over") }
    }

    private func hasCopy(_ image: MemoryDisk) throws -> Bool {
        try image.exists(BackupScene.copy) || image.exists(BackupScene.secondCopy)
    }

    private func expectHeld(
        _ store: TimeSeriesStore, _ what: String, _ result: inout CampaignResult
    ) throws(StoreError) {
        do {
            if try SimulatedStore.digest(of: store) != scene.held {
                result.fail("\(note): \(what) holds something else")
            }
        } catch {
            result.fail("\(note): \(what) cannot be read: \(error)")
        }
        for problem in try store.verify().problems.prefix(1) {
            result.fail("\(note): \(what): \(problem.path): \(problem.message)")
        }
    }
}
