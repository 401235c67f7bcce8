// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The version of an operating system as a store keeps it: `17.4.1`.
enum SystemText {
    /// The text of a version; nil for all zeros, which is what is said where none is known.
    static func text(_ version: OperatingSystemVersion) -> String? {
        if (version.majorVersion, version.minorVersion, version.patchVersion) == (0, 0, 0) { return nil }
        return "\(version.majorVersion).\(version.minorVersion).\(version.patchVersion)"
    }

    /// The version of a text, zeros for what is missing or no number.
    static func version(_ text: String?) -> OperatingSystemVersion {
        let numbers = (text ?? "").split(separator: ".", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
        return OperatingSystemVersion(
            majorVersion: numbers.first ?? 0, minorVersion: numbers.dropFirst().first ?? 0,
            patchVersion: numbers.dropFirst(2).first ?? 0)
    }
}
