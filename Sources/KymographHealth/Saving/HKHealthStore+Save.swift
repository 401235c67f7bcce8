// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
public import HealthModel

/// Where work for programs is done that must not wait: completion handlers are called there, too.
enum HealthWork {
    private static let queue = DispatchQueue(label: "kymograph.health", qos: .userInitiated, attributes: .concurrent)

    /// Does work elsewhere.
    static func run(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }

    /// Does work elsewhere, and waits for it without keeping a thread.
    static func result<R: Sendable>(_ work: @escaping @Sendable () throws(HKError) -> R) async throws(HKError) -> R {
        let result = await withCheckedContinuation { waiting in
            run { waiting.resume(returning: Result { () throws(HKError) in try work() }) }
        }
        return try result.get()
    }
}

extension HKHealthStore {
    /// Saves an object. See `save(_: [HKObject])`.
    public func save(_ object: HKObject) async throws { try await save([object]) }

    /// Saves objects, durably: when this returns, all are on the disk; if it throws, none is.
    ///
    /// Each is stamped with this program as its source. Of an object with a sync identifier, one that this program has
    /// saved in a lower version is replaced; one that is no newer than what is there is passed over.
    /// - Throws: ``HKError``: `errorInvalidArgument` for an object that breaks a save rule or is saved already
    ///   (`Docs/HealthObjects.md`), `errorDatabaseInaccessible`.
    public func save(_ objects: [HKObject]) async throws {
        try await HealthWork.result { () throws(HKError) in try self.store().save(objects, as: self.revision) }
    }

    /// Saves an object; the handler is called on a thread of the store. See `save(_: [HKObject])`.
    public func save(_ object: HKObject, withCompletion completion: @escaping @Sendable (Bool, (any Error)?) -> Void) {
        save([object], withCompletion: completion)
    }

    /// Saves objects; the handler is called on a thread of the store. See `save(_: [HKObject])`.
    public func save(
        _ objects: [HKObject], withCompletion completion: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        HealthWork.run {
            do throws(HKError) {
                try self.store().save(objects, as: self.revision)
                completion(true, nil)
            } catch {
                completion(false, error)
            }
        }
    }
}
