// SPDX-License-Identifier: Apache-2.0

import CivilTime
import FileSystem
import FoundationEssentials
import HealthViews

/// The output of a list of electrocardiograms.
struct ElectrocardiogramTable {
    let list: ElectrocardiogramList
    let zone: CivilZone

    /// The names of the fields, in order.
    static let columns = [
        "id", "start", "end", "classification", "averageHeartRate", "samplingFrequency", "count", "source", "uuid",
    ]

    func write(_ writer: consuming RowWriter) throws(DiskError) {
        for one in list.all {
            writer.beginRow()
            writer.text("id", list.short(one))
            writer.instant("start", one.start, zone)
            writer.instant("end", one.end, zone)
            writer.text("classification", "\(one.classification)")
            writer.number("averageHeartRate", one.heartRate)
            writer.number("samplingFrequency", one.frequency)
            writer.integer("count", one.voltages)
            writer.text("source", one.source)
            writer.text("uuid", one.id.uuid.uuidString)
            try writer.endRow()
        }
        try writer.finish()
    }

    func show(_ output: Output) throws(DiskError) {
        var table = Table([
            .init(title: "start"), .init(title: "length", alignment: .right), .init(title: "rhythm"),
            .init(title: "pulse", alignment: .right), .init(title: "samples", alignment: .right), .init(title: "id"),
            .init(title: "", isAccent: true),
        ])
        for one in list.all {
            let id = list.short(one)
            table.append([
                Self.start(one, zone), Self.length(one), one.rhythm, Self.pulse(one) ?? "–", Self.frequency(one) ?? "–",
                id, "kymo ecg \(id)",
            ])
        }
        try table.write(to: output)
    }

    /// Returns the local date and time: `2022-05-01 11:06`.
    static func start(_ one: Electrocardiogram, _ zone: CivilZone) -> String {
        "\(Civil.formatDate(one.start, zone: zone)) \(DayText.clock(one.start, zone))"
    }

    static func length(_ one: Electrocardiogram) -> String {
        let seconds = (Double(one.end) - Double(one.start)) / 1e9
        return seconds < 120 ? "\(NumberText.fixed(seconds, decimals: 0)) s" : NumberText.clock(seconds: seconds)
    }

    static func pulse(_ one: Electrocardiogram) -> String? {
        one.heartRate.map { "\(NumberText.fixed($0, decimals: 0))/min" }
    }

    static func frequency(_ one: Electrocardiogram) -> String? {
        one.frequency.map { "\(NumberText.fixed($0, decimals: 0)) Hz" }
    }
}
