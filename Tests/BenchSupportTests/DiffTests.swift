// SPDX-License-Identifier: Apache-2.0

import BenchSupport
import Testing

@Suite("B-5 two runs compared row by row")
struct DiffTests {
    private func report(_ rows: [BenchResult]) -> BenchReport { BenchReport(rows) }

    private func verdict(
        _ before: BenchResult, _ after: BenchResult, _ budget: BenchDiff.Budget = BenchDiff.Budget()
    ) -> (BenchDiff.Verdict?, Bool?) {
        let diff = BenchDiff(report([before]), report([after]), budget: budget)
        return (diff.rows.first?.verdict, diff.rows.first?.isBad)
    }

    @Test("times are compared with their budget")
    func times() {
        let row = ReportTests.row(seconds: 0.010)
        #expect(verdict(row, ReportTests.row(seconds: 0.0109)) == (.same, false))
        #expect(verdict(row, ReportTests.row(seconds: 0.0112)) == (.slower, true))
        #expect(verdict(row, ReportTests.row(seconds: 0.0112), .init(time: 0.2)) == (.same, false))
        #expect(verdict(row, ReportTests.row(seconds: 0.008)) == (.faster, false))
    }

    @Test("sizes are compared with their budget")
    func sizes() {
        var before = ReportTests.row("size", seconds: 0)
        var after = before
        before.bytesPerSample = 1.4
        after.bytesPerSample = 1.41
        #expect(verdict(before, after) == (.larger, true))
        #expect(verdict(before, after, .init(size: 0.01)) == (.same, false))
        #expect(verdict(after, before) == (.smaller, false))
        after.bytesPerSample = 1.4001
        #expect(verdict(before, after) == (.same, false))
        #expect(verdict(before, after, .init(size: 0)) == (.larger, true))
    }

    @Test("a different answer is a failure, whatever its time")
    func answers() {
        let row = ReportTests.row(seconds: 0.010)
        #expect(verdict(row, ReportTests.row(seconds: 0.001, hash: "def")) == (.answerDiffers, true))
        #expect(verdict(row, ReportTests.row(seconds: 0.010, hash: "")) == (.same, false))
    }

    @Test("rows of only one run are listed and are not failures")
    func missing() {
        let diff = BenchDiff(
            report([ReportTests.row("Q1"), ReportTests.row("Q2")]),
            report([ReportTests.row("Q1"), ReportTests.row("Q1", threads: 2), ReportTests.row("Q1", mode: "cold")]))
        #expect(diff.rows.count == 1 && diff.bad.isEmpty)
        #expect(diff.onlyBefore.map(\.description) == ["Q2 hr warm, 1 thread"])
        #expect(diff.onlyAfter.map(\.description) == ["Q1 hr warm, 2 threads", "Q1 hr cold, 1 thread"])
        let text = diff.markdown()
        #expect(text.contains("- only before: Q2 hr warm, 1 thread\n"))
        #expect(text.contains("1 row compared, none over the budget."))
    }

    @Test("the table shows ratios of all rows, or only the changed rows")
    func table() {
        let diff = BenchDiff(
            report([ReportTests.row("Q1", seconds: 0.010), ReportTests.row("Q2", seconds: 0.010)]),
            report([ReportTests.row("Q1", seconds: 0.010), ReportTests.row("Q2", seconds: 0.020)]))
        let text = diff.markdown()
        #expect(text.contains("| Q2 | hr | warm | 1 | 10 ms | 20 ms | 2 |  |  | **slower** |"))
        #expect(text.contains("| Q1 |"))
        #expect(!diff.markdown(onlyChanged: true).contains("| Q1 |"))
        #expect(text.contains("1 over the budget or not comparable"))
    }

    @Test("budgets are parsed as percentages and fractions")
    func budgets() {
        #expect(["10%", "0.1", "0%", "0"].map(BenchDiff.Budget.parse) == [0.1, 0.1, 0, 0])
        #expect(["", "%", "ten", "-1%", "nan", "inf"].compactMap(BenchDiff.Budget.parse).isEmpty)
    }
}
