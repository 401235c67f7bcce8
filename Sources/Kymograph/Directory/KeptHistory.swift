// SPDX-License-Identifier: Apache-2.0

/// How much history a health store keeps that is synchronised with other stores.
public enum KeptHistory: Hashable, Sendable {
    /// Everything.
    case everything
    /// This many days, 1 or more, before the current day in UTC, and the current day.
    case days(Int)
}
