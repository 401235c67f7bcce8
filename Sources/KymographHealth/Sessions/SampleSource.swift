// SPDX-License-Identifier: Apache-2.0

public import CoreLocation
public import Foundation
public import HealthModel
import Synchronization

/// A sensor, or a program that stands in for one: it delivers samples while a workout session runs. Not part of
/// HealthKit, where sensors belong to the system.
///
/// Attach a source to a store with ``HKHealthStore/attach(_:)``. Every session of this store in the process then starts
/// it, and saves what it delivers as samples of the workout.
public protocol SampleSource: AnyObject, Sendable {
    /// The types that the source can deliver.
    var quantityTypes: Set<HKQuantityType> { get }

    /// The present time of the source. A source that plays faster than real time has a clock of its own, which dates
    /// the pauses of the session.
    var currentDate: Date { get }

    /// Starts to deliver. Called once for a session, when it is prepared or started, on a thread of the store; must
    /// return soon.
    ///
    /// - Parameter receiver: takes samples and events, on any thread, until ``stop()`` is called.
    func start(_ receiver: SampleReceiver)

    /// Takes note of a change of the session: its state, and the configuration of the running activity.
    func update(_ state: HKWorkoutSessionState, _ activity: HKWorkoutConfiguration)

    /// Ends the delivery: some time after the session has ended, so that the recovery of the heart is recorded.
    func stop()
}

extension SampleSource {
    /// The present time.
    public var currentDate: Date { Date() }
}

/// The place where a source delivers its samples.
public final class SampleReceiver: Sendable {
    /// The configuration of the workout.
    public let configuration: HKWorkoutConfiguration
    private let take: @Sendable (Delivery) -> Void

    /// What a source delivers.
    enum Delivery: Sendable {
        case samples([HKQuantitySample])
        case locations([CLLocation])
        case event(HKWorkoutEvent)
    }

    init(_ configuration: HKWorkoutConfiguration, _ take: @escaping @Sendable (Delivery) -> Void) {
        self.configuration = configuration
        self.take = take
    }

    /// Delivers samples. Those of types that the workout does not collect, before its start or in a pause are dropped.
    /// Returns when the samples that belong to the workout are saved.
    public func deliver(_ samples: [HKQuantitySample]) { take(.samples(samples)) }

    /// Delivers locations. While the session runs they become part of the route of the workout. Returns when they are
    /// durable.
    public func deliver(_ locations: [CLLocation]) { take(.locations(locations)) }

    /// Delivers an event, for example a lap, or a pause that the system detected.
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
    /// Attaches a source of samples: sessions of this store that start later use it. Attaching twice has no effect. Not
    /// part of HealthKit.
    ///
    /// - Throws: ``HKError``: `errorHealthDataUnavailable`, `errorDatabaseInaccessible`.
    public func attach(_ source: any SampleSource) throws { SampleSources.attach(source, try store().path) }

    /// Detaches a source; running sessions keep it. Not part of HealthKit.
    ///
    /// - Throws: ``HKError``: `errorHealthDataUnavailable`, `errorDatabaseInaccessible`.
    public func detach(_ source: any SampleSource) throws { SampleSources.detach(source, try store().path) }
}
