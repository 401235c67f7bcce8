// SPDX-License-Identifier: Apache-2.0

/// Whether those who lead commits should wait for company: measured, as it depends on the disk.
///
/// Where a sync takes long, one commit of all callers is better than two of one half each. Where it takes no longer
/// than the callers need to come again, two halves are better: one encodes while the other is being committed. So both
/// ways are tried, and the one by which more appends were committed in the same time is kept, until they are tried
/// again.
struct CommitPace {
    /// Commits that a trial counts.
    static let trial = 32
    /// Commits between two trials.
    static let rest = 1_024
    /// How much better the other way has to be.
    private static let margin = 1.05

    /// Whether a leader waits now.
    private(set) var waits = true

    private enum Phase {
        case first, second, resting
    }

    private var phase = Phase.first
    /// Appends, nanoseconds and commits since the phase began.
    private var appends = 0, time: Int64 = 0, commits = 0
    /// What the first way came to: appends in a nanosecond.
    private var firstRate = 0.0
    private var lastEnd: Int64?

    /// After a commit.
    ///
    /// - Parameters:
    ///   - count: its appends.
    ///   - left: how many came meanwhile.
    ///   - begun, ended: nanoseconds of a clock that never goes back.
    mutating func note(_ count: Int, left: Int, begun: Int64, ended: Int64) {
        defer { lastEnd = ended }
        // A caller alone has no company, and after a pause the time was not spent on commits.
        guard count + left > 1, let lastEnd, begun - lastEnd < 4 * (ended - begun) else { return }
        appends += count
        time += ended - lastEnd
        commits += 1
        guard commits >= (phase == .resting ? Self.rest : Self.trial) else { return }
        let rate = Double(appends) / Double(max(1, time))
        (appends, time, commits) = (0, 0, 0)
        switch phase {
        case .first:
            firstRate = rate
            waits.toggle()
            phase = .second
        case .second:
            if rate < Self.margin * firstRate { waits.toggle() }
            phase = .resting
        case .resting: phase = .first
        }
    }
}
