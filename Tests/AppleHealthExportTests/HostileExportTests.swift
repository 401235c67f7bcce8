// SPDX-License-Identifier: Apache-2.0

import AppleHealthExport
import Foundation
import KymographHealth
import TestSupport
import Testing

@Suite("T-1 hostile arguments of imports and exports")
struct HostileExportTests {
    @Test("paths that lead nowhere, closed stores and readers are refused")
    func imports() throws {
        let bench = try ImportBench()
        let long = String(repeating: "x", count: 1_000_000)
        for path in ["", "\0", "none", "/dev/null", long, "\u{7}", bench.directory.path] {
            #expect(throws: ImportError.self, "\(path.prefix(20))") {
                try AppleHealthImporter.importFile(path, into: bench.store)
            }
        }
        let path = bench.directory.file("export.xml")
        try Data(exportText(stepText).utf8).write(to: URL(fileURLWithPath: path))
        #expect(throws: ImportError.self) {
            try AppleHealthImporter.importFile(path, into: bench.store) { _ in false }
        }
        // The tests have no export as standard input.
        #expect(throws: ImportError.self) {
            try AppleHealthImporter.importStandardInput(into: bench.store) { _ in false }
        }
        #expect(try bench.store.types().isEmpty)
        bench.store.close()
        #expect(throws: ImportError.self) { try AppleHealthImporter.importFile(path, into: bench.store) }
        #expect(throws: ImportError.self) {
            try AppleHealthImporter.importStandardInput(into: bench.store) { _ in false }
        }
    }

    @Test("offsets that dates cannot have are refused; unknown types and empty ranges write nothing")
    func exports() throws {
        let bench = try ImportBench()
        try bench.importText(exportText(stepText))
        for offset in [Int.min, -64_860, 1, 59, 64_860, Int.max] {
            #expect(throws: HealthStoreError.self, "\(offset)") {
                try AppleHealthExporter.write(bench.store, ExportRequest(offset: offset)) { _ in true }
            }
        }
        for request in [
            ExportRequest(types: ["", "\0", "none"]), ExportRequest(range: TimeRange(5, 5)), ExportRequest(types: []),
        ] {
            let counts = try AppleHealthExporter.write(bench.store, request) { _ in true }
            #expect(counts == ExportCounts(records: 0, correlations: 0, elements: 0))
        }
        for date in [Int64.min, Int64.max] {
            #expect(try AppleHealthExporter.write(bench.store, ExportRequest(date: date)) { _ in true }.records == 1)
        }
        bench.store.close()
        #expect(throws: HealthStoreError.self) { try AppleHealthExporter.write(bench.store) { _ in true } }
    }
}
