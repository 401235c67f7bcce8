// SPDX-License-Identifier: Apache-2.0

import Catalog

/// The number of a series inside one store. It never changes and is never given to another series.
public struct SeriesID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number, from 1.
    public let rawValue: Int64

    package init(rawValue: Int64) { self.rawValue = rawValue }

    /// By number.
    public static func < (a: SeriesID, b: SeriesID) -> Bool { a.rawValue < b.rawValue }

    /// `series 7`, for messages.
    public var description: String { "series \(rawValue)" }
}

/// What a series measures: how a sample that crosses the edge of a bucket counts.
public enum SeriesKind: UInt8, Sendable, CaseIterable {
    /// A measured level, such as a pulse: a sample counts in the bucket where it starts.
    case discrete = 1
    /// An amount collected over the sample's interval, such as steps: a sample that crosses a bucket's edge is
    /// shared between the buckets in proportion to the time it spends in each.
    case cumulative = 2
}

/// One series of samples in a store: a name, labels that tell it from others of that name, and a kind.
public struct Series: Hashable, Sendable, Identifiable {
    /// The most bytes of UTF-8 that a name may have.
    public static let maximumTextBytes = 1 << 20
    /// The most bytes of UTF-8 that all keys and values of the labels may have together.
    public static let maximumLabelBytes = 4 << 20

    /// The number by which appends and queries name it.
    public let id: SeriesID
    /// What is measured.
    public let name: String
    /// What distinguishes this series from others of the same name: a subject, a source, a unit.
    public let labels: [String: String]
    /// How its samples count at the edges of buckets.
    public let kind: SeriesKind

    package init(id: SeriesID, name: String, labels: [String: String], kind: SeriesKind) {
        self.id = id
        self.name = name
        self.labels = labels
        self.kind = kind
    }
}

extension Series {
    /// - Throws: `kindMismatch`.
    func require(_ wanted: SeriesKind) throws(StoreError) {
        if kind == wanted { return }
        throw StoreError(
            .kindMismatch, "series \"\(name)\" is \(kind), not \(wanted); use another name or labels")
    }
}

/// What names a series: no two series of a store have both in common.
struct SeriesKey: Sendable {
    let name: String
    let labels: [String: String]
    /// The labels as the catalog writes them.
    let labelText: String

    init(name: String, labels: [String: String]) {
        self.name = name
        self.labels = labels
        labelText = Labels.encode(labels)
    }

    /// Refuses texts that are too long to be kept in memory and in the catalog.
    ///
    /// - Throws: `invalidArgument`.
    /// - Complexity: O(labels).
    func requireStorable() throws(StoreError) {
        let most = Series.maximumTextBytes
        guard name.utf8.count <= most else {
            throw StoreError(
                .invalidArgument, "the name of a series has \(name.utf8.count) bytes; give one of at most \(most)")
        }
        var bytes = 0
        for (key, value) in labels { bytes += key.utf8.count + value.utf8.count }
        guard bytes <= Series.maximumLabelBytes else {
            throw StoreError(
                .invalidArgument,
                "the labels of a series have \(bytes) bytes; give ones of at most \(Series.maximumLabelBytes) together")
        }
    }
}
