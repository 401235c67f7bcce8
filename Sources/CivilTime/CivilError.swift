// SPDX-License-Identifier: Apache-2.0

/// Errors of calendar computations.
package enum CivilError: Error, Equatable, Sendable, CustomStringConvertible {
    /// No time zone has this identifier.
    case unknownZone(String)
    /// A step of length zero, a negative step, or one longer than ten thousand years; with the reason.
    case badStep(String)
    /// A range that ends before it starts.
    case backwardRange(from: Int64, to: Int64)
    /// More edges than the caller's limit.
    case tooManyEdges(limit: Int)
    /// A time outside the range of an Int64 of nanoseconds, 1677-09-21 to 2262-04-11.
    case outOfRange(String)
    /// A text that is not a date or time, with the byte offset of the first invalid byte.
    case badText(String, offset: Int, reason: String)
    /// A text that is neither a date or time nor a period in everyday words.
    case noPeriod(String)

    package var description: String {
        switch self {
        case .unknownZone(let name):
            "unknown time zone '\(name)'; use a name such as Europe/Berlin, or an offset such as +02:00"
        case .badStep(let reason): "not a calendar step: \(reason)"
        case .backwardRange(let from, let to): "the range ends (\(to) ns) before it starts (\(from) ns)"
        case .tooManyEdges(let limit): "more than \(limit) calendar steps; use longer steps or a shorter range"
        case .outOfRange(let what):
            "\(what) is outside of 1677-09-21T00:12:43.145224192Z to 2262-04-11T23:47:16.854775807Z"
        case .badText(let text, let offset, let reason):
            "'\(text)' is not a date or time: \(reason) at character \(offset + 1)"
        case .noPeriod(let text):
            "'\(text)' is no date; take 2024, 2024-01, 2024-01-31, 30d, yesterday or \"last month\""
        }
    }
}
