// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HealthModel
import Synchronization

/// A health store with the API of HealthKit: a directory in which objects are saved, queried, observed and deleted.
///
/// ```swift
/// let health = HKHealthStore(directory: path)
/// let type = HKQuantityType(.bodyMass)
/// let quantity = HKQuantity(unit: .pound(), doubleValue: 154.3)
/// try await health.save(HKQuantitySample(type: type, quantity: quantity, start: now, end: now))  // on disk
///
/// let newest = HKSampleQueryDescriptor(
///     predicates: [.quantitySample(type: type)],
///     sortDescriptors: [SortDescriptor(\.startDate, order: .reverse)], limit: 10)
/// for sample in try await newest.result(for: health) { print(sample.startDate, sample.quantity) }
/// health.close()
/// ```
///
/// All instances of a process with the same directory share one open store. The directory is opened in shared mode at
/// first use: reads see the commits of every process, and a save waits up to five seconds for another process that
/// writes.
///
/// The first use costs an opening, O(catalog). A save or a deletion costs one commit (a synced write), shared by the
/// tasks that save at the same time. A query by start date reads the samples that it returns; statistics come mostly
/// from summaries in the index.
///
/// Tests of programs may subclass it and override methods, except those of extensions: sessions, effort, zones, goals.
open class HKHealthStore: NSObject, @unchecked Sendable {
    // Only initialisers assign these four. A subclass in another module inherits designated initialisers if all are
    // public, so the others are convenience initialisers, which cannot assign constants.

    /// The directory; nil if the environment names none.
    private var path: String?
    /// The source revision of all objects that this instance saves.
    private(set) var revision: HKSourceRevision
    private var options = StoreOptions()
    /// A store that is opened and closed by its owner.
    private var given: HealthStore?
    /// Whether the instance acts for the owner of the store, without limits.
    private var isOwner = false
    /// Decides about requests for authorization.
    private(set) var authorization: any HealthAuthorizationProvider = .terminal
    /// The open store, after its first use.
    private let known = Mutex<KnownStore?>(nil)
    /// The wait for sessions to mirror.
    let mirrors = MirrorWatch()

    /// Creates an instance for the store that the environment names: `KYMO_STORE`, else `kymograph` in `XDG_DATA_HOME`,
    /// else `~/.local/share/kymograph`.
    public override init() {
        path = HealthStore.defaultPath(ProcessInfo.processInfo.environment)
        revision = HKSourceRevision.thisProgram
        super.init()
        options.useKeyOfEnvironment()
    }

    /// Creates an instance for the store in a directory; the first use creates the store if there is none. Not part of
    /// HealthKit.
    public init(directory path: String) {
        self.path = path
        revision = HKSourceRevision.thisProgram
        super.init()
        options.useKeyOfEnvironment()
    }

    /// Creates an instance for an encrypted store in a directory; the first use creates the store if there is none. Not
    /// part of HealthKit.
    ///
    /// - Parameters:
    ///   - path: the directory of the store.
    ///   - key: finds the key of the store. A store that is not encrypted is refused.
    public convenience init(directory path: String, key: any KeyProvider) {
        self.init(directory: path)
        options = StoreOptions()
        options.key = key
    }

    /// Creates an instance for the store in a directory that acts for a client. Not part of HealthKit.
    ///
    /// - Parameters:
    ///   - client: the bundle identifier of the client, which is also the source of its objects.
    ///   - authorization: decides about the requests of the client.
    public convenience init(
        directory path: String, client: String, authorization: any HealthAuthorizationProvider = .terminal
    ) {
        let own = HKSourceRevision.thisProgram
        let revision = HKSourceRevision(
            source: HKSource(name: client, bundleIdentifier: client), version: own.version,
            productType: own.productType, operatingSystemVersion: own.operatingSystemVersion)
        self.init(path: path, as: revision, authorization: authorization)
    }

