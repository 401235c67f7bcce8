// SPDX-License-Identifier: Apache-2.0

import AppleHealthExport
import Foundation
import KymographHealth
import TestSupport
import Testing

/// A health store in a temporary directory, and files to import.
final class ImportBench {
    let directory: TemporaryDirectory
    private(set) var store: HealthStore

    init() throws {
        directory = try TemporaryDirectory()
        store = try HealthStore.openOrCreate(at: directory.file("store"))
    }

    /// Imports a file with this text.
    @discardableResult
    func importText(
        _ text: String, capacity: Int = 700_000, memberLimit: Int? = nil,
        progress: ((ImportProgress) -> Bool)? = nil
    ) throws -> ImportOutcome {
        let path = directory.file("text.xml")
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return try importFile(path, capacity: capacity, memberLimit: memberLimit, progress: progress)
    }

    @discardableResult
    func importFile(
        _ path: String, capacity: Int = 700_000, memberLimit: Int? = nil,
        progress: ((ImportProgress) -> Bool)? = nil
    ) throws -> ImportOutcome {
        try AppleHealthImporter.importFile(
            path, into: store, limits: ExportLimits(), capacity: capacity, memberLimit: memberLimit,
            progress: progress)
    }

    /// Returns every record of the store.
    func records() throws -> [PlainRecord] {
        var found = [PlainRecord]()
        for overview in try store.types() {
            try store.samples(SampleRequest(overview.type)) { batch in
                for sample in batch { found.append(PlainRecord(sample)) }
                return true
            }
        }
        return found
    }

    /// Returns the XML of all elements that are kept as text.
    func objects() throws -> [String] {
        var found = [String]()
        for kind in ImportedElementKind.allCases {
            try store.objects(kind) { object in
                found.append(String(decoding: object.xml, as: UTF8.self))
                return true
            }
        }
        return found
    }

    func close() { store.close() }

    /// Opens the store again, as a new process would.
    func reopen(at path: String? = nil, options: StoreOptions = StoreOptions()) throws {
        store = try HealthStore.open(at: path ?? directory.file("store"), options: options)
    }

    deinit { store.close() }
}

/// Returns the path of a file in the repository.
func repositoryFile(_ path: String, from file: String = #filePath) -> String {
    var folder = URL(fileURLWithPath: file).deletingLastPathComponent()
    while folder.path != "/", !FileManager.default.fileExists(atPath: folder.appendingPathComponent(path).path) {
        folder.deleteLastPathComponent()
    }
    return folder.appendingPathComponent(path).path
}

/// Returns the text of an export with these records and elements.
func exportText(_ content: String, locale: String = "en_CH") -> String {
    #"""
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE HealthData [
    <!-- HealthKit Export Version: 14 -->
    <!ELEMENT HealthData (ExportDate,Me,(Record|Correlation|Workout|ActivitySummary)*)>
    <!ATTLIST HealthData locale CDATA #REQUIRED>
    ]>
    <HealthData locale="\#(locale)">
     <ExportDate value="2024-01-10 22:32:54 +0100"/>
     <Me HKCharacteristicTypeIdentifierDateOfBirth="1980-02-03"
      HKCharacteristicTypeIdentifierBloodType="HKBloodTypeAPositive"/>
    \#(content)
    </HealthData>

    """#
}

/// Returns the text of a record in the morning of 2024-01-01. `attributes` are as written.
func recordText(
    _ type: String, source: String = "A", _ attributes: String, hours: Int = 0, children: String = ""
) -> String {
    let dates = #"startDate="2024-01-01 10:00:00 +0100" endDate="2024-01-01 1\#(hours):00:00 +0100""#
    let tag = #"<Record type="HK\#(type)" sourceName="\#(source)" \#(dates) \#(attributes)"#
    return children.isEmpty ? tag + "/>" : tag + ">\n" + children + "\n</Record>"
}

/// A record of one step.
let stepText = recordText("QuantityTypeIdentifierStepCount", #"unit="count" value="1""#)

extension Sequence where Element: Hashable {
    /// The number of occurrences of each element.
    var counts: [Element: Int] { reduce(into: [:]) { $0[$1, default: 0] += 1 } }
}
