// SPDX-License-Identifier: Apache-2.0

/// The error of parsing a unit string or converting between units.
public enum HKUnitError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The string is not a unit: `offset` counts UTF-8 bytes, `reason` names the error and the correction.
    case unparsable(string: String, offset: Int, reason: String)
    /// The two units have different dimensions.
    case incompatible(from: String, to: String)

    /// The complete message.
    public var description: String {
        switch self {
        case .unparsable(let string, let offset, let reason):
            "cannot read the unit '\(string)': at byte \(offset), \(reason)"
        case .incompatible(let from, let to):
            "cannot convert from '\(from)' to '\(to)': they have different dimensions"
        }
    }
}
