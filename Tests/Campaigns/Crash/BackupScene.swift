// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Kymograph
import TestSupport

/// What is done where a copy of a store, or of its log, is made or taken back.
enum BackupWay: String, CaseIterable, Sendable {
    /// Into a place that does not exist.
    case first
    /// The same, after one that was interrupted before it was complete.
    case partial
    /// The same, after one that was complete and interrupted before it got its name, and another one after that.
    case unnamed
    /// Into a directory that was there, after one that was interrupted.
    case begun
    /// Over an earlier one, after one that was interrupted.
    case again
    /// Over one of the same commit.
    case unchanged
    /// Over an earlier one, while the store lacks a segment.
    case missing
    /// Into a place that does not exist, while the store lacks a segment.
    case missingFirst
    /// To a place that does not exist.
    case restore
    /// To an empty directory, after one that was interrupted.
    case restoreAgain
    /// To where one was interrupted before its catalog got its name.
    case restoreUnnamed
    /// Opening a store whose log was about to be written again: the copy of the log ends early.
    case cutCopy
    /// The same with a copy of the right length.
    case tornCopy

    var makesBackup: Bool {
        switch self {
        case .first, .partial, .unnamed, .begun, .again, .unchanged, .missing, .missingFirst: true
        case .restore, .restoreAgain, .restoreUnnamed, .cutCopy, .tornCopy: false
        }
    }

    var restores: Bool { [.restore, .restoreAgain, .restoreUnnamed].contains(self) }

    /// How it ends on a sound disk, if it does not succeed.
    var refusal: StoreError.Kind? { self == .missing || self == .missingFirst ? .corrupt : nil }
}

/// A disk on which one of the ways begins.
struct BackupScene: Sendable {
    static let place = SimulatedStore.path + "-backup"
    static let restored = SimulatedStore.path + "-restored"
    static let copy = SimulatedStore.path + "/kymograph.sqlite-wal-copy"
    /// What is made of it before the log is touched.
    static let secondCopy = copy + "2"

    let way: BackupWay
    private(set) var files: [String: [UInt8]]
    private(set) var directories: Set<String> = []
    /// The fingerprint of what the store holds.
    let held: UInt64
    /// That of what a backup of an earlier commit holds, where one is in its place, or lacks only its name.
    let earlier: UInt64?
    /// A segment of the store that the earlier backup lacks.
    let segment: (path: String, bytes: [UInt8])

    /// A disk of that kind, for one walk.
    func image() -> MemoryDisk { MemoryDisk(directories: directories.sorted(), files: files) }

    /// A scene for each way.
    static func all(seed: UInt64) throws -> [BackupScene] {
        let stages = try Stages(seed: seed)
        return try BackupWay.allCases.map { try BackupScene($0, stages, seed) }
    }

    private init(_ way: BackupWay, _ stages: Stages, _ seed: UInt64) throws {
        self.way = way
        held = stages.held
        segment = stages.segment
        earlier = [.again, .missing, .unnamed].contains(way) ? stages.earlier : nil
        files =
            switch way {
            case .first, .partial, .unnamed, .begun, .missingFirst: stages.closed.filter { $0.key.hasPrefix("store/") }
            case .again, .missing: stages.closed
            case .unchanged, .restore, .restoreAgain, .restoreUnnamed: stages.later
            case .cutCopy, .tornCopy: stages.hot
            }
        var random = SeededGenerator(seed: seed ^ 0xBAC)
        switch way {
        case .first, .unchanged, .restore: break
        case .partial: leave("store-backup.partial/", &random)
        case .unnamed:
            for (path, bytes) in stages.closed where path.hasPrefix("store-backup/") {
                files["store-backup.partial/" + path.dropFirst("store-backup/".count)] = bytes
            }
            leave("store-backup.partial/", &random)
        case .begun: leave("store-backup/", &random)
        case .again: leave("store-backup/", &random)
        case .missing, .missingFirst: files[segment.path] = nil
        case .restoreAgain:
            directories = ["store-restored"]
            files["store-restored.partial/RESTORE"] = []
            files["store-restored.partial/LOCK"] = []
            files["store-restored.partial/kymograph.sqlite.new"] = part(of: stages.catalog, &random)
            for (path, bytes) in files where path.hasPrefix("store/segments/") {
                files["store-restored.partial/" + path.dropFirst("store/".count)] = part(of: bytes, &random)
            }
        case .restoreUnnamed:
            // And another one before it made its mark.
            directories = ["store-restored.partial"]
            files["store-restored/RESTORE"] = []
            files["store-restored/LOCK"] = []
            files["store-restored/kymograph.sqlite.new"] = stages.catalog
            for (path, bytes) in files where path.hasPrefix("store/segments/") {
                files["store-restored/" + path.dropFirst("store/".count)] = bytes
            }
        case .cutCopy, .tornCopy:
            files["store/DOUBT"] = []
            files["store/kymograph.sqlite-wal-copy"] = part(of: stages.copy, &random)
            guard way == .tornCopy else { break }
            var torn = stages.copy
            let begin = random.below(torn.count)
            for i in begin..<min(torn.count, begin + 512) { torn[i] = ~torn[i] }
            files["store/kymograph.sqlite-wal-copy"] = torn
        }
    }

