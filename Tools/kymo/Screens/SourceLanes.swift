// SPDX-License-Identifier: Apache-2.0

import CivilTime
import HealthViews

/// Lanes of sources over the hours of a day: a block for what counts, ░ for what a source before it hides.
struct SourceLanes {
    private let day: CountedDay
    /// The half hours of one character.
    private let joining: Int
    /// The greatest amount of one character that counts.
    private let greatest: Double

    private static let blocks: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
    static let hidden: Character = "░"

    init(_ day: CountedDay, joining: Int) {
        self.day = day
        self.joining = joining
        greatest = day.who.shares.flatMap { Self.cells($0, joining) }.map(\.counted).max() ?? 0
    }

    /// The number of characters of a lane.
    var width: Int { (day.starts.count + joining - 1) / joining }

    private static func cells(_ share: WhoCounted.Share, _ joining: Int) -> [(recorded: Double, counted: Double)] {
        stride(from: 0, to: share.slices.count, by: joining).map { at in
            share.slices[at..<min(at + joining, share.slices.count)].reduce((0, 0)) {
                ($0.0 + $1.recorded, $0.1 + $1.counted)
            }
        }
    }

    /// Returns the lane of a source. ░ marks a cell of which more than half is hidden.
    func lane(_ share: WhoCounted.Share) -> String {
        String(
            Self.cells(share, joining).map { cell -> Character in
                if cell.recorded <= 0 { return " " }
                if cell.counted * 2 < cell.recorded { return Self.hidden }
                let share = cell.counted / greatest
                guard share.isFinite else { return Self.blocks[7] }
                return Self.blocks[min(max(Int((share * 8).rounded(.up)) - 1, 0), 7)]
            })
    }

    /// The hours of the clock above the lanes, every fourth one: `0h      4       8`.
    var hours: String {
        var text = ""
        func put(_ label: String, at place: Int) {
            guard text.isEmpty && place == 0 || text.count < place else { return }
            text += String(repeating: " ", count: place - text.count) + label
        }
        for (at, start) in day.starts.enumerated() where at % joining == 0 {
            let seconds = start.dividedDown(by: Civil.second)
            let clock = seconds + Int64(day.zone.offset(at: seconds))
            let local = clock - clock.dividedDown(by: Civil.secondsPerDay) * Civil.secondsPerDay
            if local % 14_400 == 0 { put(local == 0 ? "0h" : String(local / 3_600), at: at / joining) }
        }
        put("24", at: width)
        return text
    }
}
