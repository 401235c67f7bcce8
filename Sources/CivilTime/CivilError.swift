// SPDX-License-Identifier: Apache-2.0

/// What a calendar cannot answer.
package enum CivilError: Error, Equatable, Sendable, CustomStringConvertible {
    /// No time zone has this identifier.
    case unknownZone(String)
    /// A step that never moves on, goes backwards, or is longer than ten thousand years; with the reason.
    case badStep(String)
    /// A range whose end lies before its start.
    case backwardRange(from: Int64, to: Int64)
    /// More edges than the caller wanted to have.
    case tooManyEdges(limit: Int)
    /// A time outside of what an Int64 of nanoseconds holds, 1677-09-21 to 2262-04-11.
    case outOfRange(String)
    /// A text that is not a date or time, with the byte offset where it stops making sense.
    case badText(String, offset: Int, reason: String)

    package var description: String {
        switch self {
        case .unknownZone(let name):
            "no time zone is called '\(name)'; use a name such as Europe/Berlin, or an offset such as +02:00"
        case .badStep(let reason): "not a calendar step: \(reason)"
        case .backwardRange(let from, let to): "the range ends (\(to) ns) before it starts (\(from) ns)"
        case .tooManyEdges(let limit): "more than \(limit) calendar steps; use longer steps or a shorter range"
        case .outOfRange(let what):
            "\(what) is outside of 1677-09-21T00:12:43.145224192Z to 2262-04-11T23:47:16.854775807Z"
        case .badText(let text, let offset, let reason):
            "'\(text)' is not a date or time: \(reason) at character \(offset + 1)"
        }
    }
}
