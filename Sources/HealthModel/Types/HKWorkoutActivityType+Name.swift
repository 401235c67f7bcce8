// SPDX-License-Identifier: Apache-2.0

extension HKWorkoutActivityType {
    private static let prefix = "HKWorkoutActivityType"

    private static let names: [HKWorkoutActivityType: String] =
        Dictionary(TypeTables.workoutActivityTypes.map { ($0.type, prefix + $0.name) }) { first, _ in first }

    private static let types: [String: HKWorkoutActivityType] =
        Dictionary(TypeTables.workoutActivityTypes.map { (prefix + $0.name, $0.type) }) { first, _ in first }

    private static let foldedTypes: [String: HKWorkoutActivityType] =
        Dictionary(TypeTables.workoutActivityTypes.map { (HealthTypes.fold($0.name), $0.type) }) { first, _ in first }

    /// The name of the constant in exports: `HKWorkoutActivityTypeRunning`.
    public var name: String { Self.names[self] ?? Self.prefix }

    /// Creates the activity with exactly this constant's name; nil if the table does not contain it.
    public init?(name: String) {
        guard let type = Self.types[name] else { return nil }
        self = type
    }

    /// Returns the activity that matches a text: `running`, `Running`, `high-intensity interval training` or
    /// `HKWorkoutActivityTypeRunning`, ignoring case; nil if there is none.
    public static func find(_ text: String) -> HKWorkoutActivityType? {
        let folded = HealthTypes.fold(text)
        let start = HealthTypes.fold(prefix)
        if let type = foldedTypes[folded] { return type }
        return folded.hasPrefix(start) ? foldedTypes[String(folded.dropFirst(start.count))] : nil
    }
}
