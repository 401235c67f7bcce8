// SPDX-License-Identifier: Apache-2.0

import Kymograph

/// Tracks the possible content of a store after each commit, from the writer's acknowledgements, and checks the
/// readers' reports.
struct KillJudge {
    private struct Sight {
        var reader: Int
        var begun: Int64
        var seq: Int64
        var sum: ContentSum
        /// True for a snapshot held across other commits.
        var isHeld: Bool
    }

    private let script: KillScript
    /// The number of acknowledged operations.
    private var acknowledged = 0
    /// The model after the acknowledged operations.
    private var model = StoreModel()
    /// The sums after the acknowledged operations, and after the operation that may be running.
    private var before = ContentSum()
    private var after = ContentSum()
    /// The possible content of each commit. The last commit of an operation has its full effect; earlier ones are
    /// background merges without effect, or parts of an operation with several commits.
    private var states: [Int64: [ContentSum]] = [:]
    private var lastSeq: Int64 = 0
    /// The time at which each commit was known to be acknowledged, ascending.
    private var acknowledgements: [(time: Int64, seq: Int64)] = []
    private var sights: [Sight] = []
    /// The number of snapshots reported by readers.
    var sightCount: Int { sights.count }
    private var newest: [Int: Int64] = [:]
    private var createdAt: Int64?
    /// Operations reported as done after the power may have been cut, and their commits.
    private var doubtful: [(k: Int, seq: Int64)] = []
    /// True if the running writer has reported its content and got its next operation.
    private(set) var isJudged = false

    /// True if a creation was acknowledged.
    var exists: Bool { createdAt != nil }

    init(_ script: KillScript) {
        self.script = script
        after.apply(script.operation(0), to: model)
    }

    /// Checks the content that a writer found. Returns the number of its next operation.
    ///
    /// - Throws: an error for impossible content.
    mutating func found(
        _ time: Int64, _ seq: Int64, _ sum: ContentSum, _ result: inout CampaignResult
    ) throws(CampaignError) -> Int {
        createdAt = createdAt ?? time
        for (k, commit) in doubtful where k == acknowledged && commit <= seq { advance(to: commit) }
        doubtful = []
        let hasNext = sum == after && seq > lastSeq
        // A commit without visible effect, such as sealing, may be present or not. Sealing also follows an append,
        // whose acknowledgement does not wait for it, and so does a background merge.
        let isSame = sum == before && seq >= lastSeq
        let isPart = !hasNext && !isSame && seq > lastSeq && parts.contains(sum)
        guard hasNext || isSame || isPart else {
            throw CampaignError(
                "found \(sum) at commit \(seq); acknowledged: \(before) at commit \(lastSeq), "
                    + "running: \(after)")
        }
        if hasNext, after != before {
            result.count("of the operations under way, there")
            advance(to: seq)
        } else {
            result.count("of the operations under way, absent or without effect")
            let seen = isPart ? [before] + parts : [before]
            for number in lastSeq + (isPart ? 1 : 0)..<seq + 1 { states[number, default: []] += seen }
            // The stored part of an operation is skipped when it is repeated.
            if isPart { before = sum }
            lastSeq = seq
        }
        acknowledgements.append((time, seq))
        isJudged = true
        return acknowledged
    }

    /// Records that the writer's call returned.
    mutating func done(_ time: Int64, _ k: Int, _ seq: Int64) {
        guard k == acknowledged else { return }
        advance(to: seq)
        acknowledgements.append((time, seq))
    }

    /// Records that the writer's call returned, perhaps after the power cut.
    mutating func mayBeDone(_ k: Int, _ seq: Int64) { doubtful.append((k, seq)) }

    mutating func writerStopped() { isJudged = false }

    private mutating func advance(to seq: Int64) {
        acknowledged += 1
        for number in lastSeq + 1..<max(seq, lastSeq + 1) { states[number] = [before, after] + parts }
        if seq > lastSeq { states[seq] = [after] }
        lastSeq = max(seq, lastSeq)
        before = after
        model.apply(script.operation(acknowledged - 1))
        after.apply(script.operation(acknowledged), to: model)
    }

    /// The possible partial content of a running operation with several commits.
    private var parts: [ContentSum] {
        guard case .batches(let plans) = script.operation(acknowledged) else { return [] }
        return (0..<1 << plans.count).map { chosen in
            var sum = before
            sum.apply(.batches(plans.enumerated().filter { chosen >> $0.offset & 1 == 1 }.map(\.element)), to: model)
            return sum
        }
    }

    mutating func readerStarted(_ reader: Int) { newest[reader] = nil }

    mutating func read(_ reader: Int, _ line: Substring, _ note: String, _ result: inout CampaignResult) {
        let words = line.split(separator: " ")
        if line == "followed" { return result.count("changes followed by readers") }
        guard words.count > 1, let begun = Int64(words[1]) else {
            return result.fail("\(note): unexpected line of a reader: \(line)")
        }
        switch words[0] {
        case "nothing":
            result.count("readings before the store exists")
            if let createdAt, createdAt < begun { result.fail("\(note): a reader found no store although one exists") }
        case "read", "held":
            guard words.count == 6, let seq = Int64(words[2]), let sum = ContentSum(words[3...]) else {
                return result.fail("\(note): unexpected line of a reader: \(line)")
            }
            let isHeld = words[0] == "held"
            sights.append(Sight(reader: reader, begun: begun, seq: seq, sum: sum, isHeld: isHeld))
            if isHeld { return }
            if seq < newest[reader] ?? 0 {
                result.fail("\(note): a reader went back from commit \(newest[reader] ?? 0) to \(seq)")
            }
            newest[reader] = seq
        default: result.fail("\(note): unexpected line of a reader: \(line)")
        }
    }

    /// Compares all reports of the readers with the possible states.
    func judgeReaders(_ note: String, _ result: inout CampaignResult) {
        for sight in sights {
            result.count(sight.isHeld ? "held snapshots compared" : "readings compared")
            guard states[sight.seq]?.contains(sight.sum) ?? false else {
                result.fail(
                    "\(note): reader \(sight.reader) saw \(sight.sum) at commit \(sight.seq), which is "
                        + (states[sight.seq].map { "\($0)" } ?? "no commit"))
                continue
            }
            if !sight.isHeld, let known = acknowledgedBefore(sight.begun), sight.seq < known {
                result.fail("\(note): a read that began after the acknowledgement of \(known) saw \(sight.seq)")
            }
        }
    }

    /// Returns the newest commit acknowledged before a time.
    private func acknowledgedBefore(_ time: Int64) -> Int64? {
        var (low, high) = (0, acknowledgements.count)
        while low < high {
            let middle = (low + high) / 2
            if acknowledgements[middle].time < time { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? acknowledgements[low - 1].seq : nil
    }
}
