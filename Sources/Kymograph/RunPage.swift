// SPDX-License-Identifier: Apache-2.0

import Catalog
import Synchronization

/// The runs of the series of one page, by their slots.
///
/// As long as only segments have runs there, it keeps the places of their rows, and puts the runs together when one is
/// asked for. With the first run in the tail it keeps the runs themselves. It is changed only by a table that nobody
/// shares it with.
final class RunPage: @unchecked Sendable {
    let number: Int64
    /// The rows of segments; what counts where `own` is nil.
    private var parts: [Part] = []
    /// The runs by slot, where they were changed.
    private var own: [[Run]]?
    /// The runs of `parts` by slot, once they were asked for, by any thread.
    private let opened = AtomicLazyReference<Lists>()

    /// Some rows of a segment.
    private struct Part {
        let file: SegmentFile
        let rows: Range<Int>
    }

    private final class Lists: Sendable {
        let bySlot: [[Run]]

        init(_ bySlot: [[Run]]) { self.bySlot = bySlot }
    }

    init(_ number: Int64) { self.number = number }

    /// A page of the same runs, which may be changed.
    func copy() -> RunPage {
        let page = RunPage(number)
        page.own = own ?? opened.load()?.bySlot
        if page.own == nil { page.parts = parts }
        return page
    }

    var isEmpty: Bool { own.map { $0.allSatisfy(\.isEmpty) } ?? parts.isEmpty }

    func runs(_ slot: Int) -> [Run] {
        if let own { return slot < own.count ? own[slot] : [] }
        let lists = opened.load() ?? opened.storeIfNil(Lists(putTogether()))
        return slot < lists.bySlot.count ? lists.bySlot[slot] : []
    }

    /// The runs by slot, which are not kept if nobody asked for one before.
    var all: [[Run]] { own ?? opened.load()?.bySlot ?? putTogether() }

    private func putTogether() -> [[Run]] {
        var runs = [[Run]]()
        for part in parts { Self.add(part, to: &runs) }
        return runs
    }

    private static func add(_ part: Part, to runs: inout [[Run]]) {
        for row in part.rows {
            let run = part.file.run(row)
            let slot = PageNumber.slot(of: run.series)
            while runs.count <= slot { runs.append([]) }
            // Before those in the tail.
            var at = runs[slot].count
            while at > 0, case .tail = runs[slot][at - 1] { at -= 1 }
            runs[slot].insert(.segment(run), at: at)
        }
    }

    func add(_ file: SegmentFile, _ rows: Range<Int>) {
        let part = Part(file: file, rows: rows)
        if own == nil, opened.load() == nil {
            parts.append(part)
        } else {
            change { Self.add(part, to: &$0) }
        }
    }

    func change(_ slot: Int, _ body: (inout [Run]) -> Void) {
        change { runs in
            while runs.count <= slot { runs.append([]) }
            body(&runs[slot])
        }
    }

    private func change(_ body: (inout [[Run]]) -> Void) {
        var runs = all
        (own, parts) = ([], [])
        body(&runs)
        own = runs
    }

    /// Removes the runs of segments by their numbers in the catalog.
    func remove(_ segments: Set<Int64>) {
        if own == nil, opened.load() == nil { return parts.removeAll { segments.contains($0.file.row.id) } }
        change { runs in
            for slot in runs.indices {
                runs[slot].removeAll { run in
                    if case .segment(let index) = run { segments.contains(index.file.row.id) } else { false }
                }
            }
        }
    }

    func filter(_ part: (SegmentFile) -> Bool?, _ isWanted: (Run) -> Bool) -> RunPage {
        if own == nil, parts.allSatisfy({ part($0.file) == true }) { return self }
        let page = RunPage(number)
        if own == nil, opened.load() == nil, parts.allSatisfy({ part($0.file) != nil }) {
            page.parts = parts.filter { part($0.file) == true }
        } else {
            page.own = all.map { runs in
                runs.filter { run in
                    if case .segment(let index) = run, let isWhole = part(index.file) { return isWhole }
                    return isWanted(run)
                }
            }
        }
        return page
    }
}
