// SPDX-License-Identifier: Apache-2.0

import AppleHealthExport
import Foundation
import KymographHealth

/// Imports an export of the Health app, prints what is new and the types in the store, and checks that a second import
/// adds nothing.
///
///     swift run Importer EXPORT STORE
@main
struct Importer {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count == 2 else {
            complain("usage: Importer EXPORT STORE")
            exit(64)
        }
        do {
            try run(arguments[0], into: arguments[1])
        } catch let error as ImportError {
            complain("\(arguments[0]): \(error)")
            exit(1)
        } catch {
            complain("\(error)")
            exit(1)
        }
    }

    /// Imports an export: an archive, the folder that it was unpacked into, or its XML.
    static func run(_ export: String, into path: String) throws {
        let store = try HealthStore.openOrCreate(at: path)
        defer { store.close() }
        var pieces = 0
        let outcome = try AppleHealthImporter.importFile(export, into: store) { progress in
            pieces += 1
            return progress.records < 1_000_000_000  // false would cancel the import
        }
        print("\(outcome.records) records, \(outcome.added) added, in \(pieces) pieces")
        print("\(outcome.objectsAdded) objects, \(outcome.documentsAdded) documents")
        for issue in outcome.issues where issue.kind != .ignored { print(issue) }
        if outcome.missing > 0 { print("\(outcome.missing) files are missing, such as \(outcome.missingFiles[0])") }
        for one in try store.types() { print(one.type.shortName, one.samples, one.unit ?? "") }

        let steps = HealthTypes.type(for: .stepCount)
        let total = try store.statistics(StatisticsRequest(steps)).rows.first?.sum ?? 0
        print("\(Int(total)) steps")

        let again = try AppleHealthImporter.importFile(export, into: store)
        if again.committed { complain("the second import added \(again.added) samples") }
    }

    private static func complain(_ text: String) {
        FileHandle.standardError.write(Data((text + "\n").utf8))
    }
}
