// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import Cipher
import FileSystem
import Kymograph
import TestSupport

/// An intact store to be damaged: its files, its content, and the layout of its segments.
struct ReferenceStore: Sendable {
    /// A unit of a segment, or its header.
    struct Unit: Sendable {
        var kind: UnitKind?
        var range: Range<Int>
        var series: Int64
        /// The first and the last start of a block.
        var times: ClosedRange<Int64>
    }

    let seed: UInt64
    /// The files by normalized path: the store lies in `SimulatedStore.path`.
    private(set) var files: [String: [UInt8]] = [:]
    private(set) var directories: [String] = []
    /// The files some commits earlier.
    private(set) var older: [String: [UInt8]] = [:]
    private(set) var series: [Series] = []
    /// The samples by series number, in order.
    private(set) var samples: [Int64: [Sample]] = [:]
    /// The samples by series number, in the order of `Fingerprint`.
    private(set) var ordered: [Int64: [Sample]] = [:]
    /// The deleted samples whose bytes still exist, by series number, in the order of `Fingerprint`.
    private(set) var deleted: [Int64: [Sample]] = [:]
    /// Statistics by hour of the intact store.
    private(set) var buckets: [Int64: [Aggregate]] = [:]
    /// The units by the segment's path.
    private(set) var units: [String: [Unit]] = [:]
    /// The last commit, the oldest readable commit, and the content as of the oldest one, by series number.
    private(set) var lastCommit: Int64 = 0
    private(set) var oldestCommit: Int64 = 0
    private(set) var past: [Int64: [Sample]] = [:]
    /// Segments that a merge replaced and a snapshot kept.
    private(set) var retired: Set<String> = []
    /// True if commits are in the write-ahead log.
    let isHot: Bool
    /// The key of the store; nil for the key of the tests, if there is one.
    private let key: (any KeyProvider)?

    static let bucket = Buckets.fixed(nanoseconds: 3_600_000_000_000)

    /// - Parameters:
    ///   - isHot: nil to derive it from the seed.
    ///   - isSmall: makes files of about ten kilobytes instead of hundreds.
    ///   - hasSegments: false for a store with only a tail.
    ///   - key: encrypts the store.
    init(
        seed: UInt64, isHot: Bool? = nil, isSmall: Bool = false, hasSegments: Bool = true,
        key: (any KeyProvider)? = nil
    ) throws {
        self.seed = seed
        self.key = key
        var random = SeededGenerator(seed: seed)
        let chance = random.chance(0.5)
        let compacts = random.chance(0.5) && hasSegments
        let keepsRetired = random.chance(0.5)
        var held: Snapshot?
        self.isHot = isHot ?? chance
        let disk = MemoryDisk()
        let simulated = try SimulatedStore(disk)
        simulated.options.segmentBytes = 40_000
        simulated.options.sealSamples = 100_000
        simulated.options.sealBatches = 1_000
        if let key { simulated.options.key = key }
        try simulated.create()
        let names = (0..<(isSmall ? 2 : 5)).map { "canary \($0)" }
        for (i, name) in names.enumerated() {
            try simulated.perform(.series(name, i % 2 == 0 ? .discrete : .cumulative))
        }
        for round in 0..<4 {
            let parts = names.dropLast(round % 2).map { name in
                (name: name, samples: StoreScript.samples(&random, isSmall ? 90 : 1_500 + random.below(2_500)))
            }
            if hasSegments { try simulated.perform(.load(parts)) }
            // The number of samples that rows of the tail can have without sealing.
            for part in hasSegments ? [] : parts {
                try simulated.perform(.append(part.name, Array(part.samples.prefix(300))))
            }
            for name in names where random.chance(0.7) {
                try simulated.perform(.append(name, StoreScript.samples(&random, 1 + random.below(isSmall ? 10 : 80))))
            }
            if round == 1 { try delete(simulated, &random) }
            if round == 2 { older = disk.files }
            // Half of the stores have merged segments, and deleted samples added later.
            if round == 1, compacts {
                if keepsRetired { held = try simulated.opened().snapshot() }
                try simulated.perform(.compact)
                try delete(simulated, &random)
            }
            if round == 1, held == nil { try simulated.open() }
        }
        try note(simulated)
        if !self.isHot { simulated.close() }
        files = disk.files
        directories = disk.directories
        simulated.close()
        if held != nil { try noteRetired() }
        held = nil
        try noteUnits()
    }

