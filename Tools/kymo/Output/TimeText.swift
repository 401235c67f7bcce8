// SPDX-License-Identifier: Apache-2.0

import CivilTime

/// The times in tables and messages: seconds, and milliseconds only for a time that has them.
enum TimeText {
    /// Returns an instant such as `2024-01-31 07:30:00 +0000` or `2024-01-31 07:30:00.250 +0000`.
    static func table(_ instant: Int64, _ zone: CivilZone) -> String {
        Civil.format(instant, zone: zone, fractionDigits: hasMilliseconds(instant) ? 3 : 0, style: .spaced)
    }

    private static func hasMilliseconds(_ instant: Int64) -> Bool {
        let second: Int64 = 1_000_000_000
        let rest = instant % second
        return (rest < 0 ? rest + second : rest) >= 1_000_000
    }
}
