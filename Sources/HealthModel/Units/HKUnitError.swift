// SPDX-License-Identifier: Apache-2.0

/// Why a unit string or a conversion is refused.
public enum HKUnitError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The string is no unit: `offset` counts its UTF-8 bytes, `reason` says what is wrong and what would be right.
    case unparsable(string: String, offset: Int, reason: String)
    /// The two units measure different things.
    case incompatible(from: String, to: String)

    /// The whole sentence for a person.
    public var description: String {
        switch self {
        case .unparsable(let string, let offset, let reason):
            "cannot read the unit '\(string)': at byte \(offset), \(reason)"
        case .incompatible(let from, let to):
            "cannot convert from '\(from)' to '\(to)': they measure different things"
        }
    }
}