    /// Deletes a range of every series, and single samples of the first, before the last loads.
    private mutating func delete(_ simulated: SimulatedStore, _ random: inout SeededGenerator) throws {
        let store = try simulated.opened()
        for one in store.snapshot().series {
            let all = try Self.all(store.snapshot(), one.id)
            let place = random.below(max(1, all.count))
            guard all.indices.contains(place) else { continue }
            let from = all[place].start
            let range = TimeRange(from, from + random.number(in: 0...40_000_000_000_000))
            try store.delete(from: one.id, startingIn: range)
            let every = one.id.rawValue == 1 ? random.number(in: 2...40) : .max
            try store.delete(from: one.id) { $0.sample.start / 1_000_000_000 % every == 1 }
            let gone = all.filter { range.contains($0.start) || $0.start / 1_000_000_000 % every == 1 }
            deleted[one.id.rawValue] = (gone + (deleted[one.id.rawValue] ?? [])).sorted(by: Fingerprint.precedes)
        }
    }

    /// Records the answers of the intact store.
    private mutating func note(_ simulated: SimulatedStore) throws {
        let snapshot = try simulated.opened().snapshot()
        series = snapshot.series
        for one in series {
            samples[one.id.rawValue] = try Self.all(snapshot, one.id)
            ordered[one.id.rawValue] = samples[one.id.rawValue]?.sorted(by: Fingerprint.precedes)
            buckets[one.id.rawValue] = Array(try snapshot.buckets(of: one.id, Self.bucket))
        }
        lastCommit = snapshot.sequence
        oldestCommit = try simulated.opened().info().oldestCommit
        let oldest = try simulated.opened().snapshot(asOf: oldestCommit)
        for one in series { past[one.id.rawValue] = try Self.all(oldest, one.id).sorted(by: Fingerprint.precedes) }
    }

    /// Records the files that an opening for writing removes from a copy.
    private mutating func noteRetired() throws {
        let copy = MemoryDisk(directories: directories, files: files)
        let opened = try SimulatedStore(copy)
        if let key { opened.options.key = key }
        try opened.open()
        opened.close()
        retired = Set(files.keys.filter { $0.hasSuffix(".kseg") }).subtracting(copy.files.keys)
    }

    private mutating func noteUnits() throws {
        let buffer = BlockBuffer()
        let keys = try keyRing()
        for (path, bytes) in files where path.hasSuffix(".kseg") && !retired.contains(path) {
            let size = keys == nil ? SegmentHeader.size : SegmentHeader.encryptedSize
            let header = try SegmentHeader.decode(
                Array(bytes.prefix(size)), latest: keys == nil ? SegmentFormat.version : SegmentFormat.encryptedVersion)
            var found = [Unit(kind: nil, range: 0..<size, series: 0, times: 0...0)]
            var scanner = UnitScanner(bytes, header: header)
            var reader = SegmentUnits(
                bytes, store: header.store, segment: header.segment, key: try SegmentKey.of(header, keys: keys))
            while let unit = scanner.next() {
                var times: ClosedRange<Int64> = 0...0
                var series = unit.series
                if unit.kind == .block {
                    series = try reader.block(at: unit.offset, length: unit.length, into: buffer)
                    times = buffer.starts[0]...buffer.starts[buffer.count - 1]
                }
                let start = Int(unit.offset)
                found.append(
                    Unit(kind: unit.kind, range: start..<start + unit.length, series: Int64(series), times: times))
            }
            units[path] = found
        }
    }

    /// Returns the keys of the store; nil if it is not encrypted.
    func keyRing() throws -> KeyRing? {
        let path = SimulatedStore.path.dropFirst() + "/" + KeysFiles.first
        guard let bytes = files[String(path)] else { return nil }
        return try KeyRing.open(
            KeysImage.decode(bytes, path: String(path)), path: SimulatedStore.path,
            provider: key ?? StoreOptions().key)
    }

    /// Returns the offsets at which parts of a file begin or end.
    func boundaries(_ path: String) -> [Int] {
        let count = files[path]?.count ?? 0
        if let units = units[path] { return units.map(\.range.lowerBound) + [count] }
        let page = path.hasSuffix("-wal") ? 4_120 : 4_096
        return Array(stride(from: path.hasSuffix("-wal") ? 32 : 0, to: count + 1, by: page))
    }

    static func all(_ snapshot: Snapshot, _ id: SeriesID, over range: TimeRange = .all) throws -> [Sample] {
        var found: [Sample] = []
        try snapshot.scan(id, over: range) { batch in
            for i in 0..<batch.count { found.append(batch[i]) }
            return true
        }
        return found
    }
}