    /// - Parameters:
    ///   - revision: the program that saves and reads; nil for this program.
    ///   - isOwner: whether the instance acts for the owner of the store, without limits.
    package convenience init(
        path: String?, as revision: HKSourceRevision? = nil, options: StoreOptions = StoreOptions(),
        isOwner: Bool = false, authorization: (any HealthAuthorizationProvider)? = nil
    ) {
        self.init(directory: path ?? "")
        self.path = path
        if let revision { self.revision = revision }
        self.options = options
        self.isOwner = isOwner
        if let authorization { self.authorization = authorization }
    }

    /// Creates an instance for a store that is opened and closed by its owner: for stores on custom disks.
    package convenience init(_ store: HealthStore) {
        self.init(directory: "")
        path = nil
        (given, isOwner) = (store, true)
    }

    /// Creates an instance that acts for a client, for a store that is opened and closed by its owner.
    package convenience init(_ store: HealthStore, client: String) {
        self.init(directory: "", client: client, authorization: .deny)
        path = nil
        given = store.acting(for: client)
    }

    /// Returns the earliest end of a sample that can be saved: the beginning of the history that the store keeps, or
    /// the earliest date that a store can hold, in 1678.
    open func earliestPermittedSampleDate() -> Date {
        // A store that cannot be opened accepts no sample, whatever its date.
        let begin = (try? store()).flatMap { try? $0.historyBegin() }
        return max(begin ?? .distantPast, HealthSaveRules.earliestStorableDate)
    }

    /// Returns true: a health store is always available.
    open class func isHealthDataAvailable() -> Bool { true }

    // MARK: Queries

    /// Runs a query. Its handlers are called on threads of the store, one at a time.
    ///
    /// A query runs once. For a second execution the handler is called with `errorInvalidArgument`; HealthKit raises an
    /// exception. The same applies to an unreadable predicate. A query with an update handler, and an observer query,
    /// run until ``stop(_:)`` is called, the store is closed, or the query fails.
    open func execute(_ query: HKQuery) { run(query) }

    /// Stops a query: its handlers are not called again, except for a call in progress. A query that was stopped
    /// already, or never executed, may be stopped.
    open func stop(_ query: HKQuery) { query.lifecycle.stop() }

    // MARK: Saving and deleting

    /// Saves an object. See `save(_: [HKObject])`.
    open func save(_ object: HKObject) async throws { try await save([object]) }

    /// Saves objects, durably: when this returns, all are on disk; when this throws, none is.
    ///
    /// Each object gets this program as its source. An object with a sync identifier replaces the stored object of this
    /// program with the same identifier and a lower version; if the stored version is equal or higher, the object is
    /// ignored.
    /// - Throws: ``HKError``: `errorInvalidArgument` for an object that violates a save rule or is saved already
    ///   (`Docs/Guide/HealthData.md`), and for an empty list; `errorDatabaseInaccessible`.
    open func save(_ objects: [HKObject]) async throws {
        try await BlockingQueue.result { () throws(HKError) in try self.saveNow(objects) }
    }

    /// Saves an object; the handler is called on a thread of the store. See `save(_: [HKObject])`.
    @preconcurrency open func save(
        _ object: HKObject, withCompletion completion: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        save([object], withCompletion: completion)
    }

    /// Saves objects; the handler is called on a thread of the store. See `save(_: [HKObject])`.
    @preconcurrency open func save(
        _ objects: [HKObject], withCompletion completion: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        BlockingQueue.run(completion) { () throws(HKError) in try self.saveNow(objects) }
    }

    /// Deletes an object of this program. See `delete(_: [HKObject])`.
    open func delete(_ object: HKObject) async throws { try await delete([object]) }

    /// Deletes objects of this program, durably: all or none.
    ///
    /// - Throws: ``HKError``: `errorAuthorizationDenied` for an object of another program, `errorInvalidArgument` for
    ///   an object that is not stored, `errorDatabaseInaccessible`.
    open func delete(_ objects: [HKObject]) async throws {
        try await BlockingQueue.result { () throws(HKError) in try self.store().delete(objects, as: self.revision) }
    }

