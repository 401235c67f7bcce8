// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("B-2 kymo-bench compare and real report wrong arguments and data before they measure")
struct CompareUsageTests {
    @Test(
        "an invalid value is a usage error that names the option",
        arguments: [
            (["compare"], "--data"),
            (["compare", "--data", "/", "--small"], "--small"),
            (["compare", "--small", "--peers", "oracle"], "duckdb"),
            (["compare", "--small", "--peers", ""], "--peers"),
            (["compare", "--small", "--peers", "sqlite,"], "--peers"),
            (["compare", "--small", "--sets", ""], "--sets"),
            (["compare", "--small", "--sets", "lungs"], "ecg"),
            (["compare", "--small", "--sets", "hr,hr"], "twice"),
            (["compare", "--small", "--threads", "0"], "from 1 to 64"),
            (["compare", "--small", "--threads", "1,99999999999999999999"], "from 1 to 64"),
            (["compare", "--small", "--threads", "1,1"], "twice"),
            (["compare", "--small", "--runs", "0"], "--runs takes a whole number from 1"),
            (["compare", "--small", "--runs", "-1"], "--runs takes a whole number from 1"),
            (["compare", "--small", "--limit", "0"], "--limit takes a whole number from 1"),
            (["compare", "--small", "--limit", "-4"], "--limit takes a whole number from 1"),
            (["compare", "--small", "--commits", "0"], "--commits takes a whole number from 1"),
            (["compare", "--small", "--commits", "1000000000"], "--commits takes a whole number from 1"),
            (["compare", "--small", "--json", "same", "--markdown", "same"], "both be written"),
            (["real"], "--data"),
            (["real", "--data", "/", "--runs", "0"], "--runs takes a whole number from 1"),
        ])
    func usage(_ arguments: [String], _ hint: String) throws {
        let outcome = try Tool.kymoBench.run(arguments)
        #expect(outcome.code == 64, "\(outcome.errors)")
        #expect(outcome.errors.contains(hint) && outcome.errors.contains("Usage:"), "\(outcome.errors)")
        #expect(outcome.output.isEmpty)
    }

    @Test(
        "missing and unwritable paths are reported before anything is measured",
        arguments: [
            (["compare", "--data", "/nowhere"], "no directory /nowhere"),
            (["compare", "--small", "--json", "/nowhere/a.json"], "no directory /nowhere"),
            (["compare", "--small", "--markdown", "/"], "is a directory"),
            (["compare", "--small", "--work", "/nowhere"], "--work"),
            (["real", "--data", "/nowhere"], "no directory /nowhere"),
            (["real", "--data", "/", "--json", "/nowhere/a.json"], "no directory /nowhere"),
        ])
    func places(_ arguments: [String], _ hint: String) throws {
        let outcome = try Tool.kymoBench.run(arguments)
        #expect(outcome.code == 1 && outcome.output.isEmpty, "\(outcome.errors)")
        #expect(outcome.errors.contains(hint) && !outcome.errors.contains("Usage:"), "\(outcome.errors)")
    }

    @Test("unusable data is an error without the usage")
    func data() throws {
        let scripts = try PeerScripts([:])
        let path = scripts.directory.path
        func outcome(_ command: String) throws -> Tool.Outcome {
            try Tool.kymoBench.run([command, "--data", path] + scripts.options)
        }
        func check(_ outcome: Tool.Outcome, _ hint: String) {
            #expect(outcome.code == 1 && outcome.errors.contains(hint), "\(outcome.errors)")
            #expect(!outcome.errors.contains("Usage:") && outcome.output.isEmpty)
        }
        check(try outcome("compare"), "gen.py")
        check(try outcome("real"), "none of the folders ecg, heart")
        let manifest = URL(fileURLWithPath: scripts.directory.file("manifest.json"))
        try Data("{\"t0_us\": 0, \"scale\": 1, \"sets\": {\"lungs\": {\"series\": [\"a\"]}}}".utf8).write(to: manifest)
        check(try outcome("compare"), "nothing to measure")
        try Data("{\"t0_us\": 0, \"scale\": 1, \"sets\": {\"hr\": {\"series\": [\"hr_0\"]}}}".utf8).write(to: manifest)
        check(try outcome("compare"), "hr_0.ts")
    }

    @Test("if no recording can be read, the error lists the reasons")
    func unreadable() throws {
        let series = """
            import json, os, sys
            out = sys.argv[sys.argv.index('--out') + 1]
            os.makedirs(out)
            json.dump(dict(series=[], missing=['a route: it was not there']), open(out + '/manifest.json', 'w'))
            """
        let scripts = try PeerScripts(["real_series.py": series])
        try FileManager.default.createDirectory(
            atPath: scripts.directory.file("fit"), withIntermediateDirectories: false, attributes: nil)
        let outcome = try Tool.kymoBench.run(["real", "--data", scripts.directory.path] + scripts.options)
        #expect(outcome.code == 1 && outcome.output.isEmpty)
        #expect(outcome.errors.contains("no recording") && outcome.errors.contains("a route: it was not there"))
    }

    @Test("the table is printed even if a file cannot be written afterwards")
    func table() throws {
        let places = try TemporaryDirectory()
        let gone = places.file("gone")
        try FileManager.default.createDirectory(atPath: gone, withIntermediateDirectories: false, attributes: nil)
        let scripts = try PeerScripts(["worker.py": "import os\nos.rmdir('\(gone)')\n" + PeerScripts.realWorker])
        let outcome = try Tool.kymoBench.run([
            "compare", "--small", "--sets", "energy", "--runs", "1", "--scripts", scripts.directory.path, "--json",
            gone + "/a.json", "--markdown", places.file("a.md"),
        ])
        #expect(outcome.code == 1 && outcome.errors.contains(gone), "\(outcome.errors)")
        #expect(outcome.output.contains("| ingest of energy |"))
        #expect(try String(contentsOfFile: places.file("a.md"), encoding: .utf8) == outcome.output)
    }
}
