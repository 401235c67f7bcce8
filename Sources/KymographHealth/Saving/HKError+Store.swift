// SPDX-License-Identifier: Apache-2.0

import HealthModel

extension HKError {
    /// Converts the error of a health store to HealthKit's codes.
    init(_ error: HealthStoreError) {
        switch error.kind {
        case .engine(.identityTaken):
            self.init(
                .errorInvalidArgument, reason: "an object with this identity is saved already",
                advice: "an object can be saved only once; create a new one")
        case .invalidArgument, .incompatibleUnit:
            self.init(.errorInvalidArgument, reason: error.message, place: error.path)
        case .notFound: self.init(.errorNoData, reason: error.message, place: error.path)
        case .cancelled: self.init(.errorUserCanceled, reason: error.message, place: error.path)
        case .engine(.outcomeUnknown):
            self.init(
                .errorDatabaseInaccessible, reason: error.description,
                advice: "open the store again and check whether the change is stored", isOutcomeUnknown: true)
        case .engine(.locked): self.init(busy: error.description)
        case .engine, .corrupt, .newerFormat:
            self.init(.errorDatabaseInaccessible, reason: error.description)
        }
    }

    /// Converts any error of saving or reading.
    init(any error: any Error) {
        switch error {
        case let error as HKError: self = error
        case let error as HealthStoreError: self.init(error)
        case let error as StoreError: self.init(HealthStoreError(error))
        default: self.init(.unknownError, reason: "\(error)")
        }
    }

    /// Returns the result of a closure, or throws its error as `HKError`.
    static func converting<R>(_ body: () throws -> R) throws(HKError) -> R {
        do { return try body() } catch { throw HKError(any: error) }
    }

    /// Returns the error for an object that is saved already.
    static func duplicate(_ identity: SampleIdentity, of type: String) -> HKError {
        HKError(
            .errorInvalidArgument, reason: "an object with this identity is saved already",
            place: "\(type) \(identity)", advice: "an object can be saved only once; create a new one")
    }
}
