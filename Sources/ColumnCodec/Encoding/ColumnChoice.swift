// SPDX-License-Identifier: Apache-2.0

/// What an encoder chose for a column, or could have chosen, and what that costs.
package struct ColumnChoice: Sendable, Equatable {
    /// The number of the encoding on disk.
    package let encoding: UInt8
    /// Its name.
    package let name: String
    /// Bytes of the payload before LZ4.
    package let plainBytes: Int
    /// Bytes of the whole column as written, header included.
    package let storedBytes: Int
    /// Whether the payload is an LZ4 block.
    package let lz4: Bool
    /// What else was decided.
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

    /// `details` in words, for people; made when asked for.
    package var note: String { details.description }
}

/// The parameters of a choice; zero where they do not apply.
package struct ColumnDetails: Sendable, Equatable, CustomStringConvertible {
    /// Form of the integers inside of a column of reals.
    package var form: UInt8 = 0
    /// Common unit of the integers.
    package var unit: UInt64 = 0
    /// What integers are divided by to give the reals.
    package var divisor: Double = 0
    /// Values stored beside because they have no integer.
    package var exceptions = 0
    /// Entries of a dictionary, or runs.
    package var entries = 0
    /// Whether widths are whole bytes for LZ4's sake.
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

/// When an encoder tries LZ4.
package enum LZ4Mode: Sendable {
    /// Where it may pay: kept when it saves a tenth.
    case automatic
    /// On every column, kept whatever it gives; for tests.
    case always
    case never
}