    /// Deletes an object; the handler is called on a thread of the store. See `delete(_: [HKObject])`.
    @preconcurrency open func delete(
        _ object: HKObject, withCompletion completion: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        delete([object], withCompletion: completion)
    }

    /// Deletes objects; the handler is called on a thread of the store. See `delete(_: [HKObject])`.
    @preconcurrency open func delete(
        _ objects: [HKObject], withCompletion completion: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        BlockingQueue.run(completion) { () throws(HKError) in try self.store().delete(objects, as: self.revision) }
    }

    /// Deletes the objects of a type that this program saved and that match a predicate, without creating them.
    ///
    /// - Returns: the number of deleted objects.
    /// - Throws: ``HKError``: `errorInvalidArgument` for an unreadable predicate, `errorDatabaseInaccessible`.
    @discardableResult
    open func deleteObjects(of objectType: HKObjectType, predicate: NSPredicate) async throws -> Int {
        let value = try SamplePredicate(predicate)
        return try await BlockingQueue.result { () throws(HKError) in
            try self.store().deleteObjects(of: objectType, value, as: self.revision)
        }
    }

    /// Deletes the objects of a type that match a predicate; the handler is called on a thread of the store. See
    /// `deleteObjects(of:predicate:)`.
    @preconcurrency open func deleteObjects(
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

    // MARK: Authorization: `Docs/Guide/Privacy.md`

    /// Asks the person for the permission to save and to read, for the types that are not decided.
    ///
    /// Returns when the person answered, or at once if all types are decided or the store is open. The answers are in
    /// ``authorizationStatus(for:)`` for saving; a program cannot know the answers for reading.
    ///
    /// - Throws: ``HKError``: `errorInvalidArgument` for empty sets, a missing purpose (``HealthPurpose``) and types
    ///   that cannot be requested; `errorUserCanceled` if the person gave no answer; `errorRequiredAuthorizationDenied`
    ///   if a type of `NSHealthRequiredReadAuthorizationTypeIdentifiers` was refused; `errorDatabaseInaccessible`.
    open func requestAuthorization(toShare share: Set<HKSampleType>, read: Set<HKObjectType>) async throws {
        try await request(share, read)
    }

    /// Asks the person for the permission to save and to read; the handler is called on a thread of the store. Its
    /// first argument is true if the request ended, whatever the answers. See ``requestAuthorization(toShare:read:)``.
    @preconcurrency open func requestAuthorization(
        toShare share: Set<HKSampleType>?, read: Set<HKObjectType>?,
        completion: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        let (share, read) = (share ?? [], read ?? [])
        Task {
            do {
                try await requestAuthorization(toShare: share, read: read)
                completion(true, nil)
            } catch {
                completion(false, error)
            }
        }
    }

    /// Returns whether this program may save objects of a type. The answer may change at any time: do not keep it.
    ///
    /// In an open store every type is authorized. A store that cannot be read answers `notDetermined`.
    /// - Complexity: at most a microsecond, once the store is open.
    open func authorizationStatus(for type: HKObjectType) -> HKAuthorizationStatus { status(of: type) }

    /// Returns whether ``requestAuthorization(toShare:read:)`` with these types would ask the person.
    ///
    /// - Throws: ``HKError``: `errorInvalidArgument` for types that cannot be requested, `errorDatabaseInaccessible`.
    open func statusForAuthorizationRequest(
        toShare share: Set<HKSampleType>, read: Set<HKObjectType>
    ) async throws -> HKAuthorizationRequestStatus {
        try await requestStatus(share, read)
    }

    /// Reports whether a request would ask the person; the handler is called on a thread of the store. See
    /// ``statusForAuthorizationRequest(toShare:read:)``.
    @preconcurrency open func getRequestStatusForAuthorization(
        toShare share: Set<HKSampleType>, read: Set<HKObjectType>,
        completion: @escaping @Sendable (HKAuthorizationRequestStatus, (any Error)?) -> Void
    ) {
        Task {
            do {
                completion(try await statusForAuthorizationRequest(toShare: share, read: read), nil)
            } catch {
                completion(.unknown, error)
            }
        }
    }

    /// Asks the person for what other processes of this program, such as its extensions, asked for and could not ask
    /// the person themselves.
    ///
    /// - Throws: ``HKError``: `errorUserCanceled` if the person gave no answer, `errorInvalidArgument` for a missing
    ///   purpose (``HealthPurpose``), `errorDatabaseInaccessible`.
    open func handleAuthorizationForExtension() async throws { try await handlePending() }

    /// Asks the person for what extensions of this program asked for; the handler is called on a thread of the store.
    /// See ``handleAuthorizationForExtension()``.
    @preconcurrency open func handleAuthorizationForExtension(
        completion: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        Task {
            do {
                try await handleAuthorizationForExtension()
                completion(true, nil)
            } catch {
                completion(false, error)
            }
        }
    }

    // MARK: The person

    /// Returns the sex assigned at birth; `notSet` if unknown.
    ///
    /// - Throws: ``HKError``: `errorDatabaseInaccessible`.
    open func biologicalSex() throws -> HKBiologicalSexObject {
        HKBiologicalSexObject(try characteristic(.biologicalSex) ?? .notSet)
    }

    /// Returns the blood type; `notSet` if unknown.
    ///
    /// - Throws: ``HKError``: `errorDatabaseInaccessible`.
    open func bloodType() throws -> HKBloodTypeObject {
        HKBloodTypeObject(try characteristic(.bloodType) ?? .notSet)
    }

    /// Returns the skin type; `notSet` if unknown.
    ///
    /// - Throws: ``HKError``: `errorDatabaseInaccessible`.
    open func fitzpatrickSkinType() throws -> HKFitzpatrickSkinTypeObject {
        HKFitzpatrickSkinTypeObject(try characteristic(.fitzpatrickSkinType) ?? .notSet)
    }

    /// Returns the use of a wheelchair; `notSet` if unknown.
    ///
    /// - Throws: ``HKError``: `errorDatabaseInaccessible`.
    open func wheelchairUse() throws -> HKWheelchairUseObject {
        HKWheelchairUseObject(try characteristic(.wheelchairUse) ?? .notSet)
    }

    /// Returns the measure of the move goal; energy if unset.
    ///
    /// - Throws: ``HKError``: `errorDatabaseInaccessible`.
    open func activityMoveMode() throws -> HKActivityMoveModeObject {
        HKActivityMoveModeObject(try characteristic(.activityMoveMode) ?? .activeEnergy)
    }

    /// Returns year, month and day of birth in the Gregorian calendar.
    ///
    /// - Throws: ``HKError``: `errorNoData` if the date is unknown, or if an imported date is not a day of that
    ///   calendar; `errorDatabaseInaccessible`.
    open func dateOfBirthComponents() throws -> DateComponents { try dateOfBirth() }

    /// Returns the person's preferred units: the chosen unit of a type, or the usual unit of the current locale.
    ///
    /// - Returns: a unit for each type; a type without a chosen or usual unit is missing.
    /// - Throws: ``HKError``: `errorDatabaseInaccessible`.
    open func preferredUnits(for quantityTypes: Set<HKQuantityType>) async throws -> [HKQuantityType: HKUnit] {
        try await BlockingQueue.result { () throws(HKError) in try self.units(for: quantityTypes, .current) }
    }

    /// Reports the preferred units to a handler, on a thread of the store. See `preferredUnits(for:)`.
    @preconcurrency open func preferredUnits(
        for quantityTypes: Set<HKQuantityType>,
        completion: @escaping @Sendable ([HKQuantityType: HKUnit], (any Error)?) -> Void
    ) {
        BlockingQueue.run {
            do throws(HKError) {
                completion(try self.units(for: quantityTypes, .current), nil)
            } catch {
                completion([:], error)
            }
        }
    }

    // MARK: Background delivery: `Docs/Guide/HealthStore.md`

    /// Enables background delivery of a type to this program's observer queries, from now on and across restarts. A
    /// query that is executed later reports at once any changes since the last acknowledged call.
    ///
    /// Unlike iOS, nothing starts the program. Use a permanent service, or `kymo watch --exec`.
    /// - Parameters:
    ///   - type: a sample type, except correlations.
    ///   - frequency: the maximum frequency. A second call changes it and keeps the acknowledged position.
    /// - Throws: ``HKError``: `errorInvalidArgument` for another type, `errorDatabaseInaccessible`.
    open func enableBackgroundDelivery(for type: HKObjectType, frequency: HKUpdateFrequency) async throws {
        try await BlockingQueue.result { () throws(HKError) in try self.enableDelivery(for: type, frequency) }
    }

    /// Enables background delivery; the handler is called on a thread of the store. See
    /// `enableBackgroundDelivery(for:frequency:)`.
    @preconcurrency open func enableBackgroundDelivery(
        for type: HKObjectType, frequency: HKUpdateFrequency,
        withCompletion completion: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        BlockingQueue.run(completion) { () throws(HKError) in try self.enableDelivery(for: type, frequency) }
    }

    /// Disables background delivery of a type; does nothing if it is not enabled.
    ///
    /// - Throws: ``HKError``: `errorDatabaseInaccessible`.
    open func disableBackgroundDelivery(for type: HKObjectType) async throws {
        try await BlockingQueue.result { () throws(HKError) in
            try self.store().endSubscription(of: self.owner, to: type.identifier)
        }
    }

    /// Disables background delivery of a type; the handler is called on a thread of the store. See
    /// `disableBackgroundDelivery(for:)`.
    @preconcurrency open func disableBackgroundDelivery(
        for type: HKObjectType, withCompletion completion: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        BlockingQueue.run(completion) { () throws(HKError) in
            try self.store().endSubscription(of: self.owner, to: type.identifier)
        }
    }

    /// Disables all background delivery of this program.
    ///
    /// - Throws: ``HKError``: `errorDatabaseInaccessible`.
    open func disableAllBackgroundDelivery() async throws {
        try await BlockingQueue.result { () throws(HKError) in try self.disableAllDelivery() }
    }

    /// Disables all background delivery of this program; the handler is called on a thread of the store.
    @preconcurrency open func disableAllBackgroundDelivery(
        completion: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        BlockingQueue.run(completion) { () throws(HKError) in try self.disableAllDelivery() }
    }

    // MARK: The store

    /// Returns the open store, and opens it if needed.
    ///
    /// - Throws: `errorHealthDataUnavailable` if the environment names none, `errorDatabaseInaccessible`.
    package func store() throws(HKError) -> HealthStore {
        if let open = storeIfOpen { return open }
        guard let path else {
            throw HKError(
                .errorHealthDataUnavailable, reason: "the path of the health store is not set",
                advice: "set KYMO_STORE to a directory, or HOME")
        }
        // Read before the open: a concurrent close then makes the cached store stale.
        let closings = OpenHealthStores.closings
        let whole = try OpenHealthStores.store(at: path, options)
        let store = isOwner ? whole : HealthStore(whole, for: revision.source)
        known.withLock { $0 = KnownStore(store: store, closings: closings) }
        return store
    }

    /// Returns the newest tables of the store.
    func currentTables() throws(HKError) -> HealthTables {
        let store = try store()
        return try HKError.converting { try store.currentView().tables }
    }

    /// The store, if this instance has opened it and it is not closed since. Does not block.
    var storeIfOpen: HealthStore? {
        if let given { return given }
        guard let known = known.withLock({ $0 }), known.closings == OpenHealthStores.closings else { return nil }
        return known.store
    }

    /// Closes the store of this directory for all instances of the process; the next use opens it again. Not part of
    /// HealthKit: for tests, and for programs that hand over a directory.
    public func close() {
        if let path { OpenHealthStores.close(path) }
    }
}
