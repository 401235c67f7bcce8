// SPDX-License-Identifier: Apache-2.0

import HealthModel

extension HKError {
    /// The error of a health store under HealthKit's codes.
    init(_ error: HealthStoreError) {
        switch error.kind {
        case .engine(.identityTaken):
            self.init(
                .errorInvalidArgument, reason: error.message, place: error.path,
                advice: "objects are saved once; make a new one")
        case .invalidArgument, .incompatibleUnit:
            self.init(.errorInvalidArgument, reason: error.message, place: error.path)
        case .notFound: self.init(.errorNoData, reason: error.message, place: error.path)
        case .cancelled: self.init(.errorUserCanceled, reason: error.message, place: error.path)
        case .engine(.outcomeUnknown):
            self.init(
                .errorDatabaseInaccessible, reason: error.description,
                advice: "open the store again and look whether it is done", isOutcomeUnknown: true)
        case .engine, .corrupt, .newerFormat:
            self.init(.errorDatabaseInaccessible, reason: error.description)
        }
    }

    /// Any error that can come from saving or reading.
    init(any error: any Error) {
        switch error {
        case let error as HKError: self = error
        case let error as HealthStoreError: self.init(error)
        case let error as StoreError: self.init(HealthStoreError(error))
        default: self.init(.unknownError, reason: "\(error)")
        }
    }

    /// An object that is there already.
    static func duplicate(_ identity: SampleIdentity, of type: String) -> HKError {
        HKError(
            .errorInvalidArgument, reason: "an object with this identity is saved already",
            place: "\(type) \(identity)", advice: "objects are saved once; make a new one")
    }
}
