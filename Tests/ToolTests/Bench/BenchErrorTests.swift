// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("B-5 kymo-bench reports wrong input before it measures")
struct BenchErrorTests {
    @Test("budgets without its files ends with status 2")
    func budgets() throws {
        let directory = try TemporaryDirectory()
        let outcome = try Tool.kymoBench.run(["budgets", "--directory", directory.path, "--work", directory.path])
        #expect(outcome.code == 2 && outcome.errors.contains("instructions.json cannot be read"))
    }

    @Test(
        "an invalid command line ends with status 64 and a hint",
        arguments: [
            (["query"], "--data"),
            (["query", "--data", "/nowhere", "--small"], "--small"),
            (["query", "--small", "--only", "Q11"], "Q10"),
            (["query", "--small", "--only", "Q2,Q2"], "twice"),
            (["query", "--small", "--only", "Q10", "--sets", "hr"], "nothing to measure: Q10"),
            (["query", "--small", "--sets", "dist"], "nothing to measure"),
            (["query", "--small", "--sets", "lungs"], "hr, ecg"),
            (["size", "--small", "--sets", "lungs"], "hr, ecg"),
            (["size", "--small", "--sets", ""], "nothing to measure"),
            (["size", "--small", "--sets", "hr,,ecg"], "commas"),
            (["query", "--small", "--threads", "0"], "1 to 64"),
            (["query", "--small", "--threads", "1,2,2"], "twice"),
            (["query", "--small", "--threads", "-1"], "1 to 64"),
            (["ingest", "--small", "--runs", "0"], "--runs"),
            (["query", "--small", "--runs", "-1"], "1 to 10000, not -1"),
            (["query", "--small", "--runs", "9223372036854775807"], "1 to 10000"),
            (["kernels", "--runs", "99999999999999999999"], "1 to 10000"),
            (["import", "--small", "--runs", "10001"], "1 to 10000"),
            (["grow", "--small", "--runs", "0"], "1 to 10000"),
            (["grow", "--up-to", "many"], "--up-to"),
            (["grow", "--up-to", "-5"], "1k to 20G"),
            (["grow", "--small", "--up-to", "1G"], "--up-to"),
            (["grow", "--small", "--series", "1000"], "at most 100"),
            (["series", "--up-to", "many"], "1k to 10M"),
            (["series", "--up-to", "20M"], "1k to 10M"),
            (["series", "--small", "--up-to", "10k"], "--up-to"),
            (["series-step", "--step", "nothing", "--store", "/nowhere", "--series", "5"], "load or ask"),
            (["import", "--svg", "plots"], "--svg"),
            (["import", "--small", "--export", "export.xml"], "--small"),
            (["import", "--small", "--manifest", "export.json"], "--manifest"),
            (["grow-probe", "--store", "/nowhere", "--samples", "5", "--series", "0"], "--series"),
            (["grow-probe", "--store", "/nowhere", "--samples", "-1"], "--samples"),
            (["measure", "--report", "cost.json"], "command"),
            (["operations", "--only", "nothing"], "--list"),
            (["operations", "--only", ""], "nothing to measure"),
            (["operations", "--quiet", "--json", "-"], "--json"),
        ])
    func usage(_ arguments: [String], _ hint: String) throws {
        let outcome = try Tool.kymoBench.run(arguments)
        #expect(outcome.code == 64, "\(outcome.errors)")
        #expect(outcome.errors.contains(hint), "\(outcome.errors)")
        #expect(outcome.output.isEmpty)
    }

    @Test(
        "missing or wrong files and programs end with status 1, without the usage",
        arguments: [
            (["query", "--data", "/nowhere"], "gen.py"),
            (["size", "--small", "--work", "/nowhere/at/all"], "--work"),
            (["size", "--small", "--work", ""], "--work"),
            (["size", "--small", "--svg", "-"], "give a directory"),
            (["import", "--kymo", "/nowhere/kymo"], "--kymo"),
            (["import", "--export", "/nowhere.xml"], "/nowhere.xml"),
            (["import", "--export", "/tmp"], "/tmp is not an export"),
            (["import", "--export", "/dev/null"], "/dev/null is not an export"),
        ])
    func outside(_ arguments: [String], _ hint: String) throws {
        let outcome = try Tool.kymoBench.run(arguments)
        #expect(outcome.code == 1, "\(outcome.errors)")
        #expect(outcome.errors.hasPrefix("Error: ") && outcome.errors.contains(hint), "\(outcome.errors)")
        #expect(!outcome.errors.contains("Usage:") && !outcome.errors.contains("DecodingError"))
    }

