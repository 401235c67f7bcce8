// SPDX-License-Identifier: Apache-2.0

import AppleHealthExport
import Foundation
import KymographHealth
import TestSupport
import Testing

@Suite("T-1 the example of the page on imports")
struct ImportExampleTests {
    @Test("the example imports the sample export")
    func runs() throws {
        let directory = try TemporaryDirectory()
        let (path, export) = (directory.file("store"), repositoryFile("Docs/Samples/sample-export.zip"))
        // example import begins
        let store = try HealthStore.openOrCreate(at: path)
        let outcome = try AppleHealthImporter.importFile(export, into: store)
        print(outcome.records, outcome.added, outcome.documentsAdded, outcome.skipped)
        for issue in outcome.issues { print(issue) }  // each repair and omission, with its line and byte
        for one in try store.types() { print(one.type.shortName, one.samples, one.unit ?? "") }
        store.close()
        // example import ends
        #expect(outcome.added == 25_000 && outcome.documentsAdded == 5)
    }
}
