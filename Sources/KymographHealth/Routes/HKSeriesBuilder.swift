// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The base class of builders of a series that belongs to a workout.
public class HKSeriesBuilder: NSObject, @unchecked Sendable {
    /// Ends the builder and discards its data. Every later call throws `errorInvalidArgument`.
    public func discard() {}
}
