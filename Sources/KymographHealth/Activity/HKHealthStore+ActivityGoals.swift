// SPDX-License-Identifier: Apache-2.0

import HealthCatalog
public import HealthModel

extension HKHealthStore {
    /// What the person wants to reach each day. Not part of HealthKit, where the summaries alone have goals.
    ///
    /// - Throws: ``HKError``: `errorDatabaseInaccessible`.
    public func activityGoals() async throws -> HealthActivityGoals {
        try await BlockingQueue.result { () throws(HKError) in
            let health = try self.store()
            do throws(HealthStoreError) {
                if health.mode != .readWrite { try health.refresh() }
                return HealthActivityGoals(settings: try health.view().tables.rows.settings)
            } catch {
                throw HKError(error)
            }
        }
    }

    /// Sets what the person wants to reach each day, durably: of all days that are computed from samples, past ones
    /// too. Not part of HealthKit.
    ///
    /// - Throws: ``HKError``: `errorInvalidArgument` for a goal that is negative, no number or of another dimension;
    ///   nothing is changed then. `errorDatabaseInaccessible`.
    public func setActivityGoals(_ goals: HealthActivityGoals) async throws {
        try await BlockingQueue.result { () throws(HKError) in
            try goals.check()
            try self.store().write { transaction in
                for (key, path, _) in HealthActivityGoals.parts {
                    let text = goals[keyPath: path].map { "\(NumberText.shortest($0.value)) \($0.unit.unitString)" }
                    try HealthCatalog.set(setting: key, to: text, transaction)
                }
            }
        }
    }
}

extension HealthActivityGoals {
    /// The settings of a store's catalog, `Docs/Format/Catalog.md`: key, goal, and a unit of its dimension.
    fileprivate static var parts: [(String, WritableKeyPath<HealthActivityGoals, HKQuantity?>, HKUnit)] {
        [
            ("goal.activeEnergyBurned", \.activeEnergyBurned, .kilocalorie()),
            ("goal.appleMoveTime", \.appleMoveTime, .minute()),
            ("goal.appleExerciseTime", \.appleExerciseTime, .minute()),
            ("goal.appleStandHours", \.appleStandHours, .count()),
        ]
    }

    /// The goals among a store's settings; one that cannot be read any more is none.
    init(settings: [String: String]) {
        self.init()
        for (key, path, dimension) in Self.parts {
            let words = settings[key]?.split(separator: " ", maxSplits: 1) ?? []
            guard words.count == 2, let number = Double(words[0]), let unit = try? HKUnit(parsing: String(words[1])),
                unit.isCompatible(with: dimension)
            else { continue }
            self[keyPath: path] = HKQuantity(unit: unit, doubleValue: number)
        }
    }

    fileprivate func check() throws(HKError) {
        for (key, path, dimension) in Self.parts {
            guard let goal = self[keyPath: path] else { continue }
            guard goal.is(compatibleWith: dimension), goal.value.isFinite, goal.value >= 0 else {
                throw HKError(
                    .errorInvalidArgument, reason: "\(goal) is no such goal", place: key,
                    advice: "give a number from zero, in a unit that converts to \(dimension.unitString)")
            }
        }
    }
}
