// SPDX-License-Identifier: Apache-2.0

package import HealthModel

extension HKHealthStore {
    /// Saves objects, durably, on the caller's thread. See `save(_: [HKObject])`.
    package func saveNow(_ objects: [HKObject]) throws(HKError) {
        guard !objects.isEmpty else {
            throw HKError(
                .errorInvalidArgument, reason: "there is no object to save", place: "objects",
                advice: "save at least one object")
        }
        try store().save(objects, as: revision)
    }
}
