// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The text of dates in descriptions and messages. A caller can create dates that are NaN or far from the present;
/// Foundation has no text for them, and `Date.description` traps for the most distant ones.
enum DateText {
    /// Returns the date in UTC; outside `Date.distantPast` to `Date.distantFuture`, seconds since 1970.
    static func text(_ date: Date) -> String {
        // Compares numbers, not dates: a NaN `Date` is not before any other date, so a range of dates would contain it.
        let seconds = date.timeIntervalSince1970
        let known = Date.distantPast.timeIntervalSince1970...Date.distantFuture.timeIntervalSince1970
        return known.contains(seconds) ? date.description : "\(NumberText.shortest(seconds)) s since 1970"
    }

    /// Returns the text of a window's bound; nil is an open bound.
    static func text(_ bound: Date?) -> String { bound.map { text($0) } ?? "any time" }
}
