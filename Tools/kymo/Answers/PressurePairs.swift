// SPDX-License-Identifier: Apache-2.0

import CivilTime
import FileSystem
import FoundationEssentials
import HealthModel
import KymographHealth

/// The output of blood pressures, one row for each pair of a systolic and a diastolic pressure.
struct PressurePairs {
    /// The unit of both numbers; nil for the stored unit of the systolic pressure.
    let unit: HKUnit?
    let zone: CivilZone
    let range: TimeRange
    let limit: Int
    let isBackward: Bool
    /// The names of the wanted sources, checked against the stored ones; empty for all.
    let sources: [String]
    let commit: Int64?

    private static let type = HKCorrelationType(.bloodPressure)
    /// The types of both members; their values have the same units.
    static let memberTypes = [HKQuantityType(.bloodPressureSystolic), HKQuantityType(.bloodPressureDiastolic)]

    /// Returns whether a type argument means blood pressures: the identifier, or the short name in any spelling.
    static func isMeant(_ name: String) -> Bool { TypeList.correlation(name) == type.identifier }

    /// One blood pressure. A pressure is nil if its sample was deleted.
    private struct Pair {
        let start: Int64
        let end: Int64
        let systolic: Double?
        let diastolic: Double?
        let unit: HKUnit?
        let source: String
        let uuid: String
    }

    private func pair(_ one: ListedSample) -> Pair {
        let correlation = one.sample as? HKCorrelation
        let quantities = Self.memberTypes.map { type in
            let members = correlation.map { ObjectFields.members($0) } ?? []
            return (members.first { $0.sampleType == type } as? HKQuantitySample)?.quantity
        }
        let unit = unit ?? (quantities[0] ?? quantities[1])?.unit
        let values = quantities.map { quantity in
            unit.flatMap { unit in quantity?.is(compatibleWith: unit) == true ? quantity?.doubleValue(for: unit) : nil }
        }
        return Pair(
            start: one.start, end: one.end, systolic: values[0], diastolic: values[1], unit: unit,
            source: one.sample.sourceRevision.source.name, uuid: one.sample.uuid.uuidString)
    }

    /// Passes up to `limit` pairs to the body; returns the number of further pairs if `countsAll` is true.
    private func each(_ store: HealthStore, countsAll: Bool = false, _ body: (Pair) throws -> Bool) throws -> Int {
        let wanted = sources.isEmpty ? nil : try SourceOption.matching(sources, store, asOf: commit)
        var count = 0
        try store.list(Self.type, startingIn: range, backward: isBackward, asOf: commit) { one in
            if let wanted, !wanted.contains(one.sample.sourceRevision.source.name) { return true }
            count += 1
            if count > limit { return countsAll }
            return try body(pair(one))
        }
        return max(0, count - limit)
    }

    func write(_ store: HealthStore, _ output: Output, _ format: RowFormat) throws {
        var writer = RowWriter(
            output, format, columns: ["start", "end", "systolic", "diastolic", "unit", "source", "uuid"])
        _ = try each(store) { pair in
            writer.beginRow()
            writer.instant("start", pair.start, zone)
            writer.instant("end", pair.end, zone)
            writer.number("systolic", pair.systolic)
            writer.number("diastolic", pair.diastolic)
            writer.text("unit", pair.unit?.unitString)
            writer.text("source", pair.source)
            writer.text("uuid", pair.uuid)
            try writer.endRow()
            return output.isOpen
        }
        try writer.finish()
    }

    /// Returns a pressure as text: whole numbers without decimals, others as in their column.
    private static func text(_ value: Double?, _ cell: String) -> String {
        guard let value else { return "–" }
        return value == value.rounded() ? NumberText.fixed(value, decimals: 0) : cell
    }

    func table(_ store: HealthStore, _ output: Output) throws {
        var pairs: [Pair] = []
        let left = try each(store, countsAll: true) { pair in
            pairs.append(pair)
            return true
        }
        if pairs.isEmpty {
            return Messages.write(EmptyRange.message("blood pressures", of: Self.type, store, zone))
        }
        var table = Table([
            .init(title: "start"), .init(title: "value", alignment: .right),
            .init(title: "source", limit: 32, least: 8),
        ])
        let systolic = NumberText.column(pairs.map(\.systolic))
        let diastolic = NumberText.column(pairs.map(\.diastolic))
        for (at, pair) in pairs.enumerated() {
            let upper = Self.text(pair.systolic, systolic[at])
            let lower = Self.text(pair.diastolic, diastolic[at])
            let unit = pair.unit.map { " " + $0.unitString } ?? ""
            table.append([
                TimeText.table(pair.start, zone), "\(upper)/\(lower)\(unit)", pair.source,
            ])
        }
        try output.line(output.style.bold("bloodPressure") + output.style.dim(", times in \(zone.identifier)"))
        table.fit(output.tableWidth)
        try table.write(to: output)
        if left > 0 {
            try output.finish()
            Messages.line("... and \(NumberText.grouped(left)) more; --limit \(pairs.count + left) shows all")
        }
    }
}
