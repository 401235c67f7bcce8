// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HealthModel

extension HKHealthStore {
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
