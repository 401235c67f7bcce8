// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Kymograph
import TestSupport

/// The ways in which a copy of a store, or of its log, is made or restored.
enum BackupWay: String, CaseIterable, Sendable {
    /// A backup to a new path.
    case first
    /// A backup to a new path, after an interrupted incomplete one.
    case partial
    /// A backup to a new path, after a complete one without its name and an interrupted one after that.
    case unnamed
    /// A backup to an existing directory, after an interrupted one.
    case begun
    /// A backup over an earlier one, after an interrupted one.
    case again
    /// A backup over one of the same commit.
    case unchanged
    /// A backup over an earlier one, while the store lacks a segment.
    case missing
    /// A backup to a new path, while the store lacks a segment.
    case missingFirst
    /// A restoration to a new path.
    case restore
    /// A restoration to an empty directory, after an interrupted one.
    case restoreAgain
    /// A restoration after another, which was interrupted before its catalog got its name.
    case restoreUnnamed
    /// An opening for writing before the log is rewritten, with a truncated copy of the log.
    case cutCopy
    /// An opening for writing before the log is rewritten, with a damaged copy of the right length.
    case tornCopy

    var makesBackup: Bool {
        switch self {
        case .first, .partial, .unnamed, .begun, .again, .unchanged, .missing, .missingFirst: true
        case .restore, .restoreAgain, .restoreUnnamed, .cutCopy, .tornCopy: false
        }
    }

    var restores: Bool { [.restore, .restoreAgain, .restoreUnnamed].contains(self) }

    /// The expected error on an intact disk; nil for success.
    var refusal: StoreError.Kind? { self == .missing || self == .missingFirst ? .corrupt : nil }
}

/// A disk at the start of one of the ways.
struct BackupScene: Sendable {
    static let place = SimulatedStore.path + "-backup"
    static let restored = SimulatedStore.path + "-restored"
    static let copy = SimulatedStore.path + "/kymograph.sqlite-wal-copy"
    /// A second copy of the log, made before the log is changed.
    static let secondCopy = copy + "2"

    let way: BackupWay
    private(set) var files: [String: [UInt8]]
    private(set) var directories: Set<String> = []
    /// The digest of the store.
    let held: UInt64
    /// The digest of the backup of an earlier commit, if one exists, with or without its name.
    let earlier: UInt64?
    /// A segment of the store that the earlier backup lacks.
    let segment: (path: String, bytes: [UInt8])

    /// Returns a copy of the disk, for one walk.
    func image() -> MemoryDisk { MemoryDisk(directories: directories.sorted(), files: files) }

    /// Returns a scene for each way.
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
            // Also an interrupted restoration before it made its mark.
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

    /// Adds all files that an interrupted backup may leave in a directory.
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

/// The files of a store at several moments.
private struct Stages {
    /// An earlier backup, and a store that was changed and closed.
    private(set) var closed: [String: [UInt8]] = [:]
    /// The store in the state after a kill, with a log.
    private(set) var hot: [String: [UInt8]] = [:]
    /// Store and backup of the same commit.
    private(set) var later: [String: [UInt8]] = [:]
    /// A complete copy of the log of `hot`.
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
        try perform(.series("canary pulse", .discrete))
        try perform(.load([("canary pulse", StoreScript.samples(&random, 1_500))]))
        try perform(.append("canary pulse", StoreScript.samples(&random, 40)))
        try simulated.opened().backup(to: BackupScene.place)
        earlier = model.digest
        let known = Set(disk.files.keys)
        try perform(.load([("canary pulse", StoreScript.samples(&random, 1_500))]))
        try perform(.append("canary pulse", StoreScript.samples(&random, 30)))
        held = model.digest
        hot = disk.files
        copy = try Self.copy(of: hot)
        simulated.close()
        closed = disk.files
        let new = closed.first { $0.key.hasPrefix("store/segments/") && !known.contains($0.key) }
        guard let new else { throw CampaignError("the load created no segment") }
        segment = (new.key, new.value)
        try simulated.open(.readOnly)
        try simulated.opened().backup(to: BackupScene.place)
        simulated.close()
        later = disk.files
    }

    /// Returns the copy that a writer makes of a log with an unknown-outcome mark.
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
