// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The local time at which nights begin.
struct NightStart: ExpressibleByArgument {
    /// Minutes after midnight.
    var minute: Int

    static let evening = NightStart(minute: 1_080)

    init(minute: Int) { self.minute = minute }

    init?(argument: String) {
        let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.count == 2 && $0.allSatisfy(\.isASCIIDigit) }),
            let hour = Int(parts[0]), let minute = Int(parts[1]), hour < 24, minute < 60
        else { return nil }
        self.minute = hour * 60 + minute
    }

    var defaultValueDescription: String { "18:00" }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}
