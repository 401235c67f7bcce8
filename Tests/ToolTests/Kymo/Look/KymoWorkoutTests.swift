// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("T-3 kymo workouts")
struct KymoWorkoutTests {
    private struct Row: Decodable {
        var id: String
        var start: String
        var activity: String
        var duration: Double
        var distance: Double?
        var energy: Double?
        var averagePulse: Double?
        var isIndoor: Bool?
        var uuid: String
    }

    private struct Details: Decodable {
        struct Split: Decodable {
            var distance: Double
            var duration: Double
            var pulse: Double?
        }
        struct Lap: Decodable {
            var strokeStyle: String?
            var strokes: Double?
            var swolf: Double?
        }
        struct Part: Decodable {
            var activity: String
            var distance: Double?
        }
        struct Slice: Decodable { var least: Double }
        struct Zones: Decodable {
            struct Duration: Decodable {
                var minimum: Double?
                var maximum: Double?
                var duration: Double
            }
            var type: String
            var unit: String
            var source: String
            var durations: [Duration]
        }
        var id: String
        var duration: Double
        var swolf: Double?
        var lapLength: Double?
        var pauses: [[String: String]]?
        var splits: [Split]?
        var laps: [Lap]?
        var parts: [Part]?
        var pulseSlices: [Slice]?
        var zones: [Zones]?
    }

    private let store: WorkoutStore

    init() async throws { store = try await WorkoutStore() }

    private func rows(_ arguments: String...) throws -> [Row] {
        try decodeOutput(
            [Row].self,
            Tool.kymo.run(
                ["workouts"] + arguments + ["--json"], environment: ["KYMO_STORE": store.path, "TZ": "UTC"]))
    }

