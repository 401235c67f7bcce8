// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Dates as descriptions and messages write them. Callers make dates that are far out, or no number; Foundation has no
/// text for those, and for the farthest `Date.description` ends the program.
enum DateText {
    /// The date in UTC; outside of `Date.distantPast` to `Date.distantFuture`, seconds since 1970.
    static func text(_ date: Date) -> String {
        // Numbers, not dates: of a `Date` that is no number, Foundation says that it is not before any other.
        let seconds = date.timeIntervalSince1970
        let known = Date.distantPast.timeIntervalSince1970...Date.distantFuture.timeIntervalSince1970
        return known.contains(seconds) ? date.description : "\(NumberText.shortest(seconds)) s since 1970"
    }

    /// A bound of a window; nil is an open one.
    static func text(_ bound: Date?) -> String { bound.map { text($0) } ?? "any time" }
}
