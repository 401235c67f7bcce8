// SPDX-License-Identifier: Apache-2.0

/// Short forms of some identities: as many hexadecimal digits as distinguish all of them, at least six.
package struct ShortIdentities: Sendable {
    /// The number of digits of the short forms.
    package let digits: Int
    /// The whole identities, in the given order.
    private let whole: [String]

    package init(_ identities: [SampleIdentity]) {
        let whole = identities.map(\.hexadecimal)
        let count = Set(whole).count
        digits = (6..<32).first { digits in Set(whole.map { $0.prefix(digits) }).count == count } ?? 32
        self.whole = whole
    }

    /// Returns the short form of an identity.
    package func short(_ identity: SampleIdentity) -> String { String(identity.hexadecimal.prefix(digits)) }

    /// Returns the places of the identities that begin with some digits; hyphens and case are ignored. No digits match
    /// nothing.
    package func matching(_ prefix: String) -> [Int] {
        let wanted = prefix.lowercased().filter { $0 != "-" }
        return wanted.isEmpty ? [] : whole.indices.filter { whole[$0].hasPrefix(wanted) }
    }
}

extension SampleIdentity {
    /// The identity as 32 hexadecimal digits in lower case.
    package var hexadecimal: String {
        [high, low].map { half in
            let digits = String(UInt64(bitPattern: half), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