    @Test("the list: the latest first, with totals, pace and short identities")
    func list() throws {
        let all = try rows()
        #expect(all.map { $0.activity.dropFirst(21) } == ["SwimBikeRun", "Swimming", "Running", "Cycling"])
        #expect(
            all.map(\.distance) == [15_750, 75, 3_250, 11_140] && all.map(\.duration) == [3_000, 120, 1_100, 1_800])
        #expect(all[2].start == "2024-04-01T07:00:00Z" && all[2].isIndoor == false && all[1].isIndoor == true)
        #expect(all[2].energy == 220 && all[2].averagePulse != nil && all[3].averagePulse == nil)
        let text = try store.run("workouts").output
        let lines = text.split(separator: "\n").map(String.init)
        #expect(lines.count == 6 && lines.allSatisfy { $0.count <= 100 && !$0.hasSuffix(" ") }, "\(text)")
        #expect(lines[0].hasPrefix("start                 activity"))
        #expect(lines[3].hasPrefix("Mon 2024-04-01 07:00  Running "), "\(text)")
        #expect(lines[3].contains("18:20    3.3 km  220 kcal  ") && lines[3].contains("5:38/km  \(all[2].id)"))
        #expect(lines[2].contains("75 m") && lines[2].contains("2:40/100 m") && lines[4].contains("22.3 km/h"))
        let wide = try Tool.kymo.run(
            ["workouts"], environment: ["KYMO_STORE": store.path, "TZ": "UTC", "COLUMNS": "110"]
        ).output.split(separator: "\n")
        #expect(wide[4].hasSuffix("  route") && !wide[3].hasSuffix("route"), "\(wide)")
        #expect(lines[5] == "4 workouts, 1:40:20, 30.2 km, 500 kcal            kymo workouts \(all[0].id)", "\(text)")
        let miles = try store.run("workouts", "--unit", "miles").output
        #expect(miles.contains("2.0 mi") && miles.contains("9:05/mi") && miles.contains("13.8 mph"), "\(miles)")
        let csv = try store.run("workouts", "--csv").output.split(separator: "\n")
        #expect(csv.count == 5 && csv[0].hasPrefix("id,start,end,activity,duration,distance,energy,averagePulse"))
    }

    @Test("periods, activities in everyday words, sources and a limit select workouts")
    func selects() throws {
        #expect(try rows("--from", "2024-04-02", "--to", "2024-04-03").map(\.distance) == [75])
        #expect(try rows("--to", "2023").count == 1 && rows("--last", "7d").isEmpty)
        for word in ["run", "Running", "jogging", "HKWorkoutActivityTypeRunning"] {
            #expect(try rows("--activity", word).map(\.distance) == [3_250], "\(word)")
        }
        #expect(try rows("--activity", "ride", "--activity", "swim").count == 2)
        #expect(try rows("--activity", "swim bike run").count == 1 && rows("--activity", "yoga").isEmpty)
        #expect(try rows("--limit", "2").count == 2)
        let limited = try store.run("workouts", "--limit", "3")
        #expect(limited.errors == "... and 1 more; --limit 4 shows all\n")
        let totals = try store.run("workouts", "--totals").output.split(separator: "\n").map(String.init)
        #expect(totals.count == 6 && totals[1].hasPrefix("Swim bike run") && totals[2].contains("11.1 km"))
    }

    @Test("one run: totals, pulse, splits and the pause")
    func run() throws {
        let id = try rows()[2].id
        let text = try store.run("workouts", id).output
        let lines = text.split(separator: "\n").map(String.init)
        #expect(lines[0].hasPrefix("Running, Monday 1 April 2024, 07:00 to 07:20, "), "\(text)")
        #expect(lines[1].hasPrefix("length 18:20   distance 3.25 km   pace 5:38/km   energy 220 kcal   pulse "))
        #expect(lines[2].hasPrefix(" 159 ┤") && lines[7].hasPrefix(" 100 ┤") && lines[8].contains("└ 07:00"))
        let splits = lines.drop { !$0.hasPrefix("kilometre") }.prefix(3).map {
            $0.split(separator: " ").map(String.init)
        }
        #expect(
            splits == [
                ["kilometre", "1", "2", "3", "0.25"], ["time", "6:40", "5:43", "4:46", "1:11"],
                ["pulse", "120", "136", "139", "156"],
            ], "\(text)")
        #expect(lines.last == "1 pause, 1:40: 07:10 to 07:11", "\(text)")
        #expect(lines.allSatisfy { $0.count <= 100 && !$0.hasSuffix(" ") })
        let details = try decodeOutput(Details.self, store.run("workouts", id, "--json"))
        #expect(details.id == id && details.duration == 1_100 && details.splits?.map(\.distance).last == 250)
        #expect(details.pauses?.count == 1 && details.splits?[0].pulse == 119.5)
        #expect(details.pulseSlices?.map(\.least).min() == 100)
        let uuid = try rows()[2].uuid
        #expect(try store.run("workouts", uuid).output == text)
        #expect(try store.run("workouts", id, "--unit", "mi").output.contains("\nmile "))
    }

    @Test("a workout with zones has a table of the time in each, and show and JSON have the times")
    func zones() throws {
        let id = try rows()[2].id
        let lines = try store.run("workouts", id).output.split(separator: "\n").map(String.init)
        #expect(
            lines.drop { !$0.hasPrefix("zone") }.prefix(4) == [
                "zone  pulse         time  share", "1     under 120     5:00   27 %",
                "2     120 to 140.5  7:00   38 %", "3     from 140.5    6:20   35 %",
            ], "\(lines)")
        let zones = try decodeOutput(Details.self, store.run("workouts", id, "--json")).zones
        #expect(zones?.map(\.type) == ["heartRate"] && zones?[0].unit == "count/min" && zones?[0].source == "app")
        #expect(zones?[0].durations.map(\.duration) == [300, 420, 380])
        #expect(zones?[0].durations.map(\.minimum) == [nil, 120, 140.5])
        #expect(zones?[0].durations.map(\.maximum) == [120, 140.5, nil])
        let shown = try store.run("show", id)
        #expect(shown.output.contains("heartRate 300 s, 420 s, 380 s"), "\(shown.output)")
        #expect(shown.output.contains("count/min") && !shown.output.contains("count/s"), "\(shown.output)")
        let json = try store.run("show", id, "--format", "json").output
        let words = json.filter { !$0.isWhitespace }
        #expect(words.contains("\"zones\":[{\"type\":\"heartRate\"") && words.contains("\"duration\":420"), "\(json)")
        let ride = try rows()[3].id
        #expect(try !store.run("workouts", ride).output.contains("zone"))
        #expect(try decodeOutput(Details.self, store.run("workouts", ride, "--json")).zones == nil)
    }

    @Test("a swim has laps with strokes and SWOLF, a triathlon parts")
    func laps() throws {
        let all = try rows()
        let swim = try store.run("workouts", all[1].id).output
        #expect(swim.contains("SWOLF 52") && swim.contains("pool 25 m   indoors"), "\(swim)")
        #expect(swim.contains("\nlap           1       2       3       4\n"), "\(swim)")
        #expect(swim.contains("\nstroke     free  breast    rest    free\n") && swim.contains("\nstrokes      18"))
        let laps = try decodeOutput(Details.self, store.run("workouts", all[1].id, "--json"))
        #expect(laps.laps?.map(\.strokes) == [18, 20, nil, 17] && laps.laps?.map(\.swolf) == [48, 55, nil, 52])
        #expect(laps.laps?[0].strokeStyle == "freestyle" && laps.lapLength == 25 && laps.swolf == 155 / 3.0)
        let latest = try store.run("workouts", "last").output
        #expect(latest.hasPrefix("Swim bike run, ") && latest.contains("\npart      start  length"), "\(latest)")
        #expect(latest.contains("\nCycling   07:16   16:40  12.00 km") && latest.contains("43.2 km/h"), "\(latest)")
        let parts = try decodeOutput(Details.self, store.run("workouts", "last", "--json"))
        #expect(parts.parts?.map(\.distance) == [750, 12_000, 3_000])
    }

    @Test("a ride with a route: a map, its size, the climb, and splits of the locations")
    func route() throws {
        let id = try rows()[3].id
        let text = try store.run("workouts", id).output
        let lines = text.split(separator: "\n").map(String.init)
        #expect(lines[1].contains("climbed 60 m"), "\(text)")
        let splits = lines.drop { !$0.hasPrefix("kilometre") }.prefix(2).map {
            $0.split(separator: " ").map(String.init)
        }
        #expect(splits.first?.count == 13 && splits.last?[1] == "2:42", "\(text)")
        let map = lines.filter { $0.hasPrefix("  ") && $0.contains { $0 >= "\u{2800}" && $0 <= "\u{28FF}" } }
        #expect(map.count == 14 && map.last?.hasPrefix("  ●") == true, "\(text)")
        #expect(map.map(\.count).max().map { (28...31).contains($0) } == true, "\(text)")
        #expect(
            text.contains("\nroute 11.11 km   2.8 km north to south   2.8 km west to east   401 locations"), "\(text)")
        let csv = try store.run("workouts", id, "--csv").output.split(separator: "\n")
        #expect(csv.count == 402 && csv[0] == "time,latitude,longitude,altitude,speed")
        #expect(csv[1] == "2023-09-14T07:00:00Z,46.95,7.44,540,6", "\(csv[1])")
        #expect(try store.run("workouts", id, "--json").output.contains("\"locations\":401"))
        let listed = try store.run("query", "routes", "--csv").output.split(separator: "\n")
        #expect(listed.count == 2 && listed[0] == "start,end,count,source,uuid" && listed[1].contains(",401,"))
        #expect(try store.run("types").output.contains("workoutRoute"))
    }

    @Test("query, types, show and today know workouts")
    func others() throws {
        let query = try store.run("query", "workouts", "--csv", "--from", "2024").output.split(separator: "\n")
        #expect(query.count == 4 && query[0] == "start,end,activity,duration,distance,energy,source,uuid")
        #expect(try store.run("query", "workout", "--limit", "1").output.contains("Cycling"))
        #expect(try store.run("types").output.contains("workout "))
        let stats = try store.run("stats", "workouts")
        #expect(stats.code == 64 && stats.errors.contains("\"kymo workouts\" lists workouts"), "\(stats.errors)")
        let one = try rows()[2]
        let shown = try store.run("show", one.uuid).output
        #expect(shown.contains("HKWorkoutActivityTypeRunning") && shown.contains("event     pause 2024-04-01 07:10:00"))
        #expect(
            shown.contains("\nstatistic HKQuantityTypeIdentifierDistanceWalkingRunning sum 3250 m\n"), "\(shown)")
        #expect(try store.run("show", one.id).output == shown && store.run("show", "ffffffff").code == 64)
        #expect(try store.run("show", one.uuid, "--format", "json").output.contains("\"duration\": 1100"))
        // UUIDs of one program begin alike; short identities do not.
        let all = try rows()
        let begin = String(all[0].uuid.prefix(8))
        let alike = all.filter { $0.uuid.hasPrefix(begin) }
        #expect(alike.count > 1)
        let ambiguous = try store.run("workouts", begin)
        #expect(ambiguous.code == 64 && ambiguous.errors.contains("begins the UUIDs of \(alike.count) objects; give "))
        #expect(alike.allSatisfy { ambiguous.errors.contains($0.id) }, "\(ambiguous.errors)")
        let today = try store.run().output
        #expect(today.hasPrefix("Friday, 5 April 2024, the latest day with data"), "\(today)")
        #expect(
            today.contains(
                "\nlast workout  Swim bike run, 15.8 km, 50 min, 5 April 07:00            kymo workouts\n"),
            "\(today)")
        let narrow = try Tool.kymo.run(
            [], environment: ["KYMO_STORE": store.path, "TZ": "UTC", "COLUMNS": "70"]
        ).output
        #expect(narrow.contains("50 min, 5 April 07:00\n"), "\(narrow)")
        #expect(try store.run("today", "--json").output.contains("\"lastWorkout\": {"))
    }

    @Test("delete removes workouts by identity, range and source, and keeps their samples")
    func deletes() throws {
        let all = try rows()
        #expect(
            try store.run("delete", "workouts", "--id", all[1].id, "--dry-run").output == "would delete 1 workout\n")
        #expect(try store.run("delete", "workouts", "--id", all[1].id).output == "deleted 1 workout\n")
        #expect(try rows().map(\.uuid) == [all[0], all[2], all[3]].map(\.uuid))
        #expect(try store.run("workouts", all[1].id).code == 64)
        #expect(try store.run("query", "distanceSwimming", "--csv").output.split(separator: "\n").count == 3)
        let range = try store.run("delete", "workout", "--to", "2023", "--json")
        #expect(range.output.contains("\"deleted\": 1") && range.output.contains("HKWorkoutTypeIdentifier"))
        #expect(try store.run("delete", "workouts", "--id", "ffffffff").code == 64)
        #expect(try store.run("delete", "weight", "--id", all[0].id).code == 64)
        #expect(try store.run("delete", "workouts", "--id", all[0].id, "--all").code == 64)
        #expect(try store.run("delete", "workouts").code == 64)
        #expect(try store.run("delete", "workouts", "--source", "nobody", "--all").code == 64)
        #expect(try store.run("delete", "workouts", "--all").output == "deleted 2 workouts\n")
        let none = try store.run("workouts")
        #expect(none.code == 0 && none.output.isEmpty && none.errors.contains("no workout is stored"))
        #expect(try store.run("verify").code == 0)
    }

    @Test("unknown identities and activities, and misplaced words, have advice")
    func refused() throws {
        func errors(_ arguments: String...) throws -> String {
            let outcome = try Tool.kymo.run(["workouts"] + arguments + ["--store", store.path])
            #expect(outcome.code == 64, "\(arguments)")
            return outcome.errors
        }
        #expect(try errors("zz").contains("see \"kymo workouts\""))
        #expect(try errors("yesterday").contains("use --from yesterday --to yesterday"))
        #expect(try errors("run").contains("use --activity"))
        #expect(try errors("--activity", "runing").contains("did you mean running?"))
        #expect(try errors("--activity", "\u{1B}[31m").contains("no activity"))
        #expect(try errors("last", "--last", "7d").contains("is one workout"))
        #expect(try errors("--limit", "0").contains("at least 1") && errors("--unit", "kg").contains("km"))
        #expect(try errors("last", "--csv").contains("has no route"))
        let none = try store.run("workouts", "--from", "2010", "--to", "2011")
        #expect(none.errors == "kymo: no such workout; the store has 4 workouts from 2023-09-14 to 2024-04-05\n")
        #expect(none.code == 0 && none.output.isEmpty)
    }

    @Test("the report has the hours of each week and the totals by activity")
    func report() throws {
        let page = try store.run("report", "-", "--year", "2024").output
        #expect(page.contains("<h2>Workouts</h2>") && page.contains("3 workouts · 1 h 10 min · 19.1 km"), "\(page)")
        #expect(page.contains("week of 2024-04-01: Swim bike run 50 min, Running 18 min, Swimming 2 min"))
        #expect(page.contains("<td>Running</td><td>1</td><td>18:20</td><td>3.3 km</td><td>220 kcal</td>"))
        #expect(page.contains("<td>3.3 km, 1 April 2024</td><td>5:38/km, 1 April 2024</td>"))
        #expect(page.contains("class=\"w0\"") && page.contains("<b>3</b><span>workouts</span>"))
    }

    @Test("version is a command and an option")
    func version() throws {
        let version = try store.run("--version")
        #expect(version.code == 0 && version.output == "0.1.0\n")
        #expect(try store.run("version").output == version.output)
    }

    @Test("a workout of centuries with a lap at its end is shown and exported")
    func centuries() throws {
        let directory = try TemporaryDirectory()
        let (file, store) = (directory.file("export.xml"), directory.file("store"))
        let workout = """
             <Workout workoutActivityType="HKWorkoutActivityTypeSwimming" duration="1" durationUnit="min" \
            sourceName="A" startDate="1700-01-01 08:00:00 +0000" endDate="2250-01-01 08:01:00 +0000">
              <WorkoutEvent type="HKWorkoutEventTypePause" date="1700-01-01 09:00:00 +0000"/>
              <WorkoutEvent type="HKWorkoutEventTypeLap" date="2249-12-31 08:01:00 +0000"/>
             </Workout>
            """
        try exportText([workout]).write(toFile: file, atomically: true, encoding: .utf8)
        #expect(try Tool.kymo.run(["import", file, "--store", store]).code == 0)
        let list = try Tool.kymo.run(["workouts", "--store", store, "--csv"]).output.split(separator: "\n")
        let id = try #require(list.last?.split(separator: ",").first.map(String.init))
        let shown = try Tool.kymo.run(["workouts", id, "--store", store])
        #expect(shown.code == 0 && shown.output.contains("Swimming"), "\(shown.errors)")
        #expect(try Tool.kymo.run(["show", id, "--store", store]).code == 0)
        #expect(try Tool.kymo.run(["export", directory.file("again.xml"), "--store", store]).code == 0)
    }
}
