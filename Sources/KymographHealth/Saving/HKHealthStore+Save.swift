// SPDX-License-Identifier: Apache-2.0

public import HealthModel

extension HKHealthStore {
    /// Saves an object. See `save(_: [HKObject])`.
    public func save(_ object: HKObject) async throws { try await save([object]) }

    /// Saves objects, durably: when this returns, all are on disk; when this throws, none is.
    ///
    /// Each object gets this program as its source. An object with a sync identifier replaces the stored object of this
    /// program with the same identifier and a lower version; if the stored version is equal or higher, the object is
    /// ignored.
    /// - Throws: ``HKError``: `errorInvalidArgument` for an object that violates a save rule or is saved already
    ///   (`Docs/Guide/HealthData.md`), `errorDatabaseInaccessible`.
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
        BlockingQueue.run(completion) { () throws(HKError) in try self.saveNow(objects) }
    }

    /// Saves objects, durably, on the caller's thread. See `save(_: [HKObject])`.
    package func saveNow(_ objects: [HKObject]) throws(HKError) { try store().save(objects, as: revision) }
}