    /// Puts into a directory all that an interrupted backup may have left there.
    private mutating func leave(_ root: String, _ random: inout SeededGenerator) {
        files[root + "BACKUP"] = []
        files[root + "MANIFEST.new"] = part(of: Array("kymograph backup 1\nstore \n".utf8), &random)
        files[root + "catalog.new"] = part(of: files["store/kymograph.sqlite"] ?? [], &random)
        files[root + "catalog-1-00000000.sqlite"] = part(of: files["store/kymograph.sqlite"] ?? [], &random)
        let name = segment.path.dropFirst("store/".count)
        files[root + name + ".new"] = part(of: segment.bytes, &random)
        files[root + "segments/00000000-0000-4000-8000-000000000000.kseg"] = part(of: segment.bytes, &random)
    }

    private func part(of bytes: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        Array(bytes.prefix(random.below(bytes.count)))
    }
}

/// The files of a store as its life goes on.
private struct Stages {
    /// An earlier backup, and a store that went on and was closed.
    private(set) var closed: [String: [UInt8]] = [:]
    /// The store as a kill leaves it: with a log.
    private(set) var hot: [String: [UInt8]] = [:]
    /// Store and backup alike.
    private(set) var later: [String: [UInt8]] = [:]
    /// A whole copy of the log of `hot`.
    private(set) var copy: [UInt8] = []
    let earlier: UInt64
    let held: UInt64
    let segment: (path: String, bytes: [UInt8])

    var catalog: [UInt8] { closed["store/kymograph.sqlite"] ?? [] }

    init(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed ^ 0x57A6E)
        let disk = MemoryDisk()
        let simulated = try SimulatedStore(disk)
        try simulated.create()
        var model = StoreModel()
        func perform(_ operation: StoreOperation) throws {
            try simulated.perform(operation)
            model.apply(operation)
        }
        try perform(.series("pulse", .discrete))
        try perform(.load([("pulse", StoreScript.samples(&random, 1_500))]))
        try perform(.append("pulse", StoreScript.samples(&random, 40)))
        try simulated.opened().backup(to: BackupScene.place)
        earlier = model.digest
        let known = Set(disk.files.keys)
        try perform(.load([("pulse", StoreScript.samples(&random, 1_500))]))
        try perform(.append("pulse", StoreScript.samples(&random, 30)))
        held = model.digest
        hot = disk.files
        copy = try Self.copy(of: hot)
        simulated.close()
        closed = disk.files
        let new = closed.first { $0.key.hasPrefix("store/segments/") && !known.contains($0.key) }
        guard let new else { throw CampaignError("the load made no segment") }
        segment = (new.key, new.value)
        try simulated.open(.readOnly)
        try simulated.opened().backup(to: BackupScene.place)
        simulated.close()
        later = disk.files
    }

    /// The copy that a writer in doubt makes of a log.
    private static func copy(of files: [String: [UInt8]]) throws -> [UInt8] {
        let disk = try FaultyDisk(MemoryDisk(directories: [], files: files))
        try disk.createFile(SimulatedStore.path + "/DOUBT", [])
        disk.inject(DiskFault([.write], pathSuffix: "kymograph.sqlite-wal", forever: true))
        let doubtful = try SimulatedStore(disk)
        try? doubtful.open()
        doubtful.close()
        disk.clearFaults()
        return try disk.contents(of: BackupScene.copy, limit: 1 << 24)
    }
}
