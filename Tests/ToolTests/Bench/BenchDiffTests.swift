// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("B-5 kymo-bench diff compares two runs and reports what cannot be compared")
struct BenchDiffTests {
    /// Returns a row as `--json` writes it.
    private func row(_ id: String = "Q1", seconds: String = "1", hash: String = "1", samples: Int = 5) -> String {
        """
        {"id": "\(id)", "set": "hr", "threads": 1, "mode": "warm", "median_s": \(seconds), "min_s": \(seconds),
         "samples": \(samples), "hash": "\(hash)", "what": "w"}
        """
    }

    private func report(_ rows: [String], processor: String = "p", build: String = "release") -> String {
        """
        {"machine": {"processor": "\(processor)", "cores": 1, "memoryBytes": 1, "kernel": "k", "system": "s",
         "build": "\(build)"}, "results": [\(rows.joined(separator: ", "))]}
        """
    }

    private func diff(_ before: String, _ after: String, _ more: [String] = []) throws -> Tool.Outcome {
        let directory = try TemporaryDirectory()
        let files = [directory.file("before.json"), directory.file("after.json")]
        for (file, text) in zip(files, [before, after]) { try Data(text.utf8).write(to: URL(fileURLWithPath: file)) }
        return try Tool.kymoBench.run(["diff"] + files + more)
    }

    @Test("the status is 0 within the budget, and 1 past the budget or for a different answer")
    func codes() throws {
        let same = try diff(report([row()]), report([row(seconds: "1.05")]))
        #expect(same.code == 0 && same.output.contains("1 row compared, none over the budget"))
        let slower = try diff(report([row()]), report([row(seconds: "1.2")]))
        #expect(slower.code == 1 && slower.output.contains("**slower**"))
        #expect(try diff(report([row()]), report([row(seconds: "1.2")]), ["--budget", "25%"]).code == 0)
        let other = try diff(report([row()]), report([row(hash: "2")]))
        #expect(other.code == 1 && other.output.contains("**other answer**"))
        let samples = try diff(report([row()]), report([row(samples: 6)]))
        #expect(samples.code == 1 && samples.output.contains("**other samples**"))
        let untimed = try diff(report([row()]), report([row(seconds: "0")]))
        #expect(untimed.code == 1 && untimed.output.contains("**no time**"))
        for budget in ["much", "-1%"] {
            let outcome = try diff(report([row()]), report([row()]), ["--budget", budget])
            #expect(outcome.code == 64 && outcome.errors.contains("--budget takes a fraction"), "\(outcome.errors)")
        }
    }

    @Test("a run without a comparable row fails, and --require-all reports missing rows")
    func missing() throws {
        let nothing = try diff(report([row()]), report([row("Q2")]))
        #expect(nothing.code == 1 && nothing.output.contains("Nothing compared"))
        #expect(nothing.output.contains("only before: Q1") && nothing.output.contains("only after: Q2"))
        #expect(try diff(report([]), report([])).code == 1)
        let (both, one) = (report([row(), row("Q2")]), report([row()]))
        #expect(try diff(both, one).code == 0)
        #expect(try diff(both, one, ["--require-all"]).code == 1)
        #expect(try diff(one, both, ["--require-all"]).code == 0)
    }

    @Test("seconds of another machine or build are compared only with --across-machines")
    func machines() throws {
        let here = report([row()])
        for there in [report([row()], processor: "q"), report([row()], build: "debug")] {
            let refused = try diff(here, there)
            #expect(refused.code == 2 && refused.errors.contains("--across-machines"), "\(refused.errors)")
            let wanted = try diff(here, there, ["--across-machines"])
            #expect(wanted.code == 0 && wanted.output.contains("WARNING, not the same machine or build"))
        }
        let debug = try diff(report([row()], build: "debug"), report([row()], build: "debug"))
        #expect(debug.code == 0 && debug.output.contains("Note: a debug build"))
        // Sizes and answers do not depend on the machine.
        let bytes = [report([row(seconds: "0")]), report([row(seconds: "0")], processor: "q")]
        let sizes = try diff(bytes[0], bytes[1])
        #expect(sizes.code == 0 && sizes.output.contains("WARNING"))
    }

    @Test("impossible numbers and duplicate rows end with status 2")
    func invalid() throws {
        let good = report([row()])
        for (bad, hint) in [
            (report([row(), row()]), "after.json has the row Q1 hr warm, 1 thread twice"),
            (report([row(seconds: "-1")]), "after.json: min_s of Q1 hr warm, 1 thread is -1.0"),
            (report([row(samples: -5)]), "after.json: samples of Q1"),
        ] {
            let outcome = try diff(good, bad)
            #expect(outcome.code == 2 && outcome.errors.contains(hint), "\(outcome.errors)")
        }
        #expect(try diff(good, report([row(seconds: "1e999")])).code == 2)
    }

    @Test("a file that cannot be read is named with the reason")
    func unreadable() throws {
        let good = report([row()])
        for (text, reason) in [
            ("{\"machine\": 1}", "machine: "), ("{\"a\": 1}", "it has no \"machine\""), ("", "it is empty"),
            ("what", "it is not JSON"),
        ] {
            let broken = try diff(good, text)
            #expect(broken.code == 2 && broken.errors.contains("after.json is not a report"), "\(broken.errors)")
            #expect(broken.errors.contains(reason), "\(broken.errors)")
        }
        let missing = try Tool.kymoBench.run(["diff", "/nowhere/a.json", "/nowhere/b.json"])
        #expect(missing.code == 2 && missing.errors.contains("/nowhere/a.json cannot be read"))
    }

    @Test("the committed runs can be read and equal themselves")
    func committed() throws {
        let folder = repository.appendingPathComponent("Benchmarks/reports").path
        for name in ["2026-11-21.json", "2026-11-21-grow.json"] {
            let file = "\(folder)/\(name)"
            let outcome = try Tool.kymoBench.run(["diff", file, file, "--require-all", "--size-budget", "0"])
            #expect(outcome.code == 0, "\(name): \(outcome.errors)")
        }
    }
}
