// SPDX-License-Identifier: Apache-2.0

import AppleHealthExport
import Foundation
import HealthViews
import TestSupport

/// A store with the records of an export.
struct ExportedStore {
    let store: HealthStore
    private let directory: TemporaryDirectory
    /// The path of the store.
    var path: String { directory.file("store") }

    /// A record of an export. Times are seconds since 1970.
    struct Record {
        var type: String
        var source: String
        var start: Int
        var end: Int
        var value: String
        var unit: String?

        var text: String {
            func date(_ second: Int) -> String {
                let formatter = DateFormatter()
                formatter.locale = Locale(identifier: "en_US_POSIX")
                formatter.timeZone = TimeZone(secondsFromGMT: 0)
                formatter.dateFormat = "yyyy-MM-dd HH:mm:ss Z"
                return formatter.string(from: Date(timeIntervalSince1970: Double(second)))
            }
            let unit = unit.map { " unit=\"\($0)\"" } ?? ""
            return "<Record type=\"\(type)\" sourceName=\"\(source)\"\(unit) startDate=\"\(date(start))\""
                + " endDate=\"\(date(end))\" value=\"\(value)\"/>"
        }
    }

    init(_ records: [Record]) throws {
        directory = try TemporaryDirectory()
        let lines = records.map(\.text).joined(separator: "\n")
        let text =
            "<HealthData locale=\"en_GB\"><ExportDate value=\"2024-05-02 12:00:00 +0000\"/>\n\(lines)\n</HealthData>"
        try text.write(toFile: directory.file("export.xml"), atomically: true, encoding: .utf8)
        store = try HealthStore.openOrCreate(at: directory.file("store"))
        _ = try AppleHealthImporter.importFile(directory.file("export.xml"), into: store)
    }

    func close() { store.close() }
}
