// SPDX-License-Identifier: Apache-2.0

extension HKWorkoutActivityType {
    private static let prefix = "HKWorkoutActivityType"

    private static let names: [HKWorkoutActivityType: String] =
        Dictionary(TypeTables.workoutActivityTypes.map { ($0.type, prefix + $0.name) }) { first, _ in first }

    private static let types: [String: HKWorkoutActivityType] =
        Dictionary(TypeTables.workoutActivityTypes.map { (prefix + $0.name, $0.type) }) { first, _ in first }

    private static let foldedTypes: [String: HKWorkoutActivityType] =
        Dictionary(TypeTables.workoutActivityTypes.map { (HealthTypes.fold($0.name), $0.type) }) { first, _ in first }

    /// The constant's name, as exports write it: `HKWorkoutActivityTypeRunning`.
    public var name: String { Self.names[self] ?? Self.prefix }

    /// The activity with exactly this constant's name; nil where the table does not have it.
    public init?(name: String) {
        guard let type = Self.types[name] else { return nil }
        self = type
    }

    /// The activity that a person means: `running`, `Running`, `high-intensity interval training` or
    /// `HKWorkoutActivityTypeRunning`, in any case of letters; nil where none has that name.
    public static func find(_ text: String) -> HKWorkoutActivityType? {
        let folded = HealthTypes.fold(text)
        let start = HealthTypes.fold(prefix)
        if let type = foldedTypes[folded] { return type }
        return folded.hasPrefix(start) ? foldedTypes[String(folded.dropFirst(start.count))] : nil
    }
}
