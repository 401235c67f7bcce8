// SPDX-License-Identifier: Apache-2.0

import Kernels
import Synchronization

/// A cache of bucket tables of merged sources. A repeated query computes only the buckets that later commits changed.
final class MergedTables: Sendable {
    /// The parameters of a query.
    struct Question: Hashable {
        let merged: MergedSources
        let buckets: Buckets
        let range: TimeRange
        let options: AggregateOptions
    }

    /// The result of a query.
    struct Answer {
        /// The commit of the query's snapshot.
        let sequence: Int64
        let edges: [Int64]
        /// The number of buckets of each piece except the last.
        let length: Int
        let pieces: [BucketPiece]
    }

    private struct State {
        var answers: [Question: (answer: Answer, bytes: Int, use: Int)] = [:]
        var bytes = 0
        var uses = 0
    }

    /// The maximum size of all cached answers, in bytes. An answer of more than a quarter of it is not cached.
    private static let mostBytes = 16 << 20
    private let state = Mutex(State())

    func answer(_ question: Question) -> Answer? {
        state.withLock { state in
            guard var known = state.answers[question] else { return nil }
            state.uses += 1
            known.use = state.uses
            state.answers[question] = known
            return known.answer
        }
    }

    /// Caches an answer and replaces an older one. Evicts the least recently used answers.
    func keep(_ answer: Answer, to question: Question) {
        let bytes = answer.edges.count * 8 + answer.pieces.reduce(0) { $0 + $1.bytes }
        if bytes > Self.mostBytes / 4 { return }
        state.withLock { state in
            if let known = state.answers[question] {
                if known.answer.sequence > answer.sequence { return }
                state.bytes -= known.bytes
            }
            state.uses += 1
            state.answers[question] = (answer, bytes, state.uses)
            state.bytes += bytes
            while state.bytes > Self.mostBytes, let last = state.answers.min(by: { $0.value.use < $1.value.use }) {
                state.bytes -= last.value.bytes
                state.answers[last.key] = nil
            }
        }
    }
}

extension Snapshot {
    /// Returns the pieces of an earlier answer that no later commit has changed, by their positions.
    func untouched(
        _ answer: MergedTables.Answer?, _ merged: MergedSources, _ edges: [Int64], _ pieces: [Range<Int>]
    ) throws(StoreError) -> [Int: BucketPiece] {
        guard let answer, answer.sequence <= sequence, answer.length == pieces.first?.count,
            // The store may have forgotten deletions since the answer.
            answer.sequence >= version.past.feedHorizon(of: merged.series)
        else { return [:] }
        var touched = [TimeRange]()
        if answer.sequence < sequence {
            let ranges = try self.touched(merged.series, after: answer.sequence, nil)
            for range in TimeRange.few(TimeRange.joined(ranges)) {
                // The new samples may now hide all of an interval that starts earlier.
                let start = try earliestStart(reaching: range.start, of: merged.series)
                touched.append(TimeRange(start, range.end))
            }
        }
        var found = [Int: BucketPiece]()
        for (i, piece) in pieces.enumerated() where i < answer.pieces.count && answer.pieces[i].count == piece.count {
            let (first, last) = (piece.lowerBound, piece.upperBound)
            guard last < answer.edges.count, answer.edges[first...last] == edges[first...last],
                !touched.contains(where: { $0.start < edges[last] && $0.end > edges[first] })
            else { continue }
            found[i] = answer.pieces[i]
        }
        return found
    }

    /// Returns a lower bound for the starts of samples that start before an instant and end after it.
    private func earliestStart(reaching instant: Int64, of ids: [SeriesID]) throws(StoreError) -> Int64 {
        var earliest = instant
        for run in ids.lazy.flatMap({ self.runs($0) }) where run.firstStart < earliest && run.occupiedEnd > instant {
            switch run {
            case .tail: earliest = run.firstStart
            case .segment(let index):
                var walk = try IndexEntryIterator(index, hiding: nil, nil)
                if case .block = try walk.advance(from: instant, to: instant, nil), let start = walk.firstStart {
                    earliest = min(earliest, start)
                }
            }
        }
        return earliest
    }
}
