// SPDX-License-Identifier: Apache-2.0

import Catalog
import Synchronization

/// The runs of the series of one page, by their slots.
///
/// As long as only segments have runs there, it keeps the places of their rows, and puts the runs together when one is
/// asked for. With the first run in the tail it keeps the runs themselves.
struct RunPage: Sendable {
    let number: PageNumber
    /// The rows of segments; what counts where `own` is nil.
    private var parts: [Part] = []
    /// The runs by slot, where they were changed.
    private var own: [[Run]]?
    /// The runs of `parts` by slot, once they were asked for.
    private var opened = Opened()

    /// Some rows of a segment.
    private struct Part {
        let file: SegmentFile
        let rows: Range<Int>
    }

    /// A place for runs that any thread may fill.
    private final class Opened: Sendable {
        let runs = AtomicLazyReference<Lists>()
    }

    private final class Lists: Sendable {
        let bySlot: [[Run]]

        init(_ bySlot: [[Run]]) { self.bySlot = bySlot }
    }

    init(_ number: PageNumber) { self.number = number }

    var isEmpty: Bool { own.map { $0.allSatisfy(\.isEmpty) } ?? parts.isEmpty }

    func runs(_ slot: Int) -> [Run] {
        if let own { return slot < own.count ? own[slot] : [] }
        let lists = opened.runs.load() ?? opened.runs.storeIfNil(Lists(putTogether()))
        return slot < lists.bySlot.count ? lists.bySlot[slot] : []
    }

    /// The runs by slot, which are not kept if nobody asked for one before.
    var all: [[Run]] { own ?? opened.runs.load()?.bySlot ?? putTogether() }

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

    mutating func add(_ file: SegmentFile, _ rows: Range<Int>) {
        let part = Part(file: file, rows: rows)
        if own == nil, opened.runs.load() == nil {
            parts.append(part)
            opened = Opened()
        } else {
            change { Self.add(part, to: &$0) }
        }
    }

    mutating func change(_ slot: Int, _ body: (inout [Run]) -> Void) {
        change { runs in
            while runs.count <= slot { runs.append([]) }
            body(&runs[slot])
        }
    }

    /// Changes the runs in their place, where no other version has them.
    private mutating func change(_ body: (inout [[Run]]) -> Void) {
        var runs = all
        if own == nil { (parts, opened) = ([], Opened()) } else { own = [] }
        body(&runs)
        own = runs
    }

    /// Removes the runs of segments by their numbers in the catalog.
    mutating func remove(_ segments: Set<Int64>) {
        if own == nil, opened.runs.load() == nil {
            parts.removeAll { segments.contains($0.file.row.id) }
            opened = Opened()
            return
        }
        change { runs in
            for slot in runs.indices {
                runs[slot].removeAll { run in
                    if case .segment(let index) = run { segments.contains(index.file.row.id) } else { false }
                }
            }
        }
    }

    func filter(_ part: (SegmentFile) -> Bool?, _ isWanted: (Run) -> Bool) -> RunPage {
        var page = RunPage(number)
        if own == nil, parts.allSatisfy({ part($0.file) == true }) { return self }
        if own == nil, opened.runs.load() == nil, parts.allSatisfy({ part($0.file) != nil }) {
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
