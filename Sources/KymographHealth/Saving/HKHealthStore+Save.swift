// SPDX-License-Identifier: Apache-2.0

public import HealthModel

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
        try await BlockingQueue.result { () throws(HKError) in try self.store().save(objects, as: self.revision) }
    }

    /// Saves an object; the handler is called on a thread of the store. See `save(_: [HKObject])`.
    public func save(_ object: HKObject, withCompletion completion: @escaping @Sendable (Bool, (any Error)?) -> Void) {
        save([object], withCompletion: completion)
    }

    /// Saves objects; the handler is called on a thread of the store. See `save(_: [HKObject])`.
    public func save(
        _ objects: [HKObject], withCompletion completion: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        BlockingQueue.run {
            do throws(HKError) {
                try self.store().save(objects, as: self.revision)
                completion(true, nil)
            } catch {
                completion(false, error)
            }
        }
    }
}

extension HKHealthStore {
    /// Saves objects, durably, on the caller's thread. See `save(_: [HKObject])`.
    package func saveNow(_ objects: [HKObject]) throws(HKError) { try store().save(objects, as: revision) }
}
