// SPDX-License-Identifier: Apache-2.0

/// An encoder's choice for a column, or an alternative to it, and its cost.
package struct ColumnChoice: Sendable, Equatable {
    /// The number of the encoding on disk.
    package let encoding: UInt8
    /// The name of the encoding.
    package let name: String
    /// Size of the payload before compression, in bytes.
    package let plainBytes: Int
    /// Size of the whole column as written, including its header, in bytes.
    package let storedBytes: Int
    /// Whether the payload is an LZ4 block.
    package let lz4: Bool
    /// The parameters of the encoding.
    package let details: ColumnDetails

    package init(
        encoding: UInt8, plainBytes: Int, storedBytes: Int, lz4: Bool, details: ColumnDetails = ColumnDetails()
    ) {
        self.encoding = encoding
        self.name = Encoding.name(encoding)
        self.plainBytes = plainBytes
        self.storedBytes = storedBytes
        self.lz4 = lz4
        self.details = details
    }

    /// The text of `details`.
    package var note: String { details.description }
}

/// The parameters of a choice; zero if they do not apply.
package struct ColumnDetails: Sendable, Equatable, CustomStringConvertible {
    /// Form of the integers nested in a column of reals.
    package var form: UInt8 = 0
    /// Common unit of the integers.
    package var unit: UInt64 = 0
    /// The divisor that converts integers to reals.
    package var divisor: Double = 0
    /// Number of values stored separately because no integer represents them.
    package var exceptions = 0
    /// Number of entries of a dictionary, or of runs.
    package var entries = 0
    /// Whether widths are whole bytes, which helps LZ4.
    package var wholeBytes = false

    package init() {}

    package var description: String {
        var parts: [String] = []
        if divisor > 0 { parts.append("k / \(divisor)") }
        if form > 0 { parts.append(Encoding.name(form)) }
        if unit > 1 { parts.append("unit \(unit)") }
        if entries > 0 { parts.append("\(entries) entries") }
        if exceptions > 0 { parts.append("\(exceptions) exceptions") }
        if wholeBytes { parts.append("whole bytes") }
        return parts.joined(separator: ", ")
    }
}

/// The policy for trying LZ4.
package enum LZ4Mode: Sendable {
    /// Where compression may pay; kept if it saves a tenth.
    case automatic
    /// On every column, always kept; for tests.
    case always
    case never
}
