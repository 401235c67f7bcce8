// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Kymograph

@Suite("E-4 group commit: a measurement decides whether a leader waits for followers")
struct CommitPaceTests {
    /// Simulates sixteen callers, with the given durations of a commit and of a caller's return to the queue.
    private func play(_ pace: inout CommitPace, _ now: inout Int64, commit: Int64, back: Int64, commits: Int) {
        for _ in 0..<commits {
            // Either all callers return before the next commit, or one half returns during the commit of the other
            // half.
            let begun = now + (pace.waits ? back : max(0, back / 2 - commit))
            now = begun + commit
            pace.note(pace.waits ? 16 : 8, left: pace.waits ? 0 : 8, begun: begun, ended: now)
        }
    }

    @Test("On a slow disk leaders wait, on a fast one they do not, and a change is detected")
    func measured() {
        var pace = CommitPace()
        var now: Int64 = 1_000_000
        let trial = 2 * CommitPace.trial + 2
        play(&pace, &now, commit: 5_000_000, back: 200_000, commits: trial)
        #expect(pace.waits)
        // After the rest period and the next trial.
        play(&pace, &now, commit: 100_000, back: 200_000, commits: CommitPace.rest + trial)
        #expect(!pace.waits)
        play(&pace, &now, commit: 5_000_000, back: 200_000, commits: CommitPace.rest + trial)
        #expect(pace.waits)
    }

    @Test("Single callers and pauses do not change the decision")
    func alone() {
        var pace = CommitPace()
        var now: Int64 = 0
        for _ in 0..<10_000 {
            now += 100_000
            pace.note(1, left: 0, begun: now, ended: now + 90_000)
        }
        #expect(pace.waits)
        for _ in 0..<10_000 {
            now += 10_000_000
            pace.note(2, left: 0, begun: now, ended: now + 90_000)
        }
        #expect(pace.waits)
    }
}
