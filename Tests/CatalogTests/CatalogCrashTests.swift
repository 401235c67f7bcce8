// SPDX-License-Identifier: Apache-2.0

import Catalog
import Foundation
import HealthCatalog
import Synchronization
import Testing

/// The code that runs in child processes.
private enum Child {
    static let committed = Atomic<Int>(0)

    static func commitUntilKilled(_ path: String, after count: Int) throws {
        let writer = try CatalogDatabase.open(at: path, readOnly: false)
        var seq = try writer.load().seq
        let notes = unsafe open(path + ".acknowledged", O_WRONLY)
        // The second thread kills the process within a commit, at a moment independent of the first thread.
        Thread.detachNewThread {
            while committed.load(ordering: .relaxed) < count {}
            for _ in 0..<(count * 997 % 5000) { _ = committed.load(ordering: .relaxed) }
            kill(getpid(), SIGKILL)
        }
        while true {
            seq += 1
            let text = "\(seq)"
            try writer.commit(CatalogCrashTests.commit(seq)) { transaction in
                try HealthCatalog.prepare(transaction)
                try HealthCatalog.set(characteristic: "seq", to: text, transaction)
            }
            var number = seq
            unsafe _ = pwrite(notes, &number, 8, 0)
            committed.add(1, ordering: .relaxed)
        }
    }

    /// Returns 0, or the number of the step that failed.
    static func failAtLimit(_ path: String) throws -> Int32 {
        let writer = try CatalogDatabase.open(at: path, readOnly: false)
        for seq in 1...5 as ClosedRange<Int64> { try writer.commit(CatalogCommit(seq: seq, tail: [1])) }
        // From here no file may grow, which for the catalog equals a full disk.
        _ = signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit()
        unsafe getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        let former = limit.rlim_cur
        limit.rlim_cur = 30_000
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        var kinds: [CatalogError.Kind] = []
        var seq: Int64 = 6
        while seq <= 200, kinds.count < 2 {
            do {
                try writer.commit(CatalogCommit(seq: seq, tail: [2]))
                seq += 1
            } catch {
                kinds.append(error.kind)
            }
        }
        guard kinds == [.full, .full] else { return 3 }
        let seen = try writer.load().seq
        guard seen >= 5 else { return 4 }
        do { try writer.checkpoint(truncate: false) } catch { guard error.kind == .full else { return 5 } }
        limit.rlim_cur = former
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        // Refused commits leave nothing, and the connection stays usable.
        guard try writer.load().seq == seen else { return 6 }
        try writer.commit(CatalogCommit(seq: seen + 1, tail: [3]))
        try writer.close()
        let next = try CatalogDatabase.open(at: path, readOnly: false)
        guard try next.load().seq == seen + 1 else { return 7 }
        try next.close()
        return 0
    }
}

@Suite("E-4 the catalog after kills, failures and damage")
struct CatalogCrashTests {
    /// Returns commit `seq` of the killed child.
    static func commit(_ seq: Int64) -> CatalogCommit {
        if seq % 7 == 0 {
            return CatalogCommit(
                seq: seq, series: [SeriesRow(id: seq, name: "\(seq)", kind: 1)], sealedTail: [seq - 3, seq - 2])
        }
        return CatalogCommit(seq: seq, tail: [UInt8](repeating: UInt8(seq % 251), count: Int(seq % 700)))
    }

    @Test("After a writer is killed, every acknowledged commit is present, and at most one more")
    func killed() async throws {
        let scratch = try Scratch()
        try scratch.create()
        for round in 1...6 {
            let path = scratch.catalog
            try Data().write(to: URL(fileURLWithPath: path + ".acknowledged"))
            await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, round = round as Int] in
                try Child.commitUntilKilled(path, after: 7 * round)
            }
            let notes = try Data(contentsOf: URL(fileURLWithPath: path + ".acknowledged"))
            let acknowledged = notes.reversed().reduce(Int64(0)) { $0 << 8 | Int64($1) }
            let reader = try scratch.reader()
            let image = try reader.load()
            #expect(acknowledged > 0)
            #expect(image.seq == acknowledged || image.seq == acknowledged + 1, "round \(round)")
            var expected: [Int64: [UInt8]] = [:]
            for seq in 1...max(image.seq, 1) where image.seq > 0 {
                let commit = Self.commit(seq)
                expected[seq] = commit.tail
                for sealed in commit.sealedTail { expected[sealed] = nil }
            }
            #expect(image.tail.map(\.seq) == expected.keys.sorted())
            #expect(image.tail.allSatisfy { expected[$0.seq] == $0.body })
            #expect(image.series.map(\.id) == Array(stride(from: 7, through: image.seq, by: 7)))
            let noted = try reader.read { try HealthSnapshot.load($0).characteristics["seq"] }
            #expect(noted == (image.seq == 0 ? nil : "\(image.seq)"), "both layers have the same commit")
            #expect(try reader.integrityProblems().isEmpty)
            try reader.close()
        }
    }

    @Test("If the log cannot grow, commits are refused as on a full disk, and succeed again afterwards")
    func failedCommit() async throws {
        let scratch = try Scratch()
        try scratch.create()
        let path = scratch.catalog
        await #expect(processExitsWith: .success) { [path = path as String] in
            let code = try Child.failAtLimit(path)
            if code != 0 { exit(code) }
        }
        let reader = try scratch.reader()
        #expect(try reader.load().seq >= 6)
        #expect(try reader.integrityProblems().isEmpty)
        try reader.close()
    }

    @Test("Flipped bits give errors or values, never a trap", arguments: [11, 12] as [UInt64])
    func damage(seed: UInt64) throws {
        var dice = Dice(seed: seed)
        let scratch = try Scratch()
        let writer = try scratch.writer()
        var commit = CatalogCommit(seq: 1, tail: dice.bytes(9000))
        for id in 1...30 as ClosedRange<Int64> {
            commit.series.append(SeriesRow(id: id, name: "s\(id)", labels: ["a": "\(id)"], kind: 2))
        }
        for id in 1...20 as ClosedRange<Int64> { commit.segments.append(dice.segment(id, born: 1, series: [1, 2, 3])) }
        try writer.commit(commit) { transaction in
            try HealthCatalog.prepare(transaction)
            try HealthCatalog.insert([MetadataRow(id: 1, body: [1, 2, 3])], transaction)
            try HealthCatalog.insert([SourceRow(id: 1, name: "watch")], transaction)
        }
        try writer.close()
        let sound = try scratch.bytes()
        var refused = 0
        for _ in 0..<250 {
            var bytes = sound
            for _ in 0...dice.below(3) { bytes[dice.below(bytes.count)] ^= UInt8(1 << dice.below(8)) }
            if dice.below(10) == 0 { bytes.removeLast(dice.below(bytes.count)) }
            try Data(bytes).write(to: URL(fileURLWithPath: scratch.catalog))
            do {
                let reader = try scratch.reader()
                defer { try? reader.close() }
                _ = try reader.load()
                _ = try reader.read { try HealthSnapshot.load($0) }
                _ = try reader.integrityProblems()
            } catch { refused += 1 }
        }
        #expect(refused > 5, "seed \(seed): too little damage was detected")
    }
}
