// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Foundation
import HealthCatalog

/// Compares the samples of one series of two stores, window by window. Memory: some ten thousand samples of each store,
/// or all samples that start at one instant.
struct SampleComparison {
    /// The samples of a window.
    private static let most = 1 << 16
    /// The samples after which memory of the files is given back.
    private static let manySamples = 1 << 20

    private let first: ComparedStore
    private let second: ComparedStore
    private var origins: ComparedOrigins
    /// The compared series.
    private var key: ComparedStore.SeriesKey
    private var a = SampleWindow()
    private var b = SampleWindow()
    private var sinceRelease = 0

    init(_ first: ComparedStore, _ second: ComparedStore) {
        (self.first, self.second) = (first, second)
        origins = ComparedOrigins(first, second)
        key = ComparedStore.SeriesKey(type: "", source: "", bundle: nil, unit: nil)
    }

    /// Compares the samples of all series.
    mutating func run(_ report: inout ComparisonReport) throws(HealthStoreError) {
        let (ours, theirs) = (first.series(), second.series())
        for key in Set(ours.keys).union(theirs.keys).sorted() {
            self.key = key
            try compare(ours[key] ?? [], theirs[key] ?? [], &report)
        }
    }

    private mutating func compare(
        _ ours: [SeriesID], _ theirs: [SeriesID], _ report: inout ComparisonReport
    ) throws(HealthStoreError) {
        var (from, most) = (Int64.min, Self.most)
        while true {
            let identities = key.hasIdentities
            try a.read(ours, from: from, most: most, identities: identities, first.view.snapshot)
            try b.read(theirs, from: from, most: most, identities: identities, second.view.snapshot)
            let end = min(a.limit, b.limit)
            if end == from {
                // More samples start at this instant than a window has.
                most *= 2
                continue
            }
            try compare(before: end, &report)
            if end == .max { return }
            (from, most) = (end, Self.most)
        }
    }

    /// Compares the samples of the windows that start before an instant.
    private mutating func compare(before end: Int64, _ report: inout ComparisonReport) throws(HealthStoreError) {
        var (i, j, equal) = (0, 0, 0)
        while true {
            while i < a.count, j < b.count, a.starts[i] < end, try isEqual(i, j) {
                (i, j, equal) = (i + 1, j + 1, equal + 1)
            }
            let start = min(i < a.count ? a.starts[i] : .max, j < b.count ? b.starts[j] : .max)
            if start >= end { break }
            // The order of samples with one start is no content.
            let (ours, theirs) = (Self.group(a, from: i, start), Self.group(b, from: j, start))
            try compare(ours, theirs, &report)
            (i, j) = (ours.upperBound, theirs.upperBound)
        }
        report.samples += equal
        sinceRelease += a.count + b.count
        if sinceRelease >= Self.manySamples {
            first.store.engine.releaseMappedPages()
            second.store.engine.releaseMappedPages()
            sinceRelease = 0
        }
    }

    private static func group(_ window: borrowing SampleWindow, from row: Int, _ start: Int64) -> Range<Int> {
        var end = row
        while end < window.count, window.starts[end] == start { end += 1 }
        return row..<end
    }

    private mutating func isEqual(_ i: Int, _ j: Int) throws(HealthStoreError) -> Bool {
        guard SampleWindow.areEqual(a, i, b, j) else { return false }
        guard try origins.isSame(provenance: a.provenance[i], b.provenance[j]) else { return false }
        return try origins.isSame(metadata: a.metadata[i], b.metadata[j])
    }

    /// Compares samples that start at one instant, by identity.
    private mutating func compare(
        _ ours: Range<Int>, _ theirs: Range<Int>, _ report: inout ComparisonReport
    ) throws(HealthStoreError) {
        let left = ours.sorted { SampleWindow.isBefore(a, $0, a, $1) }
        let right = theirs.sorted { SampleWindow.isBefore(b, $0, b, $1) }
        var (i, j) = (0, 0)
        while i < left.count || j < right.count {
            report.samples += 1
            if j == right.count || i < left.count && SampleWindow.isBefore(a, left[i], b, right[j]) {
                report.add { difference(a, left[i], .first) }
                i += 1
            } else if i == left.count || SampleWindow.isBefore(b, right[j], a, left[i]) {
                report.add { difference(b, right[j], .second) }
                j += 1
            } else {
                if try !isEqual(left[i], right[j]) {
                    let details = report.hasRoom ? try details(left[i], right[j]) : []
                    report.add {
                        var one = difference(a, left[i], .both)
                        one.details = details
                        return one
                    }
                }
                (i, j) = (i + 1, j + 1)
            }
        }
    }

    private func difference(
        _ window: SampleWindow, _ row: Int, _ presence: HealthStoreComparison.Presence
    ) -> HealthStoreComparison.Difference {
        var details: [String] = []
        if presence != .both {
            details = ["value: \(window.values[row])" + (key.unit.map { " " + $0 } ?? "")]
            if !key.source.isEmpty { details.append("source: \(key.source)") }
        }
        return .init(
            type: key.type, name: window.hasIdentity(row) ? window.identity(row).uuid.uuidString : nil,
            start: window.starts[row], presence: presence, details: details)
    }

    /// Returns the properties that differ.
    private func details(_ i: Int, _ j: Int) throws(HealthStoreError) -> [String] {
        var found: [String] = []
        for (name, column) in [("end", \SampleWindow.ends), ("time of creation", \.created)] {
            let (one, other) = (a[keyPath: column][i], b[keyPath: column][j])
            if one != other { found.append(ComparedText.difference(name, Self.time(one), Self.time(other))) }
        }
        if a.values[i].bitPattern != b.values[j].bitPattern {
            found.append(ComparedText.difference("value", "\(a.values[i])", "\(b.values[j])"))
        }
        let (origin, other) = (try first.origin(a.provenance[i]), try second.origin(b.provenance[j]))
        if !origin.elementsEqual(other, by: { $0 == $1 }) { found += ComparedText.differences(origin, other) }
        var origins = origins
        if try !origins.isSame(metadata: a.metadata[i], b.metadata[j]) {
            found += ComparedText.differences(
                try first.metadata(a.metadata[i]), try second.metadata(b.metadata[j]))
        }
        return found
    }

    /// Returns an instant as text; nil for an unknown time of creation.
    static func time(_ instant: Int64) -> String? { instant == 0 ? nil : Civil.format(instant, zone: .utc) }
}
