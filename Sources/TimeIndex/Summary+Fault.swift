// SPDX-License-Identifier: Apache-2.0

package import Kernels

extension Summary {
    /// The rule of `Docs/Format/TimeIndex.md` that a stored summary violates by itself; nil if it is valid.
    package var fault: String? {
        guard count >= 1, count <= IndexFormat.maximumSamples else { return "a summary of \(count) samples" }
        guard firstStart <= lastStart, lastStart <= maxEnd else {
            return "a summary of times out of order, at \(firstStart)"
        }
        guard min <= max, minBorn <= maxBorn else { return "a summary with least above greatest" }
        return nil
    }
}
