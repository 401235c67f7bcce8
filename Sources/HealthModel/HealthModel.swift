// SPDX-License-Identifier: Apache-2.0
//
// HealthModel: what health data means, as pure values (types, units, samples, predicates, rules); it stores nothing.
//
// Start reading at `HealthTypes` (which types there are), `HKUnit` and `HKQuantity` (what a number is measured in),
// `HealthCategoryValues` (what a category sample says) and `HealthMetadataKeys`; then `Types` (types as HealthKit's
// classes), `Objects` (samples and where they are from), `SaveRules` (what may be saved) and `Predicates` (what a query
// asks for). Names that HealthKit has are HealthKit's; names of our own begin with `Health` or `Unit`.
// `Docs/HealthModel.md` and `Docs/HealthObjects.md` are the pages about this room.

/// The tables that `Tools/generate-types` writes; the `Generated*.swift` files extend it.
enum TypeTables {}

/// One row of the quantity types' table.
struct QuantityTypeRow: Sendable {
    /// The identifier without its prefix: `StepCount`.
    let name: String
    let style: HKQuantityAggregationStyle
    /// The canonical unit as the table spells it.
    let unit: String

    init(_ name: String, _ style: HKQuantityAggregationStyle, _ unit: String) {
        self.name = name
        self.style = style
        self.unit = unit
    }
}

/// One row of the category types' table.
struct CategoryTypeRow: Sendable {
    /// The identifier without its prefix: `SleepAnalysis`.
    let name: String
    /// Where its values come from; the first is what is written today.
    let sets: [CategoryValueSet]

    init(_ name: String, _ sets: [CategoryValueSet]) {
        self.name = name
        self.sets = sets
    }
}

/// The values of one enumeration, every name that was ever in use, today's name first.
struct CategoryValueSet: Sendable {
    /// The enumeration's name, which is also the prefix of its values' names.
    let name: String
    let values: [HealthCategoryValue]
}
