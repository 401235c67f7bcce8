// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The base class of ``HKWorkoutRouteBuilder``: a builder of a series of data.
public class HKSeriesBuilder: NSObject, @unchecked Sendable {
    /// Ends the builder and discards its data. Every later call throws `errorInvalidArgument`.
    public func discard() {}
}
