// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("T-3 kymo: the words that people use for types, units, sources and zones")
struct KymoNameTests {
    private struct Item: Decodable {
        var type: String
        var value: Double
        var unit: String
    }

    @Test("a word for a type is the type, everywhere a type is named")
    func types() throws {
        #expect(try kymo("stats", "Steps", "--json").output == kymo("stats", "stepCount", "--json").output)
        #expect(try kymo("stats", "sleep", "--json").output == kymo("stats", "sleepAnalysis", "--json").output)
        #expect(try kymo("query", "ecg", "--csv").output == kymo("query", "electrocardiogram", "--csv").output)
        #expect(try kymo("query", "bp", "--csv").output == kymo("query", "bloodPressure", "--csv").output)
        #expect(try kymo("prefer", "steps", "--csv").output == kymo("prefer", "stepCount", "--csv").output)
        let export = try kymo("export", "--format", "csv", "--types", "weight,rhr").output
        #expect(try export == kymo("export", "--format", "csv", "--types", "bodyMass,restingHeartRate").output)
        #expect(export.contains("HKQuantityTypeIdentifierBodyMass"))
        #expect(try kymo("watch", "distance", "--all", "--once").output.contains("km  Alex"))
        let directory = try TemporaryDirectory()
        let store = directory.file("store")
        for words in [
            ["food", "water=200ml,protein=12g"], ["bp", "120/80"], ["sleep", "asleepCore"], ["weight", "70", "kg"],
        ] {
            let outcome = try Tool.kymo.run(["add", "--store", store] + words)
            #expect(outcome.code == 0, "\(words): \(outcome.errors)")
        }
        #expect(try Tool.kymo.run(["delete", "weight", "--all", "--store", store]).output.contains("deleted 1 sample"))
    }

    @Test(
        "a wrong name gets suggestions",
        arguments: [
            (["stats", "wieght"], "no type \"wieght\"; did you mean weight or height?"),
            (["stats", "setps"], "no type \"setps\"; did you mean steps?"),
            (["stats", "elec"], "no type \"elec\"; did you mean electrocardiogram or electrodermalActivity?"),
            (["query", "electrocardiogrm"], "did you mean electrocardiogram?"),
            (["stats", "workouts"], "\"kymo workouts\" lists workouts"),
            (["stats", "pulse", "--unit", "km"], "km does not fit heartRate; use a compatible unit, such as bpm"),
            (["stats", "pulse", "--unit", "foo"], "no unit \"foo\"; heartRate has units such as bpm"),
            (["stats", "distance", "--unit", "milse"], "no unit \"milse\"; did you mean mile?"),
            (["stats", "water", "--unit", "ML2"], "no unit \"ML2\"; did you mean mL?"),
            (["query", "pulse", "--source", "iphnoe"], "no source \"iphnoe\"; did you mean Alex\u{2019}s iPhone?"),
            (["query", "pulse", "--source", "nobody"], "no source \"nobody\"; \"kymo sources\" lists them"),
            (["stats", "steps", "--tz", "zurich"], "no time zone \"zurich\"; did you mean Europe/Zurich?"),
            (["stats", "steps", "--tz", "Europe/Zurch"], "did you mean Europe/Zurich?"),
            (["stats", "steps", "--tz", "Mars"], "no time zone \"Mars\"; use a name such as Europe/Zurich"),
            (["steps"], "no command \"steps\"; did you mean kymo stats steps?"),
            (["stas"], "no command \"stas\"; did you mean stats?"),
            (["stats", "steps", "--fromm", "2022"], "Did you mean '--from'?"),
            (
                ["ecg", "--last", "5d"],
                "Unknown option '--last'; \"kymo query ecg\" lists the recordings of a range; see"
            ),
            (["plot", "steps", "--json"], "Unknown option '--json'; \"kymo query TYPE --points 100\" and"),
            (["stats", "steps", "--on", "2022-05-10"], "a day is --from 2024-01-31 --to 2024-01-31"),
            (["stats", "steps", "--limit", "3"], "Unknown option '--limit'; --from, --to and --last select the rows"),
            (["stats", "steps", "--last", "30"], "'30' is no date; take 2024, 2024-01, 2024-01-31, 30d, yesterday"),
            (["sources", "--colour"], "Unknown option '--colour'; see \"kymo help sources\""),
            (["sleep", "yesterday"], "use --from yesterday --to yesterday; see"),
            (["stats", "steps", "30d"], "use --last 30d; see"),
            (["plot", "steps", "last month"], "use --from \"last month\" --to \"last month\"; see"),
            (["export", "a.csv", "pulse"], "use --types pulse; see"),
            (["report", "2022"], "2022 is a year; use --year 2022"),
            (["report", "yesterday"], "\"yesterday\" is a date; use --from yesterday --to yesterday"),
            (["plot"], "\"kymo types\" lists the types; see"),
            (["why", "2022-05-10", "steps"], "\"2022-05-10\" is a date; the type comes before it"),
            (["plot", "ecg"], "\"kymo ecg\" lists and draws electrocardiograms"),
        ])
    func suggestions(_ arguments: [String], _ text: String) throws {
        let outcome = try Tool.kymo.run(arguments, environment: ["KYMO_STORE": SampleStore.path, "LANG": "de_CH"])
        #expect(outcome.code == 64 && outcome.output.isEmpty)
        let errors = outcome.errors.replacingOccurrences(of: "\u{A0}", with: " ")
        #expect(errors.contains(text) && errors.split(separator: "\n").count == 1, "\(errors)")
    }

