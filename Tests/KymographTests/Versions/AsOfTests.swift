// SPDX-License-Identifier: Apache-2.0

import Campaigns
import TestSupport
import Testing

@testable import Kymograph

/// The expected content of a store after each commit.
private struct KeptVersions {
    private var versions: [[Oracle]] = []

    subscript(commit: Int64) -> [Oracle] { versions[Int(commit)] }

    /// Of several new commits the first one changed samples; sealing and merging, which follow, changed none.
    mutating func note(_ life: DeletedLife) {
        while versions.count <= life.test.store.snapshot().sequence { versions.append(life.oracles) }
    }
}

@Suite("X-4 time travel: the content of a store at an earlier, retained commit")
struct AsOfTests {
    private func kind(_ body: () throws -> Void) -> StoreError.Kind? {
        do {
            try body()
            return nil
        } catch { return (error as? StoreError)?.kind }
    }

    /// Compares a snapshot as of a commit. Returns false if the commit is not retained.
    private func compare(
        _ store: TimeSeriesStore, _ commit: Int64, _ life: DeletedLife, _ kept: KeptVersions, _ note: String
    ) throws -> Bool {
        let note = "\(note) as of \(commit)"
        guard try commit >= store.info().oldestCommit else {
            #expect(kind { _ = try store.snapshot(asOf: commit) } == .notRetained, "\(note)")
            return false
        }
        let snapshot = try store.snapshot(asOf: commit)
        #expect(snapshot.sequence == commit && snapshot.series == store.snapshot().series, "\(note)")
        try life.compare(snapshot, kept[commit], note)
        return true
    }