    @Test("an import names a wrong program or manifest")
    func importing() throws {
        let directory = try TemporaryDirectory()
        let xml = directory.file("export.xml")
        let text = "<?xml version=\"1.0\"?>\n<HealthData locale=\"en_GB\">\n</HealthData>\n"
        try Data(text.utf8).write(to: URL(fileURLWithPath: xml))
        let other = try Tool.kymoBench.run(["import", "--export", xml, "--runs", "1", "--kymo", "/bin/true"])
        #expect(other.code == 1 && other.errors.contains("/bin/true types --json returned no list"), "\(other.errors)")
        let failing = try Tool.kymoBench.run(["import", "--export", xml, "--runs", "1", "--kymo", "/bin/false"])
        #expect(failing.code == 1 && failing.errors.contains("/bin/false import"), "\(failing.errors)")
        for (manifest, reason) in [("", "it is empty"), ("nonsense", "it is not JSON"), ("[]", "is not a manifest")] {
            try Data(manifest.utf8).write(to: URL(fileURLWithPath: directory.file("export.json")))
            let outcome = try Tool.kymoBench.run(["import", "--export", xml])
            #expect(outcome.code == 1 && outcome.errors.contains("export.json is not a manifest"), "\(outcome.errors)")
            #expect(outcome.errors.contains(reason) && !outcome.errors.contains("DecodingError"))
        }
    }

    @Test("damaged manifests and columns are reported with the cause")
    func data() throws {
        let directory = try TemporaryDirectory()
        func put(_ name: String, _ data: Data) throws {
            try data.write(to: URL(fileURLWithPath: directory.file(name)))
        }
        func refused(_ hint: String, _ more: [String] = [], code: Int32 = 1) throws {
            let outcome = try Tool.kymoBench.run(["size", "--data", directory.path] + more)
            #expect(outcome.code == code && outcome.errors.contains(hint), "\(outcome.errors)")
            #expect(!outcome.errors.contains("DecodingError"))
        }
        for (text, hint) in [
            ("", "it is empty"), ("{", "it is not JSON"), ("[]", "is not a manifest"), ("{\"t0_us\": 0}", "has no"),
            ("{\"t0_us\": 9223372036854775807, \"scale\": 1e300, \"sets\": {\"hr\": {\"series\": []}}}", "of range"),
            ("{\"t0_us\": 0, \"scale\": 1, \"sets\": {}}", "nothing to measure"),
            ("{\"t0_us\": 0, \"scale\": 1, \"sets\": {\"hr\": {\"series\": [\"hr_0\", \"hr_0\"]}}}", "twice"),
        ] {
            try put("manifest.json", Data(text.utf8))
            try refused(hint)
        }
        try put(
            "manifest.json", Data("{\"t0_us\": 0, \"scale\": 1, \"sets\": {\"hr\": {\"series\": [\"hr_0\"]}}}".utf8))
        try refused("hr_0.ts")
        try refused("it has hr", ["--sets", "ecg"], code: 64)
        try put("hr_0.ts", Data(repeating: 0, count: 16))
        try put("hr_0.val", Data(repeating: 0, count: 8))
        try refused("2 times and 1 values")
        try put("hr_0.val", Data(repeating: 0, count: 15))
        try refused("15 bytes")
        try put("hr_0.ts", Data(repeating: 0xFF, count: 16))
        try put("hr_0.val", Data(repeating: 0xFF, count: 16))
        try refused("hr_0")
    }

    @Test("data that differs from its manifest is refused, with the file and both numbers")
    func lies() throws {
        let directory = try TemporaryDirectory()
        func put(_ name: String, _ data: Data) throws {
            try data.write(to: URL(fileURLWithPath: directory.file(name)))
        }
        func column(_ words: [UInt64]) -> Data {
            words.reduce(into: Data()) { data, word in for b in 0..<8 { data.append(UInt8(word >> (8 * b) & 255)) } }
        }
        func outcome(_ facts: String, n: Int = 3) throws -> Tool.Outcome {
            let set = "{\"series\": [\"hr_0\"], \"n\": \(n)}"
            let text = "{\"t0_us\": 0, \"scale\": 1, \"sets\": {\"hr\": \(set)}, \"series\": {\"hr_0\": {\(facts)}}}"
            try put("manifest.json", Data(text.utf8))
            return try Tool.kymoBench.run(["size", "--data", directory.path, "--work", directory.path])
        }
        try put("hr_0.ts", column([1_000, 2_000, 3_000]))
        try put("hr_0.val", column([60.0, 70, 65].map(\.bitPattern)))
        let right = "\"n\": 3, \"first_us\": 1000, \"last_us\": 3000, \"min\": 60.0, \"max\": 70.0"
        let good = try outcome(right)
        #expect(good.code == 0, "\(good.errors)")
        for (facts, n, hint) in [
            ("\"n\": 4", 3, "hr_0.ts: samples: the manifest says 4, found 3"),
            (right, 5, "samples of the set hr: the manifest says 5, found 3"),
            ("\"first_us\": 1", 3, "hr_0.ts: the first time in microseconds: the manifest says 1, found 1000"),
            ("\"last_us\": 1", 3, "hr_0.ts: the last time"), ("\"min\": 1", 3, "hr_0.val: the least value"),
            ("\"max\": 99", 3, "hr_0.val: the greatest value: the manifest says 99.0, found 70.0"),
        ] {
            let bad = try outcome(facts, n: n)
            #expect(bad.code == 1 && bad.errors.contains(hint), "\(bad.errors)")
        }
    }
}
