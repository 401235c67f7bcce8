// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The results of Kymograph and the peers, line by line.
package struct CompareReport: Codable, Sendable {
    /// The numbers of one cell: seconds of an operation, or bytes per sample.
    package struct Cell: Codable, Sendable, Equatable {
        package var median: Double
        package var best: Double
        /// `best` without the cost of an empty call, if the call costs more than a hundredth; otherwise nil.
        package var withoutCall: Double?
        package var isLossy = false
    }

    /// The kind of a line.
    package enum Kind: String, Codable, Sendable {
        case query, cold, ingest, durable, size
    }

    /// One measurement with the results of Kymograph and all peers.
    package struct Line: Codable, Sendable {
        package var id, set, mode: String
        package var threads: Int
        package var kind: Kind
        package var samples: Int
        package var ours: Cell
        package var peers: [String: Cell]
        /// The lossless peer with the best result.
        package var bestPeer: String?
        /// How many times as fast, or as small, Kymograph is: above 1 Kymograph is ahead, below 1 the peer.
        package var ratio: Double?
        /// The ratio to the peers without an empty call, if it differs.
        package var ratioWithoutCall: Double?
        /// The reasons for missing results, by peer.
        package var missing: [String: String]

        /// Returns the compared number of a cell: for small appends the median, because their minimum says little;
        /// otherwise the best of the runs.
        package func figure(_ cell: Cell) -> Double { kind == .durable ? cell.median : cell.best }
    }

    package var machine: BenchHost
    package var run: BenchReport.Run?
    package var peers: [PeerOutcome]
    package var lines: [Line]
    /// All passes of Kymograph, by the number of threads.
    package var passes: [String: [[BenchResult]]]
    package var notes: [String]
    /// The requested peers without a result in any line, with the reasons.
    package var notCompared: [String: String]

    /// The peers with results.
    package var compared: Set<String> { Set(lines.flatMap(\.peers.keys)) }

    package init(_ ours: [Int: [[BenchResult]]], _ peers: [PeerOutcome], notes: [String], run: BenchReport.Run? = nil) {
        machine = BenchHost.current()
        self.run = run
        self.peers = peers
        self.notes = notes
        passes = Dictionary(uniqueKeysWithValues: ours.map { (String($0.key), $0.value) })
        lines = []
        notCompared = [:]
        for (threads, passes) in ours.sorted(by: { $0.key < $1.key }) {
            // A peer without a thread setting ran once; its results are compared with all thread counts.
            var outcomes: [String: PeerOutcome] = [:]
            for peer in peers where peer.threads == threads || outcomes[peer.peer] == nil {
                outcomes[peer.peer] = peer
            }
            lines += Self.lines(passes, outcomes, threads, isFirst: threads == ours.keys.min())
        }
        let compared = compared
        for peer in peers where !compared.contains(peer.peer) && notCompared[peer.peer] == nil {
            notCompared[peer.peer] = peer.reason ?? "none of its results belongs to a line"
        }
    }

    private static func kind(_ row: BenchResult) -> Kind {
        switch (row.id, row.mode) {
        case ("size", _): .size
        case ("ingest", "bulk"): .ingest
        case ("ingest", _): .durable
        case (_, "cold"): .cold
        default: .query
        }
    }

    private static func lines(
        _ passes: [[BenchResult]], _ outcomes: [String: PeerOutcome], _ threads: Int, isFirst: Bool
    ) -> [Line] {
        var order: [BenchResult.Key] = []
        var rows: [BenchResult.Key: [BenchResult]] = [:]
        for row in passes.joined() {
            if rows[row.key] == nil { order.append(row.key) }
            rows[row.key, default: []].append(row)
        }
        let lines = order.compactMap { key -> Line? in
            guard let found = rows[key], let row = found.first else { return nil }
            let kind = kind(row)
            // Sizes do not depend on threads.
            if kind == .size && !isFirst { return nil }
            let ours =
                kind == .size
                ? Cell(median: row.bytesPerSample ?? 0, best: row.bytesPerSample ?? 0)
                : Cell(
                    median: Stopwatch(seconds: found.map(\.medianSeconds)).median,
                    best: found.map(\.minSeconds).min() ?? 0)
            var line = Line(
                id: row.id, set: row.set, mode: row.mode, threads: threads, kind: kind, samples: row.samples,
                ours: ours, peers: [:], missing: [:])
            for (name, outcome) in outcomes { line.add(name, outcome) }
            line.judge()
            return line
        }
        let kinds: [Kind] = [.query, .cold, .ingest, .durable, .size]
        // By kind, then by the number of the query.
        func rank(_ line: Line) -> Int { Int(line.id.dropFirst()) ?? 0 }
        return kinds.flatMap { kind in
            let some = lines.filter { $0.kind == kind }
            return kind == .query || kind == .cold ? some.sorted { rank($0) < rank($1) } : some
        }
    }

    package func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
    }
}

extension CompareReport.Line {
    fileprivate mutating func add(_ name: String, _ outcome: PeerOutcome) {
        func isMine(_ id: String, _ set: String, _ mode: String) -> Bool {
            id == self.id && set == self.set && mode == self.mode
        }
        guard let row = outcome.rows.first(where: { isMine($0.id, $0.set, $0.mode) }) else {
            let failure = outcome.failures.first { isMine($0.id, $0.set, $0.mode) }
            let load = outcome.failures.first { isMine($0.id, set, $0.mode) && $0.id == "ingest" && $0.mode == "bulk" }
            missing[name] = outcome.problem ?? failure?.reason ?? load?.reason ?? "not measured"
            return
        }
        let isLossy = !(outcome.lossy[set] ?? "").isEmpty
        if kind == .size {
            let bytes = row.bytesPerSample ?? 0
            peers[name] = CompareReport.Cell(median: bytes, best: bytes, isLossy: isLossy)
            return
        }
        var cell = CompareReport.Cell(median: row.medianSeconds, best: row.minSeconds, isLossy: isLossy)
        if kind == .query, let call = outcome.callSeconds, call > row.minSeconds / 100 {
            cell.withoutCall = max(0, row.minSeconds - call)
        }
        peers[name] = cell
    }

    /// Finds the best lossless peer and computes the ratios.
    fileprivate mutating func judge() {
        let candidates = peers.filter { !$0.value.isLossy }
        guard let best = candidates.min(by: { (figure($0.value), $0.key) < (figure($1.value), $1.key) }) else { return }
        let own = figure(ours)
        guard own > 0 else { return }
        bestPeer = best.key
        ratio = figure(best.value) / own
        // Without the cost of calls, another peer may be the best.
        if let least = candidates.values.map({ $0.withoutCall ?? figure($0) }).min(), kind == .query,
            least < figure(best.value)
        {
            ratioWithoutCall = least / own
        }
    }
}
