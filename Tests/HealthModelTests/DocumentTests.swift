// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel
import Testing

@Suite("S-9 the page about the model agrees with the code")
struct DocumentTests {
    @Test("the table of factors has the code's factors")
    func factors() throws {
        let file = Tables.root.appendingPathComponent("Docs/Guide/HealthData.md")
        let page = try String(contentsOf: file, encoding: .utf8)
        var seen: Set<String> = []
        for line in page.split(separator: "\n") where line.hasPrefix("| `") {
            let cells = line.split(separator: "|").map { cell in cell.filter { $0 != "`" && $0 != " " } }
            guard cells.count == 4, let factor = Double(cells[2]) else { continue }
            let one = HKQuantity(unit: try HKUnit(parsing: cells[0]), doubleValue: 1)
            #expect(try one.value(in: HKUnit(parsing: cells[3])) == factor, "\(line)")
            #expect(seen.insert(cells[0]).inserted)
        }
        #expect(seen.count == 48)
    }
}
