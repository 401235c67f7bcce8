// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("B-5 kymo-bench: two runs compared, and wrong input told apart")
struct BenchErrorTests {
    /// A report with one row.
    private func report(seconds: Double, hash: String = "1", id: String = "Q1") -> String {
        """
        {"machine": {"processor": "p", "cores": 1, "memoryBytes": 1, "kernel": "k", "system": "s", "build": "b"},
         "results": [{"id": "\(id)", "set": "hr", "threads": 1, "mode": "warm", "median_s": \(seconds),
          "min_s": \(seconds), "samples": 5, "hash": "\(hash)", "what": "w"}]}
        """
    }

    private func diff(_ before: String, _ after: String, _ more: [String] = []) throws -> Tool.Outcome {
        let directory = try TemporaryDirectory()
        let files = [directory.file("before.json"), directory.file("after.json")]
        for (file, text) in zip(files, [before, after]) { try Data(text.utf8).write(to: URL(fileURLWithPath: file)) }
        return try Tool.kymoBench.run(["diff"] + files + more)
    }

    @Test("diff ends with 0 within the budget, 1 past it, 2 without files")
    func codes() throws {
        let same = try diff(report(seconds: 1), report(seconds: 1.05))
        #expect(same.code == 0 && same.output.contains("none past the budget"))
        let slower = try diff(report(seconds: 1), report(seconds: 1.2))
        #expect(slower.code == 1 && slower.output.contains("**slower**"))
        #expect(try diff(report(seconds: 1), report(seconds: 1.2), ["--budget", "25%"]).code == 0)
        let other = try diff(report(seconds: 1), report(seconds: 1, hash: "2"))
        #expect(other.code == 1 && other.output.contains("**other answer**"))
        let listed = try diff(report(seconds: 1), report(seconds: 1, id: "Q2"))
        #expect(
            listed.code == 0 && listed.output.contains("only before: Q1") && listed.output.contains("only after: Q2"))
    }

    @Test("diff says which file it cannot read, and why")
    func unreadable() throws {
        let broken = try diff(report(seconds: 1), "{\"machine\": 1}")
        #expect(broken.code == 2 && broken.errors.contains("after.json is no report"))
        let missing = try Tool.kymoBench.run(["diff", "/nowhere/a.json", "/nowhere/b.json"])
        #expect(missing.code == 2 && missing.errors.contains("/nowhere/a.json"))
        #expect(try diff(report(seconds: 1), report(seconds: 1), ["--budget", "much"]).code == 64)
    }

    @Test("budgets ends with 2 without its files")
    func budgets() throws {
        let directory = try TemporaryDirectory()
        let outcome = try Tool.kymoBench.run(["budgets", "--directory", directory.path, "--work", directory.path])
        #expect(outcome.code == 2 && outcome.errors.contains("instructions.json is no budget"))
    }

    @Test(
        "wrong input is a usage error that says what there is",
        arguments: [
            (["query"], "--data"),
            (["query", "--data", "/nowhere"], "gen.py"),
            (["query", "--small", "--only", "Q11"], "Q10"),
            (["query", "--small", "--sets", "lungs"], "hr, ecg"),
            (["query", "--small", "--threads", "0"], "1 to 64"),
            (["ingest", "--small", "--runs", "0"], "--runs"),
            (["size", "--small", "--work", "/nowhere/at/all"], "--work"),
            (["grow", "--up-to", "many"], "--up-to"),
            (["import", "--export", "/nowhere.xml"], "/nowhere.xml"),
            (["import", "--kymo", "/nowhere/kymo"], "--kymo"),
            (["operations", "--only", "nothing"], "--list"),
        ])
    func usage(_ arguments: [String], _ hint: String) throws {
        let outcome = try Tool.kymoBench.run(arguments)
        #expect(outcome.code == 64, "\(outcome.errors)")
        #expect(outcome.errors.contains(hint), "\(outcome.errors)")
    }

    @Test("a directory whose manifest or columns are damaged is told from one without")
    func data() throws {
        let directory = try TemporaryDirectory()
        func outcome() throws -> Tool.Outcome { try Tool.kymoBench.run(["size", "--data", directory.path]) }
        let manifest = URL(fileURLWithPath: directory.file("manifest.json"))
        try Data("{".utf8).write(to: manifest)
        #expect(try outcome().code == 64)
        let odd = "{\"t0_us\": 9223372036854775807, \"scale\": 1e300, \"sets\": {\"hr\": {\"series\": []}}}"
        try Data(odd.utf8).write(to: manifest)
        #expect(try outcome().code == 64, "absurd numbers")
        let text = "{\"t0_us\": 0, \"scale\": 1, \"sets\": {\"hr\": {\"series\": [\"hr_0\"]}}}"
        try Data(text.utf8).write(to: manifest)
        #expect(try outcome().code == 64, "no columns")
        try Data(repeating: 0, count: 16).write(to: URL(fileURLWithPath: directory.file("hr_0.ts")))
        try Data(repeating: 0, count: 8).write(to: URL(fileURLWithPath: directory.file("hr_0.val")))
        let lengths = try outcome()
        #expect(lengths.code == 64 && lengths.errors.contains("2 times and 1 values"))
        try Data(repeating: 0xFF, count: 16).write(to: URL(fileURLWithPath: directory.file("hr_0.ts")))
        try Data(repeating: 0xFF, count: 16).write(to: URL(fileURLWithPath: directory.file("hr_0.val")))
        let content = try outcome()
        #expect(content.code == 64 && content.errors.contains("hr_0"))
    }
}
