// SPDX-License-Identifier: Apache-2.0

public import CoreLocation
public import Foundation
public import HealthModel
import Synchronization

/// A sensor, or a program in place of a sensor. It delivers samples, locations and events while a workout session runs.
/// Not part of HealthKit, where sensors belong to the system.
///
/// Attach a source to a store with ``HKHealthStore/attach(_:)``. Every later session of this store in the process then
/// starts it, and saves its samples as samples of the workout.
public protocol SampleSource: AnyObject, Sendable {
    /// The types that the source can deliver.
    var quantityTypes: Set<HKQuantityType> { get }

    /// The present time of the source; by default the time of the system. A source that is faster than real time has
    /// its own clock. The clock of the first attached source dates the calls of the session.
    var currentDate: Date { get }

    /// Starts to deliver. A session calls it once, on a thread of the store, when it is prepared, started or recovered.
    /// The call must return soon.
    ///
    /// - Parameter receiver: receives samples, locations and events, on any thread, until ``stop()`` is called.
    func start(_ receiver: SampleReceiver)

    /// Handles a change of the session.
    ///
    /// - Parameters:
    ///   - state: the state of the session.
    ///   - activity: the configuration of the running activity.
    func update(_ state: HKWorkoutSessionState, _ activity: HKWorkoutConfiguration)

    /// Ends the delivery. A session calls it about 70 seconds after the end of the workout, so that it can record the
    /// recovery of the heart.
    func stop()
}

extension SampleSource {
    /// The present time.
    public var currentDate: Date { Date() }
}

/// The receiver of the data of a source, for one session.
public final class SampleReceiver: Sendable {
    /// The configuration of the workout.
    public let configuration: HKWorkoutConfiguration
    private let take: @Sendable (Delivery) -> Void

    /// The data of one delivery.
    enum Delivery: Sendable {
        case samples([HKQuantitySample])
        case locations([CLLocation])
        case event(HKWorkoutEvent)
    }

    init(_ configuration: HKWorkoutConfiguration, _ take: @escaping @Sendable (Delivery) -> Void) {
        self.configuration = configuration
        self.take = take
    }

    /// Delivers samples. Invalid samples, samples of types that the workout does not collect, samples before its start
    /// or from its end on, and samples in a pause are dropped.
    ///
    /// Returns when the samples are durable. If another process keeps the store busy, the call returns earlier, and the
    /// session saves the samples with a later delivery or with `finishWorkout`.
    public func deliver(_ samples: [HKQuantitySample]) { take(.samples(samples)) }

    /// Delivers locations, which become part of the route of the workout. Invalid locations, locations before the start
    /// of the workout or from its end on, and locations in a pause are dropped. Returns when they are durable, or
    /// earlier if the store is busy.
    public func deliver(_ locations: [CLLocation]) { take(.locations(locations)) }

    /// Delivers an event, for example a lap or a pause that the device detected. It is dropped unless it lies between
    /// the start and the end of the session. Returns when it is durable, or earlier if the store is busy. The delegates
    /// are called after it is durable.
    public func deliver(_ event: HKWorkoutEvent) { take(.event(event)) }
}

/// The sources of a store's directory in this process.
enum SampleSources {
    private static let attached = Mutex<[String: [any SampleSource]]>([:])

    static func all(_ directory: String) -> [any SampleSource] { attached.withLock { $0[directory] ?? [] } }

    static func attach(_ source: any SampleSource, _ directory: String) {
        attached.withLock { sources in
            if sources[directory]?.contains(where: { $0 === source }) ?? false { return }
            sources[directory, default: []].append(source)
        }
    }

    static func detach(_ source: any SampleSource, _ directory: String) {
        attached.withLock { sources in
            sources[directory]?.removeAll { $0 === source }
            if sources[directory]?.isEmpty ?? false { sources[directory] = nil }
        }
    }
}

extension HKHealthStore {
    /// Attaches a source of samples. Sessions of this store that start later in this process use it. A second call for
    /// the same source has no effect. Not part of HealthKit.
    ///
    /// - Throws: ``HKError``: `errorHealthDataUnavailable`, `errorDatabaseInaccessible`.
    public func attach(_ source: any SampleSource) throws { SampleSources.attach(source, try store().path) }

    /// Detaches a source. Running sessions continue to use it. Not part of HealthKit.
    ///
    /// - Throws: ``HKError``: `errorHealthDataUnavailable`, `errorDatabaseInaccessible`.
    public func detach(_ source: any SampleSource) throws { SampleSources.detach(source, try store().path) }
}
