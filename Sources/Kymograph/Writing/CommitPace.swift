// SPDX-License-Identifier: Apache-2.0

/// Decides by measurement whether a group leader waits for followers, because that depends on the disk.
///
/// If a sync takes long, one commit of all callers is faster than two commits of half of them. If a sync takes no
/// longer than the callers need to write again, two halves are faster: one encodes while the other is committed. Both
/// ways are tried, and the faster one is kept until the next trial.
struct CommitPace {
    /// Commits that a trial counts.
    static let trial = 32
    /// Commits between two trials.
    static let rest = 1_024
    /// The factor by which the other way must be faster.
    private static let margin = 1.05

    /// Whether a leader waits now.
    private(set) var waits = true

    private enum Phase {
        case first, second, resting
    }

    private var phase = Phase.first
    /// Appends, nanoseconds and commits since the phase began.
    private var appends = 0, time: Int64 = 0, commits = 0
    /// Appends per nanosecond of the first way.
    private var firstRate = 0.0
    private var lastEnd: Int64?

    /// Counts a commit.
    ///
    /// - Parameters:
    ///   - count: its appends.
    ///   - left: appends that arrived meanwhile.
    ///   - begun, ended: nanoseconds of a clock that never goes back.
    mutating func note(_ count: Int, left: Int, begun: Int64, ended: Int64) {
        defer { lastEnd = ended }
        // A caller alone has no followers, and after a pause the time was not spent on commits.
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
