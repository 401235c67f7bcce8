// SPDX-License-Identifier: Apache-2.0

import Catalog
import Synchronization

/// The runs of the series of one page, by slot.
///
/// A page decodes its runs when a query first needs one of them; until then it holds the positions of the rows.
///
/// - Requires: for every change, no other table shares the page.
final class RunPage: Sendable {
    let number: Int64
    private let state: Mutex<State>

    fileprivate struct State {
        /// The segment rows from which the runs are made; empty after a change of the runs.
        var parts: [Part] = []
        var isChanged = false
        /// The runs by slot; nil until they are made.
        var lists: [[Run]]?
    }

    /// A range of rows of a segment.
    fileprivate struct Part {
        let file: SegmentFile
        let rows: Range<Int>
    }

    init(_ number: Int64) {
        self.number = number
        state = Mutex(State())
    }

    private init(_ number: Int64, _ state: State) {
        self.number = number
        self.state = Mutex(state)
    }

    /// Returns a page with the same runs, for changes.
    func copy() -> RunPage { RunPage(number, state.withLock { $0 }) }

    var isEmpty: Bool {
        state.withLock { $0.isChanged ? $0.lists?.allSatisfy(\.isEmpty) ?? true : $0.parts.isEmpty }
    }

    func runs(_ slot: Int) -> [Run] {
        state.withLock { state in
            if state.lists == nil { state.lists = state.putTogether() }
            guard let lists = state.lists, slot < lists.count else { return [] }
            return lists[slot]
        }
    }

    /// The runs by slot. They are not cached unless a query has already decoded them.
    var all: [[Run]] { state.withLock { $0.all } }

    func add(_ file: SegmentFile, _ rows: Range<Int>) {
        let part = Part(file: file, rows: rows)
        state.withLock { state in
            if state.lists == nil {
                state.parts.append(part)
            } else {
                state.change { State.add(part, to: &$0) }
            }
        }
    }

    func change(_ slot: Int, _ body: (inout [Run]) -> Void) {
        state.withLock { state in
            state.change { runs in
                while runs.count <= slot { runs.append([]) }
                body(&runs[slot])
            }
        }
    }

    /// Removes the runs of segments, given by their catalog ids.
    func remove(_ segments: Set<Int64>) {
        state.withLock { state in
            if state.lists == nil { return state.parts.removeAll { segments.contains($0.file.row.id) } }
            state.change { runs in
                for slot in runs.indices {
                    runs[slot].removeAll { run in
                        if case .segment(let index) = run { segments.contains(index.file.row.id) } else { false }
                    }
                }
            }
        }
    }

    func filter(_ part: (SegmentFile) -> Bool?, _ isWanted: (Run) -> Bool) -> RunPage {
        let known = state.withLock { $0 }
        if !known.isChanged, known.parts.allSatisfy({ part($0.file) == true }) { return self }
        var left = State()
        if known.lists == nil, known.parts.allSatisfy({ part($0.file) != nil }) {
            left.parts = known.parts.filter { part($0.file) == true }
        } else {
            left.isChanged = true
            left.lists = known.all.map { runs in
                runs.filter { run in
                    if case .segment(let index) = run, let isWhole = part(index.file) { return isWhole }
                    return isWanted(run)
                }
            }
        }
        return RunPage(number, left)
    }
}

extension RunPage.State {
    var all: [[Run]] { lists ?? putTogether() }

    func putTogether() -> [[Run]] {
        var runs = [[Run]]()
        for part in parts { Self.add(part, to: &runs) }
        return runs
    }

    mutating func change(_ body: (inout [[Run]]) -> Void) {
        var runs = all
        (lists, parts, isChanged) = (nil, [], true)
        body(&runs)
        lists = runs
    }

    static func add(_ part: RunPage.Part, to runs: inout [[Run]]) {
        for row in part.rows {
            let run = part.file.run(row)
            let slot = PageNumber.slot(of: run.series)
            while runs.count <= slot { runs.append([]) }
            // Segment runs precede runs of the tail.
            var at = runs[slot].count
            while at > 0, case .tail = runs[slot][at - 1] { at -= 1 }
            runs[slot].insert(.segment(run), at: at)
        }
    }
}
