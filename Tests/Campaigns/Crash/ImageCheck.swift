// SPDX-License-Identifier: Apache-2.0

package import FileSystem
import Kymograph
package import TestSupport

/// The content of a store after a commit.
package struct PastState: Sendable {
    var commit: Int64
    /// The series that existed.
    var series: Set<SeriesID>
    var digest: UInt64
}

/// The required content of a disk after a crash.
package struct ImageCheck: Sendable {
    /// The digests that the store may have: after all acknowledged operations, and after the interrupted call.
    package var allowed: [UInt64]
    /// True if the store's creation was acknowledged.
    package var exists: Bool
    /// The data to repeat the case.
    package var note: String
    /// Options of the check: a reader first, verification of every block, another save and reopening afterwards.
    package var readsFirst: Bool
    package var verifies: Bool
    package var goesOn: Bool
    /// The digests that the backup may have; nil for no backup. An empty array skips the check.
    package var backups: [UInt64?] = []
    /// Acknowledged commits, with their series and content.
    package var pasts: [PastState] = []
    /// The follower's copy at the crash. With the changes read now it must be complete.
    package var feed: FeedCopy?
    /// The interrupted call, if it may be repeated after any outcome, and the content after it.
    package var repetition: (plan: IdentifiedPlan, digest: UInt64)?
    /// Gets the digest of a store as soon as it is open: from then on it may not change.
    package var onFound: (@Sendable (UInt64) -> Void)?

    package init(allowed: [UInt64], exists: Bool, note: String, random: inout SeededGenerator) {
        self.allowed = allowed
        self.exists = exists
        self.note = note
        readsFirst = random.chance(0.25)
        verifies = random.chance(0.15)
        goesOn = random.chance(0.25)
    }

    /// Opens the image and checks its content. Returns the digest, or nil for a store whose creation was not
    /// acknowledged.
    @discardableResult
    package func run(_ disk: any Disk, _ result: inout CampaignResult) -> UInt64? {
        do {
            return try check(disk, &result)
        } catch {
            result.fail("\(note): \(error)")
            return nil
        }
    }

    private func check(_ disk: any Disk, _ result: inout CampaignResult) throws -> UInt64? {
        let simulated = try SimulatedStore(disk)
        if readsFirst { try read(simulated, &result) }
        do {
            try simulated.open()
        } catch {
            guard error.kind == .notAStore && !exists else { throw error }
            result.count("images without a store yet")
            try simulated.create()
        }
        let found = try simulated.digest()
        guard allowed.contains(found) else {
            let counts = try simulated.opened().snapshot().series.map {
                "\($0.name): \(try simulated.opened().snapshot().count(of: $0.id))"
            }
            result.fail("\(note): the store differs from the acknowledged content: \(counts)")
            return found
        }
        onFound?(found)
        result.count(found == allowed[0] ? "images at the acknowledged state" : "images one step further")
        if var copy = feed {
            if let fault = try copy.follow(simulated.opened()) { result.fail("\(note): \(fault)") }
            result.count("images in which a feed went on")
        }
        for past in pasts { try look(at: past, simulated.opened(), &result) }
        if verifies {
            let problems = try simulated.opened().verify().problems
            if let first = problems.first { result.fail("\(note): verify reports \(first.path): \(first.message)") }
            result.count("images verified")
        }
        if !backups.isEmpty {
            let shown = try simulated.restoredDigest()
            if !backups.contains(shown) { result.fail("\(note): the backup has the wrong content") }
            result.count(shown == nil ? "images without a backup" : "images with a backup")
            // The next backup removes leftovers of this one.
            try simulated.perform(.backup)
        }
        if let repetition { try repeatCall(repetition, wasThere: found == repetition.digest, simulated, &result) }
        if goesOn { try goOn(simulated, &result) }
        simulated.close()
        return found
    }

    /// Reads the store as of an earlier commit: it has the content of then, or is older than the horizon.
    private func look(at past: PastState, _ store: TimeSeriesStore, _ result: inout CampaignResult) throws {
        let oldest = try store.info().oldestCommit
        do {
            let found = try SimulatedStore.digest(of: store.snapshot(asOf: past.commit), series: past.series)
            result.count("images looked at as of an earlier commit")
            if past.commit < oldest { result.fail("\(note): commit \(past.commit) is readable, older than \(oldest)") }
            if found != past.digest { result.fail("\(note): wrong content as of commit \(past.commit)") }
        } catch let error as StoreError {
            guard error.kind == .notRetained, past.commit < oldest else { throw error }
            result.count("images without an earlier commit")
        }
    }

    /// Repeats the interrupted call: its stored samples stay, and the others are added.
    private func repeatCall(
        _ repetition: (plan: IdentifiedPlan, digest: UInt64), wasThere: Bool, _ simulated: SimulatedStore,
        _ result: inout CampaignResult
    ) throws {
        let added = try simulated.opened().perform(repetition.plan)
        if wasThere, added > 0 { result.fail("\(note): \(added) samples that were stored are reported as new") }
        if try simulated.digest() != repetition.digest { result.fail("\(note): a repeated call is not complete") }
        result.count(wasThere ? "calls repeated that were done" : "calls repeated that were not")
        var copy = feed ?? FeedCopy()
        if let fault = try copy.follow(simulated.opened()) { result.fail("\(note), then repeated: \(fault)") }
    }

    private func read(_ simulated: SimulatedStore, _ result: inout CampaignResult) throws {
        do {
            try simulated.open(.readOnly)
        } catch {
            guard error.kind == .notAStore && !exists else { throw error }
            return
        }
        let found = try simulated.digest()
        simulated.close()
        result.count("images read first")
        if !allowed.contains(found) { result.fail("\(note): a reader sees a state that was not acknowledged") }
    }

    /// Expects no segment without a committed row. The first opening after a power cut may have left one, if it found
    /// no intact witness; the second one has a witness.
    private func expectNoOrphans(_ simulated: SimulatedStore, _ result: inout CampaignResult) throws {
        let named = try simulated.opened().info().segments
        let there = try simulated.disk.list(SimulatedStore.path + "/segments").count
        if named != there { result.fail("\(note): \(there) segments exist, \(named) are named") }
    }

    private func goOn(_ simulated: SimulatedStore, _ result: inout CampaignResult) throws {
        let before = try simulated.digest()
        let sample = Sample(start: 1, value: 42)
        let id = try simulated.opened().series("afterwards", kind: .discrete).id
        try simulated.opened().append(to: id, [sample])
        try simulated.open()
        let store = try simulated.opened()
        try expectNoOrphans(simulated, &result)
        let held = store.snapshot().count(of: id)
        if held != 1 { result.fail("\(note): a save after the crash exists \(held) times") }
        let after = try simulated.digest()
        if after == before { result.fail("\(note): a save after the crash changed nothing") }
        result.count("images written to again")
    }
}
