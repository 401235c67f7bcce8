// SPDX-License-Identifier: Apache-2.0

public import Foundation
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

    /// Deletes an object of this program. See `delete(_: [HKObject])`.
    public func delete(_ object: HKObject) async throws { try await delete([object]) }

    /// Deletes objects of this program, durably: all or none.
    ///
    /// - Throws: ``HKError``: `errorAuthorizationDenied` for an object of another program, `errorInvalidArgument` for
    ///   an object that is not stored, `errorDatabaseInaccessible`.
    public func delete(_ objects: [HKObject]) async throws {
        try await BlockingQueue.result { () throws(HKError) in try self.store().delete(objects, as: self.revision) }
    }

    /// Deletes an object; the handler is called on a thread of the store. See `delete(_: [HKObject])`.
    public func delete(
        _ object: HKObject, withCompletion completion: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        delete([object], withCompletion: completion)
    }

    /// Deletes objects; the handler is called on a thread of the store. See `delete(_: [HKObject])`.
    public func delete(
        _ objects: [HKObject], withCompletion completion: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        BlockingQueue.run(completion) { () throws(HKError) in try self.store().delete(objects, as: self.revision) }
    }

    /// Deletes the objects of a type that this program saved and that match a predicate, without creating them.
    ///
    /// - Returns: the number of deleted objects.
    /// - Throws: ``HKError``: `errorInvalidArgument` for an unreadable predicate, `errorDatabaseInaccessible`.
    @discardableResult
    public func deleteObjects(of objectType: HKObjectType, predicate: NSPredicate) async throws -> Int {
        let value = try SamplePredicate(predicate)
        return try await BlockingQueue.result { () throws(HKError) in
            try self.store().deleteObjects(of: objectType, value, as: self.revision)
        }
    }

    /// Deletes the objects of a type that match a predicate; the handler is called on a thread of the store. See
    /// `deleteObjects(of:predicate:)`.
    public func deleteObjects(
        of objectType: HKObjectType, predicate: NSPredicate,
        withCompletion completion: @escaping @Sendable (Bool, Int, (any Error)?) -> Void
    ) {
        let value = Result { () throws(HKError) in try SamplePredicate(predicate) }
        BlockingQueue.run {
            do throws(HKError) {
                completion(true, try self.store().deleteObjects(of: objectType, value.get(), as: self.revision), nil)
            } catch {
                completion(false, 0, error)
            }
        }
    }
}