    @Test("units are taken as people write them")
    func units() throws {
        let directory = try TemporaryDirectory()
        let store = directory.file("store")
        let wanted: [([String], Double, String)] = [
            (["pulse", "72", "BPM"], 72, "count/min"), (["distance", "3", "miles"], 3, "mi"),
            (["distance", "3", "kilometres"], 3, "km"), (["water", "500", "ml"], 500, "mL"),
            (["temperature", "37.2", "C"], 37.2, "degC"), (["temperature", "98.6", "F"], 98.6, "degF"),
            (["weight", "154", "lbs"], 154, "lb"), (["weight", "154", "Pounds"], 154, "lb"),
            (["spo2", "97", "percent"], 0.97, "%"), (["glucose", "5.4", "mmol/L"], 5.4, "mmol<180.1558800000541>/L"),
            (["glucose", "97", "mg/dl"], 97, "mg/dL"), (["daylight", "2", "hours"], 2, "hr"),
            (["exercise", "30", "minutes"], 30, "min"),
        ]
        for (words, value, unit) in wanted {
            let outcome = try Tool.kymo.run(["add", "--store", store] + words)
            #expect(outcome.code == 0, "\(words): \(outcome.errors)")
            let uuid = outcome.output.trimmingCharacters(in: .newlines)
            let shown = try Tool.kymo.run(["show", uuid, "--format", "json", "--store", store])
            let item = try #require(try decodeOutput([Item].self, shown).first)
            #expect(item.value == value && item.unit == unit, "\(words)")
        }
        let miles = try kymo("stats", "distance", "--unit", "miles", "--csv").output
        #expect(try miles == kymo("stats", "distance", "--unit", "mi", "--csv").output)
    }

