// SPDX-License-Identifier: Apache-2.0

import Catalog

/// The number of a series in one store. It never changes and is never reused.
public struct SeriesID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number, from 1.
    public let rawValue: Int64

    /// Creates the identifier of a series from its number. A number that a store does not have is `unknownSeries` in
    /// its calls.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// Compares the numbers.
    public static func < (a: SeriesID, b: SeriesID) -> Bool { a.rawValue < b.rawValue }

    /// The text `series 7`, for messages.
    public var description: String { "series \(rawValue)" }
}

/// The kind of a series' values. It determines how a sample that crosses the edge of a bucket counts.
public enum SeriesKind: UInt8, Sendable, CaseIterable {
    /// A measured level, such as a pulse. A sample counts in the bucket where it starts.
    case discrete = 1
    /// An amount collected over the sample's interval, such as steps. A sample that crosses the edge of a bucket is
    /// divided among the buckets in proportion to time.
    case cumulative = 2
}

/// One series of samples in a store: a name, labels that distinguish it from others of that name, and a kind.
public struct Series: Hashable, Sendable, Identifiable {
    /// The maximum length of a name, in bytes of UTF-8.
    public static let maximumTextBytes = 1 << 20
    /// The maximum total length of all keys and values of the labels, in bytes of UTF-8.
    public static let maximumLabelBytes = 4 << 20

    /// The number that appends and queries use.
    public let id: SeriesID
    /// The name of the measured quantity.
    public let name: String
    /// The labels that distinguish this series from others of the same name, such as a subject, a source or a unit.
    public let labels: [String: String]
    /// The kind of the values.
    public let kind: SeriesKind

    /// Throws `kindMismatch` if the series has another kind.
    func require(_ wanted: SeriesKind) throws(StoreError) {
        if kind == wanted { return }
        throw StoreError(
            .kindMismatch, "series \"\(name)\" is \(kind), not \(wanted); use another name or labels")
    }
}

/// The name and the labels of a series, which together are unique in a store.
struct SeriesKey: Sendable {
    let name: String
    let labels: [String: String]
    /// The labels in the catalog's encoding.
    let labelText: String

    init(name: String, labels: [String: String]) {
        self.name = name
        self.labels = labels
        labelText = Labels.encode(labels)
    }

    /// Throws `invalidArgument` if the name or the labels are too long.
    ///
    /// - Complexity: O(labels).
    func requireStorable() throws(StoreError) {
        let most = Series.maximumTextBytes
        guard name.utf8.count <= most else {
            throw StoreError(
                .invalidArgument, "the name of a series has \(name.utf8.count) bytes; use at most \(most)")
        }
        var bytes = 0
        for (key, value) in labels { bytes += key.utf8.count + value.utf8.count }
        guard bytes <= Series.maximumLabelBytes else {
            throw StoreError(
                .invalidArgument,
                "the labels of a series have \(bytes) bytes; use at most \(Series.maximumLabelBytes) in all")
        }
    }
}
