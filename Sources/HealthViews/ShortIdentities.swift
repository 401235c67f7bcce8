// SPDX-License-Identifier: Apache-2.0

/// Short forms of some identities: as many hexadecimal digits as distinguish all of them, at least six.
///
/// A short form is the beginning of the identity. Identities that a program counts up, as a builder does, begin alike;
/// the short form of such an identity is the beginning of its hash.
package struct ShortIdentities: Sendable {
    /// The number of digits of the short forms.
    package let digits: Int
    /// The digits of each identity in the given order: those of its short form, and the identity itself.
    private let all: [(short: String, whole: String)]

    package init(_ identities: [SampleIdentity]) {
        let all = identities.map { (short: $0.shortDigits, whole: $0.hexadecimal) }
        let count = Set(all.map(\.short)).count
        digits = (6..<32).first { digits in Set(all.map { $0.short.prefix(digits) }).count == count } ?? 32
        self.all = all
    }

    /// Returns the short form of an identity.
    package func short(_ identity: SampleIdentity) -> String { String(identity.shortDigits.prefix(digits)) }

    /// Returns the places of the identities of which some digits are the short form, or the beginning; hyphens and case
    /// are ignored. No digits match nothing.
    package func matching(_ prefix: String) -> [Int] {
        let wanted = prefix.lowercased().filter { $0 != "-" }
        if wanted.isEmpty { return [] }
        let short = all.indices.filter { all[$0].short.hasPrefix(wanted) }
        return short.isEmpty ? all.indices.filter { all[$0].whole.hasPrefix(wanted) } : short
    }
}

extension SampleIdentity {
    /// The identity as 32 hexadecimal digits in lower case.
    package var hexadecimal: String { Self.digits(UInt64(bitPattern: high)) + Self.digits(UInt64(bitPattern: low)) }

    /// The digits from which short forms are made.
    fileprivate var shortDigits: String {
        let low = UInt64(bitPattern: low)
        // Above the counter there are only the two bits of the UUID's variant.
        guard low & 0x3FFF_FFFF_FFFF_FFFF < Self.greatestCounter else { return hexadecimal }
        let first = Self.mixed(UInt64(bitPattern: high) ^ Self.mixed(low))
        return Self.digits(first) + Self.digits(Self.mixed(first))
    }

    /// Identities with a lower half above this are not counted up.
    private static let greatestCounter: UInt64 = 1 << 40

    private static func digits(_ half: UInt64) -> String {
        let digits = String(half, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Returns a hash of a number: a step of SplitMix64. No two numbers have the same one.
    private static func mixed(_ number: UInt64) -> UInt64 {
        var hash = number &+ 0x9E37_79B9_7F4A_7C15
        hash = (hash ^ (hash >> 30)) &* 0xBF58_476D_1CE4_E5B9
        hash = (hash ^ (hash >> 27)) &* 0x94D0_49BB_1331_11EB
        return hash ^ (hash >> 31)
    }
}
