// SPDX-License-Identifier: Apache-2.0

import Catalog
import Synchronization

/// The runs of the series of one page, by their slots.
///
/// As long as only segments have runs there, it keeps the places of their rows, and puts the runs together when one is
/// asked for. It is changed only by a table that nobody shares it with.
final class RunPage: @unchecked Sendable {
    let number: Int64
    /// The rows of segments that the runs are put together from; none of a page whose runs were changed.
    private var parts: [Part] = []
    private var isChanged = false
    /// The runs by slot, once they are put together.
    private var lists: [[Run]] = []
    private let isFilled = Atomic(false)
    /// For the thread that puts them together.
    private let filling = Mutex(())

    /// Some rows of a segment.
    private struct Part {
        let file: SegmentFile
        let rows: Range<Int>
    }

    init(_ number: Int64) { self.number = number }

    /// A page of the same runs, which may be changed.
    func copy() -> RunPage {
        let page = RunPage(number)
        page.parts = parts
        if isFilled.load(ordering: .acquiring) { page.keep(lists, isChanged: isChanged) }
        return page
    }

    private func keep(_ runs: [[Run]], isChanged changed: Bool) {
        lists = runs
        isChanged = changed
        isFilled.store(true, ordering: .releasing)
    }

    var isEmpty: Bool { isChanged ? lists.allSatisfy(\.isEmpty) : parts.isEmpty }

    func runs(_ slot: Int) -> [Run] {
        if !isFilled.load(ordering: .acquiring) { fill() }
        return slot < lists.count ? lists[slot] : []
    }

    private func fill() {
        filling.withLock { _ in
            if !isFilled.load(ordering: .acquiring) { keep(putTogether(), isChanged: false) }
        }
    }

    /// The runs by slot, which are not kept if nobody asked for one before.
    var all: [[Run]] { isFilled.load(ordering: .acquiring) ? lists : putTogether() }

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
        if isFilled.load(ordering: .acquiring) {
            change { Self.add(part, to: &$0) }
        } else {
            parts.append(part)
        }
    }

    func change(_ slot: Int, _ body: (inout [Run]) -> Void) {
        change { runs in
            while runs.count <= slot { runs.append([]) }
            body(&runs[slot])
        }
    }

    private func change(_ body: (inout [[Run]]) -> Void) {
        if !isFilled.load(ordering: .acquiring) { keep(putTogether(), isChanged: true) }
        isChanged = true
        parts = []
        body(&lists)
    }

    /// Removes the runs of segments by their numbers in the catalog.
    func remove(_ segments: Set<Int64>) {
        if !isFilled.load(ordering: .acquiring) { return parts.removeAll { segments.contains($0.file.row.id) } }
        change { runs in
            for slot in runs.indices {
                runs[slot].removeAll { run in
                    if case .segment(let index) = run { segments.contains(index.file.row.id) } else { false }
                }
            }
        }
    }

    func filter(_ part: (SegmentFile) -> Bool?, _ isWanted: (Run) -> Bool) -> RunPage {
        if !isChanged, parts.allSatisfy({ part($0.file) == true }) { return self }
        let page = RunPage(number)
        if !isFilled.load(ordering: .acquiring), parts.allSatisfy({ part($0.file) != nil }) {
            page.parts = parts.filter { part($0.file) == true }
            return page
        }
        let left = all.map { runs in
            runs.filter { run in
                if case .segment(let index) = run, let isWhole = part(index.file) { return isWhole }
                return isWanted(run)
            }
        }
        page.keep(left, isChanged: true)
        return page
    }
}
