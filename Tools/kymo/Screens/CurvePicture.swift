// SPDX-License-Identifier: Apache-2.0

import HealthViews

extension Braille {
    /// Draws the least and greatest value of each slice, and lines between neighbours. A longer gap stays empty.
    mutating func draw(_ slices: [EnvelopeSlice], _ scale: ValueScale) {
        let places = slices.indices.filter { slices[$0].count > 0 }
        let gaps = zip(places, places.dropFirst()).map { $1 - $0 }.sorted()
        // A line joins neighbours whose distance is usual.
        let longest = gaps.isEmpty ? 0 : max(gaps[gaps.count / 2] * 4, slices.count / 50)
        var before: (place: Int, x: Int, y: Int)?
        for place in places {
            guard let low = slices[place].min, let high = slices[place].max, let first = slices[place].first,
                let last = slices[place].last
            else { continue }
            let x = width * place / slices.count
            column(x, from: scale.row(low.value), to: scale.row(high.value))
            if let before, place - before.place <= longest {
                line(from: (before.x, before.y), to: (x, scale.row(first.value)))
            }
            before = (place, x, scale.row(last.value))
        }
    }
}
