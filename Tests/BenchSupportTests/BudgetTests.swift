// SPDX-License-Identifier: Apache-2.0

import BenchSupport
import Foundation
import TestSupport
import Testing

@Suite("B-5 budgets of instructions and sizes")
struct BudgetTests {
    private let operations = CountedOperation.all

    /// Returns budgets of 100,000 instructions for every operation and of ten bytes for two columns.
    private func budgets(level: String = "AVX2") -> Budgets {
        Budgets(
            instructions: .init(
                level: level, instructions: Dictionary(uniqueKeysWithValues: operations.map { ($0.name, 100_000) })),
            sizes: .init(bytes: ["hr start": 10, "hr value": 10]))
    }

    private func failures(_ change: (inout Budgets) -> Void) -> [String] {
        var found = budgets()
        change(&found)
        let report = BudgetReport(budgets(), counts: found.instructions, sizes: found.sizes)
        let lines = report.lines.filter { $0.hasPrefix("FAILED") }
        #expect(lines.count == report.failures)
        return lines
    }

    @Test("counts up to three percent over the budget pass")
    func within() {
        #expect(failures { _ in }.isEmpty)
        #expect(failures { $0.instructions.instructions["Q2"] = 103_000 }.isEmpty)
        #expect(failures { $0.instructions.instructions["Q2"] = 50_000 }.isEmpty)
    }

    @Test("a count past its budget is a failure that names the operation or column")
    func past() {
        #expect(
            failures { $0.instructions.instructions["Q2"] = 103_100 }
                == ["FAILED Q2: 103100 instructions, the budget is 100000, +3.1 %"])
        #expect(failures { $0.instructions.instructions["Q2"] = nil } == ["FAILED Q2: was not counted"])
        #expect(failures { $0.sizes.bytes["hr start"] = 11 } == ["FAILED size of hr start: 11 bytes, the budget is 10"])
        #expect(failures { $0.sizes.bytes["hr end"] = 1 } == ["FAILED size of hr end: 1 bytes, but no budget"])
        #expect(failures { $0.sizes.bytes["hr value"] = nil } == ["FAILED size of hr value: missing; the budget is 10"])
    }

    @Test("a small operation may differ from its budget by 250 instructions")
    func small() {
        var budgets = budgets()
        budgets.instructions.instructions["Q1"] = 5_000
        for (found, fails, asks) in [
            (5_250, false, false), (5_251, true, false), (4_750, false, false), (4_749, false, true),
        ] {
            var counts = budgets.instructions
            counts.instructions["Q1"] = found
            let report = BudgetReport(budgets, counts: counts, sizes: budgets.sizes)
            #expect((report.failures == 1) == fails, "\(found)")
            #expect(report.lines.contains { $0.contains("lower the budget") } == asks, "\(found)")
        }
    }

    @Test("a count far below its budget asks for a lower budget")
    func cheaper() {
        var found = budgets()
        found.instructions.instructions["Q5"] = 90_000
        found.sizes.bytes["hr start"] = 9
        let report = BudgetReport(budgets(), counts: found.instructions, sizes: found.sizes)
        #expect(report.failures == 0)
        #expect(report.lines.contains("Q5: 90000 instructions, the budget is 100000, -10 %: lower the budget"))
        #expect(report.lines.contains("size of hr start: 9 bytes, lower the budget of 10"))
    }

    @Test("counts of another processor level are not compared")
    func levels() {
        let found = budgets(level: "portable")
        let report = BudgetReport(budgets(), counts: found.instructions, sizes: found.sizes)
        #expect(report.failures == 0)
        #expect(report.lines.first?.contains("counted at portable, the budget is for AVX2") == true)
    }

    @Test("counts are divided by the repetitions")
    func counts() throws {
        let operation = try #require(operations.first { $0.repetitions > 1 })
        let total = 1_234 * operation.repetitions
        let found = try Budgets.Instructions(counts: "level AVX-512 VBMI\n\(operation.name) \(total)\n")
        #expect(found.level == "AVX-512 VBMI" && found.instructions == [operation.name: 1_234])
    }

    @Test("lines that are not counts are refused", arguments: ["Q2", "Q2 x", "Q2 0", "nothing 5", "Q2 1 2"])
    func refused(_ line: String) {
        #expect(throws: BenchError.self) { try Budgets.Instructions(counts: line) }
    }

    @Test("written budgets read back")
    func files() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("budgets")
        try budgets().write(to: path)
        #expect(try Budgets(directory: path) == budgets())
        let error = #expect(throws: BenchError.self) { try Budgets(directory: directory.file("none")) }
        #expect(error?.description.contains("--update") == true)
    }

    @Test("every operation has a committed budget, and every small set has committed sizes")
    func committed() throws {
        let budgets = try Budgets(directory: repositoryRoot.appendingPathComponent("Benchmarks/budgets").path)
        #expect(Set(budgets.instructions.instructions.keys) == Set(operations.map(\.name)))
        for set in BenchSet.names { #expect(budgets.sizes.bytes["\(set) value"] != nil) }
    }

    @Test("every operation runs, and stores of small sets always have the same sizes")
    func operate() throws {
        let directory = try TemporaryDirectory()
        for operation in operations {
            let watch = try operation.run(work: directory.path)
            #expect(watch.runs.count == operation.repetitions, "\(operation.name)")
        }
        let sizes = try Budgets.Sizes.measure(work: directory.path)
        #expect(try Budgets.Sizes.measure(work: directory.path) == sizes)
    }
}
