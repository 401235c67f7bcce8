// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HealthModel
import Synchronization

/// What a live workout collects: types of samples, each with a predicate.
///
/// At first these are the types of the configuration's activity, and they change with the running part of the workout.
/// Types that the program enabled or disabled keep their setting.
public final class HKLiveWorkoutDataSource: NSObject, Sendable {
    private struct State {
        /// The configuration of the running part; nil for a source without types.
        var configuration: WorkoutConfiguration?
        /// The predicates of types that the program enabled.
        var enabled: [HKQuantityType: SamplePredicate] = [:]
        var disabled: Set<HKQuantityType> = []
        /// The types that the sensors offer; nil without sensors.
        var offered: Set<HKQuantityType>?
        var whenChanged: (@Sendable () -> Void)?

        var types: Set<HKQuantityType> {
            var types = Set(
                configuration.map { WorkoutTypes.collected(by: $0).map { HKQuantityType($0) } } ?? [])
            if let offered { types.formIntersection(offered) }
            return types.subtracting(disabled).union(enabled.keys)
        }
    }

    private let state: Mutex<State>

    /// Creates a source.
    ///
    /// - Parameter configuration: determines the types; nil for none.
    public init(healthStore: HKHealthStore, workoutConfiguration configuration: HKWorkoutConfiguration?) {
        let sources = (try? healthStore.store()).map { SampleSources.all($0.path) } ?? []
        let offered = sources.isEmpty ? nil : Set(sources.flatMap(\.quantityTypes))
        state = Mutex(State(configuration: configuration?.value, offered: offered))
        super.init()
    }

    /// The types that are collected.
    public var typesToCollect: Set<HKQuantityType> { state.withLock { $0.types } }

    /// Collects the samples of a type, from sensors and from the program. Enabling a type again replaces its predicate.
    ///
    /// - Parameter predicate: selects samples; nil for all. An unreadable predicate selects none.
    public func enableCollection(for quantityType: HKQuantityType, predicate: NSPredicate?) {
        let condition = (try? ReadPredicate(predicate).condition.get()) ?? .always(false)
        change { state in
            state.enabled[quantityType] = condition
            state.disabled.remove(quantityType)
        }
    }

    /// Collects the samples of a type: the name of ``enableCollection(for:predicate:)`` before its release.
    @available(*, deprecated, renamed: "enableCollection(for:predicate:)")
    public func collectStatistics(for quantityType: HKQuantityType, predicate: NSPredicate?) {
        enableCollection(for: quantityType, predicate: predicate)
    }

    /// Stops the collection of a type.
    public func disableCollection(for quantityType: HKQuantityType) {
        change { state in
            state.enabled[quantityType] = nil
            state.disabled.insert(quantityType)
        }
    }

    private func change(_ body: (inout State) -> Void) {
        let notify = state.withLock { state in
            let before = state.types
            body(&state)
            return before == state.types ? nil : state.whenChanged
        }
        notify?()
    }

    /// Follows the running part of the workout. A source without types keeps none.
    func follow(_ configuration: WorkoutConfiguration) {
        change { state in if state.configuration != nil { state.configuration = configuration } }
    }

    /// Sets the function that is called after each change of the types.
    func whenChanged(_ body: (@Sendable () -> Void)?) { state.withLock { $0.whenChanged = body } }

    /// Returns whether a sample is collected.
    func collects(_ sample: HKQuantitySample) -> Bool {
        state.withLock { state in
            let type = sample.quantityType
            guard state.types.contains(type) else { return false }
            return state.enabled[type]?.matches(sample) ?? true
        }
    }
}