    @Test(
        "Every commit from the horizon on answers every query as it did then; earlier ones throw",
        arguments: [(1, false), (2, false), (3, true), (4, true)] as [(UInt64, Bool)])
    func random(seed: UInt64, compacts: Bool) throws {
        let life = try DeletedLife(seed: seed, compacts: compacts)
        var kept = KeptVersions()
        kept.note(life)
        var deletion: Int64 = 0
        var (shown, shownDeleted) = (0, 0)
        for step in 0..<50 {
            let before = life.oracles.map(\.samples.count)
            let last = life.test.store.snapshot().sequence
            try life.step()
            kept.note(life)
            if zip(before, life.oracles).contains(where: { $0 > $1.samples.count }) { deletion = last + 1 }
            let oldest = try life.test.store.info().oldestCommit
            #expect(oldest <= deletion)
            if oldest > 0 { #expect(kind { _ = try life.test.store.snapshot(asOf: oldest - 1) } == .notRetained) }
            let now = Int(life.test.store.snapshot().sequence)
            let recent = Int64(now - life.random.below(min(now, 8) + 1))
            for commit in [recent] + (step % 8 == 7 ? [Int64(life.random.below(now + 1))] : []) {
                let isShown = try compare(life.test.store, commit, life, kept, "seed \(seed) step \(step)")
                shown += isShown ? 1 : 0
                if isShown, commit < deletion { shownDeleted += 1 }
            }
        }
        #expect(shown > 20 && shownDeleted > 2, "\(shown) \(shownDeleted)")
        // The horizon is the same in another opening, a restored backup and a repaired store.
        let store = life.test.store
        let oldest = try store.info().oldestCommit
        try store.backup(to: life.test.directory.file("copy"))
        try TimeSeriesStore.restore(from: life.test.directory.file("copy"), to: life.test.directory.file("restored"))
        store.close()
        try TimeSeriesStore.repair(from: life.test.path, to: life.test.directory.file("repaired"))
        for path in [life.test.path, life.test.directory.file("restored"), life.test.directory.file("repaired")] {
            let store = try TimeSeriesStore.open(at: path, mode: .readOnly)
            defer { store.close() }
            #expect(try store.info().oldestCommit == oldest && store.verify().problems.isEmpty, "\(path)")
            #expect(try compare(store, oldest, life, kept, path))
            if oldest > 0 { #expect(try !compare(store, oldest - 1, life, kept, path)) }
        }
    }

    private func samples(_ range: Range<Int>) -> [Sample] {
        range.map { Sample(start: Int64($0) * second, end: Int64($0) * second + second / 2, value: Double($0)) }
    }

    @Test(
        "Deleted samples are visible until sealing or merging removes them; then the error names the oldest commit")
    func horizon() throws {
        let test = try TestStore { $0.compacts = false }
        let id = try test.store.series("a", kind: .discrete).id
        try test.store.load(samples(0..<2_000), to: id)
        let loaded = test.store.snapshot().sequence
        try test.store.append(samples(2_000..<2_010), to: id)
        let appended = test.store.snapshot().sequence
        let first = try test.store.delete(from: id, startingIn: TimeRange(0, 500 * second)).sequence
        let cut = try test.store.delete(from: id, startingIn: TimeRange(2_005 * second, .max)).sequence
        func counts() -> [Int?] {
            [0, loaded, appended, first, cut].map { try? test.store.snapshot(asOf: $0).count(of: id) }
        }
        #expect(counts() == [0, 2_000, 2_010, 1_510, 1_505])
        #expect(try test.store.info().oldestCommit == 0)
        try test.reopen()
        #expect(counts() == [0, 2_000, 2_010, 1_510, 1_505])
        try test.store.seal()
        // The deleted samples of the tail are removed, those of the segment are not.
        #expect(counts() == [nil, nil, nil, nil, 1_505])
        let error = #expect(throws: StoreError.self) { try test.store.snapshot(asOf: appended) }
        #expect(error?.kind == .notRetained && error?.message.hasSuffix("is \(cut)") == true)
        #expect(try test.store.info().oldestCommit == cut)
        let third = try test.store.delete(from: id, startingIn: TimeRange(600 * second, 700 * second)).sequence
        #expect(try test.store.snapshot(asOf: cut).count(of: id) == 1_505)
        let held = try test.store.snapshot(asOf: cut)
        try test.store.compact()
        #expect(try test.store.info().oldestCommit == third)
        #expect(kind { _ = try test.store.snapshot(asOf: cut) } == .notRetained)
        #expect(try held.all(id).count == 1_505 && test.store.snapshot(asOf: third).count(of: id) == 1_405)
        try test.reopen()
        #expect(try test.store.info().oldestCommit == third)
    }

    @Test("Unknown commits are refused; a reader knows the commits up to its refresh")
    func refusals() throws {
        let test = try TestStore()
        let reader = try TimeSeriesStore.open(at: test.path, mode: .readOnly)
        defer { reader.close() }
        let id = try test.store.series("a", kind: .discrete).id
        let last = try test.store.append(samples(0..<3), to: id).sequence
        for commit in [-1, .min, last + 1, .max] {
            #expect(kind { _ = try test.store.snapshot(asOf: commit) } == .invalidArgument)
        }
        #expect(kind { _ = try reader.snapshot(asOf: last) } == .invalidArgument)
        try reader.refresh()
        #expect(try reader.snapshot(asOf: last).count(of: id) == 3)
        let early = try reader.snapshot(asOf: last - 1)
        #expect(try early.all(id).isEmpty && early.extent(of: id) == nil && early.count(of: id) == 0)
        #expect(try early.mostRecent(of: id) == nil && early.aggregate(of: id).count == 0)
        #expect(try reader.snapshot(asOf: 0).series.map(\.id) == [id])
    }

    @Test("A query of the past decodes only blocks with both earlier and later samples")
    func cost() throws {
        let test = try TestStore { $0.compacts = false }
        let id = try test.store.series("a", kind: .discrete).id
        var commits = [Int64]()
        for piece in 0..<50 {
            commits.append(try test.store.append(samples(piece * 1_000..<(piece + 1) * 1_000), to: id).sequence)
        }
        try test.store.compact()
        #expect(try test.store.info().segments == 1)
        let snapshot = try test.store.snapshot(asOf: commits[29])
        for decoded in [0...2, 0...0] {
            let explanation = QueryExplanation()
            #expect(try snapshot.aggregate(of: id, explain: explanation).count == 30_000)
            #expect(decoded.contains(explanation.blocksDecoded), "\(explanation.blocksDecoded)")
            #expect(explanation.summaries > 0)
        }
        let scan = QueryExplanation()
        var count = 0
        try snapshot.scan(id, explain: scan) { batch in
            count += batch.count
            return true
        }
        #expect(count == 30_000 && scan.blocksMasked <= 2 && scan.samplesDecoded < 33_000)
    }

    @Test("Merged sources of the past use the coverage and copies of that commit")
    func merged() throws {
        let test = try TestStore { $0.compacts = false }
        let ids = try ["watch", "phone"].map { try test.store.series($0, kind: .cumulative).id }
        let phone = (0..<600).map { Sample(start: Int64($0) * second, end: Int64($0 + 1) * second, value: 1) }
        try test.store.append(phone, to: ids[1])
        try test.store.append(Array(phone[0..<5]), to: ids[1])
        let copied = test.store.snapshot().sequence
        try test.store.append([Sample(start: 100 * second, end: 200 * second, value: 7)], to: ids[0])
        let covered = test.store.snapshot().sequence
        try test.store.append(Array(phone[300..<320]), to: ids[1])
        try test.store.delete(from: ids[0])
        let last = test.store.snapshot().sequence
        let merged = MergedSources(ids, countsCopies: false)
        func sums() throws -> [Double?] {
            try [last, copied, covered, 0, last].map { commit in
                try test.store.snapshot(asOf: commit).aggregate(of: merged).sum
            }
        }
        #expect(try sums() == [600, 600, 507, nil, 600])
        let plain = try test.store.snapshot(asOf: copied).aggregate(of: MergedSources(ids)).sum
        #expect(plain == 605)
        // In one run, of which the past has a part.
        try test.store.append([Sample(start: 900 * second, value: 0)], to: ids[0])
        try test.store.delete(from: ids[1], startingIn: TimeRange(900 * second, .max))
        let all = try test.store.snapshot(asOf: covered).aggregate(of: MergedSources(ids)).sum
        #expect(all == 512)
        try test.store.compact()
        #expect(kind { _ = try test.store.snapshot(asOf: covered) } == .notRetained)
    }

    @Test("After sealing merged many commits into one run, copies of the past are searched again")
    func copiesInOneRun() throws {
        let test = try TestStore { $0.compacts = false }
        let id = try test.store.series("a", kind: .cumulative).id
        let some = (0..<100).map { Sample(start: Int64($0) * second, end: Int64($0 + 1) * second, value: 2) }
        try test.store.append(some, to: id)
        let first = test.store.snapshot().sequence
        try test.store.append(Array(some[10..<30]), to: id)
        let both = test.store.snapshot().sequence
        try test.store.seal()
        let merged = MergedSources([id], countsCopies: false)
        for commit in [both, first, both + 1, first] {
            let snapshot = try test.store.snapshot(asOf: commit)
            #expect(try snapshot.aggregate(of: merged).sum == 200)
            #expect(snapshot.count(of: id) == (commit == first ? 100 : 120))
        }
    }
}