    @Test("a part of a source's name is enough, except for deletions, and an ambiguous part is refused")
    func sources() throws {
        let whole = try kymo("query", "steps", "--source", "Alex\u{2019}s iPhone", "--csv")
        #expect(whole.code == 0 && whole.output.split(separator: "\n").count > 10)
        for part in ["iphone", "alexs iphone", "ALEX'S IPH", "s i"] {
            #expect(try kymo("query", "steps", "--source", part, "--csv").output == whole.output, "\(part)")
        }
        let both = try kymo("query", "steps", "--source", "alex")
        #expect(both.code == 64 && both.errors.contains("several sources contain \"alex\": Alex"), "\(both.errors)")
        #expect(both.errors.contains("Watch, Alex"))
        let first = try kymo("stats", "steps", "--priority", "iphone", "--json").output
        #expect(try first == kymo("stats", "steps", "--priority", "Alex\u{2019}s iPhone", "--json").output)
        let delete = try kymo("delete", "steps", "--source", "iphone", "--all", "--dry-run")
        #expect(delete.code == 64 && delete.errors.contains("no source \"iphone\"; did you mean Alex"))
        #expect(try kymo("delete", "steps", "--source", "alex's iphone", "--all", "--dry-run").code == 0)
    }

    @Test("zones are taken in any case")
    func zones() throws {
        for (name, zone) in [
            ("europe/zurich", "Europe/Zurich"), ("AMERICA/NEW YORK", "America/New_York"), ("utc", "UTC"),
        ] {
            #expect(try kymo("query", "pulse", "--tz", name).output.contains("times in \(zone)\n"), "\(name)")
        }
    }

    /// Returns the words that a shell offers for the last word of a command line.
    private func completions(_ words: [String], at place: String) throws -> [String] {
        let line = ["kymo"] + words
        let call = ["---completion", words[0], "--", place, "\(line.count - 1)", "\(words.last?.count ?? 0)"] + line
        let environment = ["KYMO_STORE": SampleStore.path, "SAP_SHELL": "bash", "SAP_SHELL_VERSION": "5.2"]
        let outcome = try Tool.kymo.run(call, environment: environment)
        #expect(outcome.code == 0, "\(outcome.errors)")
        return outcome.output.split(separator: "\n").map { String($0) }
    }

    @Test("shells complete types, sources, units, zones and values")
    func completes() throws {
        #expect(try completions(["stats", "ste"], at: "positional@0") == ["stepCount", "steps"])
        #expect(try completions(["query", "elec"], at: "positional@0").contains("electrocardiogram"))
        #expect(
            try completions(["query", "heartb"], at: "positional@0").suffix(2) == ["heartbeatSeries", "heartbeats"])
        #expect(try completions(["query", "bloodPressure"], at: "positional@0").contains("bloodPressure"))
        #expect(try completions(["stats", "elec"], at: "positional@0") == ["electrodermalActivity"])
        #expect(try completions(["add", "foo"], at: "positional@0") == ["food"])
        let sources = try completions(["stats", "steps", "--source", "Alex"], at: "--source")
        #expect(sources.count == 2 && sources[1].hasSuffix("iPhone"), "\(sources)")
        #expect(try completions(["stats", "pulse", "--unit", ""], at: "--unit") == ["bpm", "count/min"])
        #expect(try completions(["stats", "distance", "--unit", "mi"], at: "--unit") == ["mi", "miles", "mile"])
        #expect(try completions(["stats", "steps", "--tz", "europe/zu"], at: "--tz") == ["Europe/Zurich"])
        #expect(try completions(["stats", "steps", "--tz", "zuric"], at: "--tz") == ["Europe/Zurich"])
        #expect(try completions(["stats", "steps", "--source", "iph"], at: "--source") == [sources[1]])
        #expect(try completions(["ecg", ""], at: "positional@0").count == 1)
        #expect(
            try completions(["export", "--types", "pulse,stepC"], at: "--types") == ["pulse,stepCount"])
        let values = try completions(["add", "sleep", "asleep"], at: "positional@1")
        #expect(values.contains("asleepREM") && values.allSatisfy { $0.hasPrefix("asleep") }, "\(values)")
        #expect(try completions(["add", "weight", "70", "k"], at: "positional@2").contains("kg"))
        let script = try Tool.kymo.run(["--generate-completion-script", "bash"]).output
        #expect(script.contains("'15m'$'\\n''hour'"))
    }
}
