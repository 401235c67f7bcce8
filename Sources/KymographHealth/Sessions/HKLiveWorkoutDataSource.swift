// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HealthModel
import Synchronization

/// The types of samples that a live workout collects, each with an optional predicate.
///
/// By default these are the types of the configuration's activity type. If sources are attached to the store, only
/// types that a source can deliver are among them. They change with the running activity of the workout. Types that the
/// program enabled or disabled keep their setting.
public final class HKLiveWorkoutDataSource: NSObject, Sendable {
    private struct State {
        /// The configuration of the running activity; nil for a data source without default types.
        var configuration: WorkoutConfiguration?
        /// The predicates of types that the program enabled.
        var enabled: [HKQuantityType: SamplePredicate] = [:]
        var disabled: Set<HKQuantityType> = []
        /// The types that the attached sources can deliver; nil without sources.
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

    /// Creates a data source. Attach sources to the store first.
    ///
    /// - Parameter configuration: determines the default types; nil for no types.
    public init(healthStore: HKHealthStore, workoutConfiguration configuration: HKWorkoutConfiguration?) {
        let sources = (try? healthStore.store()).map { SampleSources.all($0.path) } ?? []
        let offered = sources.isEmpty ? nil : Set(sources.flatMap(\.quantityTypes))
        state = Mutex(State(configuration: configuration?.value, offered: offered))
        super.init()
    }

    /// The types that are collected.
    public var typesToCollect: Set<HKQuantityType> { state.withLock { $0.types } }

    /// Collects the samples of a type that sources deliver or the program saves. A second call for a type replaces its
    /// predicate.
    ///
    /// - Parameter predicate: selects samples; nil for all samples. An unreadable predicate selects no samples.
    public func enableCollection(for quantityType: HKQuantityType, predicate: NSPredicate?) {
        let condition = (try? ReadPredicate(predicate).condition.get()) ?? .always(false)
        change { state in
            state.enabled[quantityType] = condition
            state.disabled.remove(quantityType)
        }
    }

    /// Collects the samples of a type. This is the earlier name of ``enableCollection(for:predicate:)``.
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

    /// Follows the running activity of the workout. Has no effect on a data source without default types.
    func follow(_ configuration: WorkoutConfiguration) {
        change { state in if state.configuration != nil { state.configuration = configuration } }
    }

    /// Sets the function that is called after each change of the types.
    func whenChanged(_ body: (@Sendable () -> Void)?) { state.withLock { $0.whenChanged = body } }

    /// Returns whether the type and the predicate select a sample.
    func collects(_ sample: HKQuantitySample) -> Bool {
        state.withLock { state in
            let type = sample.quantityType
            guard state.types.contains(type) else { return false }
            return state.enabled[type]?.matches(sample) ?? true
        }
    }
}
