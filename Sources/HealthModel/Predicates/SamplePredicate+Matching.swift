// SPDX-License-Identifier: Apache-2.0

package import Foundation

extension SamplePredicate {
    /// Returns whether the predicate matches an object.
    ///
    /// A condition on a property that the object does not have (the value of a category, of a quantity sample) does not
    /// match, with one exception: metadata that is missing or of another kind is not equal to any value, because
    /// programs exclude entered values with `notEqualTo`.
    package func matches(_ object: HKObject) -> Bool {
        switch self {
        case .always(let all): all
        case .and(let parts): parts.allSatisfy { $0.matches(object) }
        case .or(let parts): parts.contains { $0.matches(object) }
        case .not(let part): !part.matches(object)
        case .uuids(let uuids): uuids.contains(object.uuid)
        case .sources(let sources): sources.contains(object.source)
        case .revisions(let revisions): revisions.contains { $0.matches(object.sourceRevision) }
        case .devices(let devices): object.device.map(devices.contains) ?? false
        case .device(let property, let allowed): Self.isAllowed(object.device?[property], allowed)
        case .hasMetadata(let key): object.header.metadata?[key] != nil
        case .metadataIn(let key, let values): Self.isAmong(object.header.metadata?[key], values)
        case .metadata(let key, .notEqualTo, let value): !Self.isAmong(object.header.metadata?[key], [value])
        case .metadata(let key, let comparison, let value):
            object.header.metadata?[key].map { $0.compares(comparison, value) } ?? false
        case .withoutCorrelation: !object.header.isCorrelated
        case .identities(let runs): runs.contains(object.uuid)
        default: (object as? HKSample).map(matchesSample) ?? false
        }
    }

    private func matchesSample(_ sample: HKSample) -> Bool {
        switch self {
        case .time(let start, let end, let options): options.matches(sample, start: start, end: end)
        case .quantity(let comparison, let quantity):
            (sample as? HKQuantitySample).map { Self.compares($0.quantity, comparison, quantity) } ?? false
        case .category(let comparison, let value):
            (sample as? HKCategorySample).map { comparison.holds($0.value, value) } ?? false
        case .categoryIn(let values): (sample as? HKCategorySample).map { values.contains($0.value) } ?? false
        case .classification(let value): (sample as? HKElectrocardiogram)?.classification == value
        case .symptoms(let value): (sample as? HKElectrocardiogram)?.symptomsStatus == value
        case .field(let condition): condition.matches(sample)
        case .workout(let condition):
            (sample as? HKWorkout).map {
                condition.matches(WorkoutCondition.Subject($0.content, start: $0.startDate, end: $0.endDate))
            } ?? false
        case .someActivity(let part):
            (sample as? HKWorkout).map { Self.someActivity(of: $0.content, endingAt: $0.endDate, fulfils: part) }
                ?? false
        default: false
        }
    }

    private static func isAllowed(_ text: String?, _ allowed: Set<String>) -> Bool {
        guard let text else { return allowed.isEmpty }
        return allowed.contains(text)
    }

    private static func isAmong(_ value: HealthMetadataValue?, _ values: [HealthMetadataValue]) -> Bool {
        guard let value else { return false }
        return values.contains { value.compares(.equalTo, $0) }
    }

    /// Returns whether the comparison holds; it never holds for quantities of different dimensions or NaN.
    package static func compares(_ a: HKQuantity, _ comparison: HealthComparison, _ b: HKQuantity) -> Bool {
        guard !a.value.isNaN, !b.value.isNaN, let order = try? a.compared(to: b) else { return false }
        return comparison.holds(order)
    }
}

extension HKQueryOptions {
    /// Returns whether a sample matches the window from `start`, inclusive, to `end`, exclusive; a nil bound is open.
    ///
    /// Without options, the sample must overlap the window; an instant must lie in the window. A sample that ends at
    /// the window's start does not overlap. A window whose end is not after its start matches no sample.
    package func matches(_ sample: HKSample, start: Date?, end: Date?) -> Bool {
        matches(sample.startDate, sample.endDate, start: start, end: end)
    }

    func matches(_ sampleStart: Date, _ sampleEnd: Date, start: Date?, end: Date?) -> Bool {
        // Compares numbers, not dates: a NaN `Date` is not before any other date.
        let from = start?.timeIntervalSinceReferenceDate ?? -.infinity
        let to = end?.timeIntervalSinceReferenceDate ?? .infinity
        let first = sampleStart.timeIntervalSinceReferenceDate
        let last = sampleEnd.timeIntervalSinceReferenceDate
        guard from < to else { return false }
        func isInside(_ time: Double) -> Bool { time >= from && time < to }
        if isDisjoint(with: [.strictStartDate, .strictEndDate]) {
            return first == last ? isInside(first) : last > from && first < to
        }
        return (!contains(.strictStartDate) || isInside(first)) && (!contains(.strictEndDate) || isInside(last))
    }
}

extension HealthMetadataValue {
    /// Returns whether a comparison with another value holds; it never holds for values of different kinds.
    ///
    /// Numbers and Booleans compare by value: `true` equals 1, and 1 equals 1.0.
    func compares(_ comparison: HealthComparison, _ other: Self) -> Bool {
        switch (self, other) {
        case (.string(let a), .string(let b)):
            switch comparison {
            case .beginsWith: a.hasPrefix(b)
            case .endsWith: a.hasSuffix(b)
            case .contains: b.isEmpty || a.contains(b)
            default: comparison.holds(a, b)
            }
        case (.date(let a), .date(let b)): comparison.holds(a, b)
        case (.quantity(let a), .quantity(let b)): SamplePredicate.compares(a, comparison, b)
        case (.data(let a), .data(let b)):
            comparison == .equalTo ? a == b : comparison == .notEqualTo ? a != b : false
        default: ExactNumber(self).flatMap { a in ExactNumber(other).map { comparison.holds(a, $0) } } ?? false
        }
    }
}

/// A number in metadata, ordered without rounding integers to `Double`.
private struct ExactNumber: Comparable {
    private let whole: Int128?
    private let real: Double

    init?(_ value: HealthMetadataValue) {
        switch value {
        case .boolean(let flag): (whole, real) = (flag ? 1 : 0, flag ? 1 : 0)
        case .integer(let number): (whole, real) = (Int128(number), Double(number))
        case .unsigned(let number): (whole, real) = (Int128(number), Double(number))
        case .real(let number):
            // Beyond 2^100 the comparison uses `Double`: no stored integer is that large.
            whole = number.magnitude < 0x1p100 ? Int128(exactly: number) : nil
            real = number
        default: return nil
        }
    }

    static func < (a: Self, b: Self) -> Bool {
        if let first = a.whole, let second = b.whole { return first < second }
        return a.real < b.real
    }

    static func == (a: Self, b: Self) -> Bool {
        if let first = a.whole, let second = b.whole { return first == second }
        return a.real == b.real
    }
}
