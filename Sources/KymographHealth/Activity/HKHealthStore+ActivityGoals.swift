// SPDX-License-Identifier: Apache-2.0

import HealthCatalog
public import HealthModel

extension HKHealthStore {
    /// Returns the person's daily activity goals. Not part of HealthKit, where only the summaries have goals.
    ///
    /// - Throws: ``HKError``: `errorDatabaseInaccessible`.
    public func activityGoals() async throws -> HealthActivityGoals {
        try await BlockingQueue.result { () throws(HKError) in
            HealthActivityGoals(settings: try self.currentTables().rows.settings)
        }
    }

    /// Sets the person's daily activity goals, durably. The goals apply to all days computed from samples, including
    /// past days. Not part of HealthKit.
    ///
    /// - Throws: ``HKError``: `errorInvalidArgument` for a goal that is negative, not finite or of another dimension,
    ///   and nothing is changed; `errorDatabaseInaccessible`.
    public func setActivityGoals(_ goals: HealthActivityGoals) async throws {
        try await BlockingQueue.result { () throws(HKError) in
            try goals.check()
            let store = try self.store()
            try store.requireOwner("the daily goals")
            try store.write { transaction in
                for (key, path, _) in HealthActivityGoals.parts {
                    let text = goals[keyPath: path].map { "\(NumberText.shortest($0.value)) \($0.unit.unitString)" }
                    try HealthCatalog.set(setting: key, to: text, transaction)
                }
            }
        }
    }
}

extension HealthActivityGoals {
    /// The goals as settings of the store's catalog, `Docs/Format/Catalog.md`: key, goal, and a unit of its dimension.
    fileprivate static var parts: [(String, WritableKeyPath<HealthActivityGoals, HKQuantity?>, HKUnit)] {
        [
            ("goal.activeEnergyBurned", \.activeEnergyBurned, .kilocalorie()),
            ("goal.appleMoveTime", \.appleMoveTime, .minute()),
            ("goal.appleExerciseTime", \.appleExerciseTime, .minute()),
            ("goal.appleStandHours", \.appleStandHours, .count()),
        ]
    }

    /// Reads the goals from a store's settings; an unreadable goal is nil.
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
                    .errorInvalidArgument, reason: "\(goal) is not a valid goal", place: key,
                    advice: "give a number of at least zero, in a unit that converts to \(dimension.unitString)")
            }
        }
    }
}
