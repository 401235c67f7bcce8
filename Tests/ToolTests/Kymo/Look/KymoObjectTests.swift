// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("T-3 S-28 kymo add and kymo show")
struct KymoObjectTests {
    private struct Item: Decodable {
        struct Source: Decodable { var name: String }
        struct Entry: Decodable {
            var key: String
            var type: String
        }
        struct Member: Decodable {
            var uuid: String
            var type: String
            var value: Double
        }
        struct Part: Decodable {
            var uuid: String
            var type: String
        }
        var correlations: [Part]?
        var uuid: String
        var type: String
        var start: String
        var end: String?
        var created: String?
        var value: Double?
        var unit: String?
        var valueName: String?
        var source: Source
        var device: [String: String]?
        var metadata: [Entry]?
        var members: [Member]?
    }

    private let directory: TemporaryDirectory
    private var store: String { directory.file("store") }

    init() throws { directory = try TemporaryDirectory() }

    private func run(_ arguments: String...) throws -> Tool.Outcome {
        try Tool.kymo.run(arguments, environment: ["KYMO_STORE": store, "TZ": "UTC"])
    }

    private func show(_ uuid: String) throws -> Item {
        let items = try decodeOutput([Item].self, run("show", uuid, "--format", "json"))
        #expect(items.count == 1)
        return items[0]
    }

    /// Returns the identity that an addition prints.
    private func added(_ outcome: Tool.Outcome) throws -> String {
        #expect(outcome.code == 0, "\(outcome.errors)")
        let text = outcome.output.trimmingCharacters(in: .newlines)
        #expect(UUID(uuidString: text) != nil)
        return text
    }

    @Test("a quantity is added with its unit, date, device and metadata")
    func quantity() throws {
        let uuid = try added(
            run(
                "add", "bodyMass", "70.25", "kg", "--start", "2024-01-31T07:30", "--device", "name=Scale,model=X1",
                "--metadata", "HKLapLength=25 m", "--metadata", "note=after breakfast", "--metadata",
                "HKMetadataKeyTimeZone=Europe/Zurich"))
        let item = try show(uuid)
        #expect(item.uuid == uuid && item.type == "HKQuantityTypeIdentifierBodyMass")
        #expect(item.value == 70.25 && item.unit == "kg" && item.source.name == "kymo" && item.created != nil)
        #expect(item.start.hasPrefix("2024-01-31T07:30:00") && item.end == item.start)
        #expect(item.device == ["name": "Scale", "model": "X1"])
        let metadata = Dictionary(uniqueKeysWithValues: (item.metadata ?? []).map { ($0.key, $0.type) })
        #expect(
            metadata == [
                "HKWasUserEntered": "boolean", "HKLapLength": "quantity", "note": "string", "HKTimeZone": "string",
            ])
        let text = try run("show", uuid).output
        #expect(text.contains("70.25 kg") && text.contains("HKWasUserEntered = 1 (boolean)"))
        #expect(text.contains("name Scale, model X1") && text.contains("after breakfast"))
        // The default unit is the unit of stored samples.
        #expect(try show(added(run("add", "bodyMass", "71"))).unit == "kg")
        _ = try run("delete", "bodyMass", "--all")
        _ = try added(run("add", "bodyMass", "155", "lb", "--start", "2024-02-01"))
        #expect(try show(added(run("add", "bodyMass", "156"))).unit == "lb")
        #expect(try run("verify").code == 0)
    }

    @Test("a category is added by name or number")
    func category() throws {
        let uuid = try added(
            run("add", "sleepAnalysis", "asleepREM", "--start", "2024-01-30T23:10", "--end", "2024-01-31T06:40"))
        let item = try show(uuid)
        #expect(item.value == 5 && item.valueName == "HKCategoryValueSleepAnalysisAsleepREM" && item.unit == nil)
        #expect(item.end?.hasPrefix("2024-01-31T06:40") == true)
        let other = try added(run("add", "sleepAnalysis", "0", "--start", "2024-01-30", "--end", "2024-01-31"))
        #expect(try show(other).valueName == "HKCategoryValueSleepAnalysisInBed")
        #expect(try run("show", uuid, other).output.contains("HKCategoryValueSleepAnalysisAsleepREM (5)"))
    }

    @Test("a blood pressure and a meal are added with their members")
    func correlations() throws {
        let pressure = try show(added(run("add", "bloodPressure", "120/80", "--start", "2024-01-31T07:30")))
        #expect(pressure.type == "HKCorrelationTypeIdentifierBloodPressure" && pressure.value == nil)
        #expect(Set(pressure.members?.map(\.value) ?? []) == [120, 80])
        let member = try #require(pressure.members?.first { $0.value == 120 })
        #expect(try show(member.uuid).type == "HKQuantityTypeIdentifierBloodPressureSystolic")
        let meal = try show(
            added(
                run(
                    "add", "food", "dietaryProtein=12g,dietaryEnergyConsumed=250 kcal", "--metadata",
                    "HKFoodType=Soup")))
        #expect(Set(meal.members?.map(\.value) ?? []) == [12, 250])
        #expect(try run("show", meal.uuid).output.contains("HKFoodType = Soup"))
        // A sync identifier belongs to the correlation: a newer version replaces it together with its members.
        for (value, version) in [("130/85", 1), ("131/86", 2)] {
            let synced = try show(
                added(
                    run(
                        "add", "bloodPressure", value, "--start", "2024-02-01", "--metadata",
                        "HKMetadataKeySyncIdentifier=cuff-1", "--metadata", "HKMetadataKeySyncVersion=\(version)")))
            #expect(synced.metadata?.contains { $0.key == "HKMetadataKeySyncIdentifier" } == true)
            let member = try show(try #require(synced.members?.first?.uuid))
            #expect(member.metadata?.map(\.key) == ["HKWasUserEntered"])
        }
        #expect(try run("query", "bloodPressureSystolic", "--csv").output.split(separator: "\n").count == 3)
        // The added objects can be exported and imported into another store.
        let file = directory.file("out.xml")
        #expect(try run("export", file).errors.contains("6 records, 3 correlations"))
        let other = directory.file("other")
        #expect(try Tool.kymo.run(["import", file, "--store", other]).code == 0)
        #expect(try Tool.kymo.run(["export", "--store", other]).output.contains("HKFoodType"))
    }

    @Test("invalid additions are refused with advice and create no store")
    func refusals() throws {
        let wrong: [([String], String)] = [
            (["bodyMas", "70", "kg"], "bodyMass"), (["bodyMass", "seventy", "kg"], "not a number"),
            (["bodyMass", "70", "m"], "does not fit"), (["bodyMass", "70", "gk"], "gk"),
            (["sleepAnalysis", "dreaming"], "use one of inBed, asleepUnspecified, awake, asleepCore, asleepDeep"),
            (["sleepAnalysis", "1", "kg"], "has no unit"), (["bloodPressure", "120"], "120/80"),
            (["bloodPressure", "120/high"], "not a number"), (["food", "soup"], "dietaryProtein=12g"),
            (["bodyMass", "70", "kg", "--start", "yesteryear"], "yesteryear"),
            (["bodyMass", "70", "kg", "--start", "2024-02-01", "--end", "2024-01-01"], "before the start"),
            (["bodyMass", "70", "kg", "--metadata", "note"], "key=value"),
            (["bodyMass", "70", "kg", "--metadata", "HKWasUserEntered=perhaps"], "HKWasUserEntered"),
            (["bodyMass", "70", "kg", "--device", "colour=red"], "manufacturer="),
            (["menstrualFlow", "light"], "HKMenstrualCycleStart"),
            (["insulinDelivery", "3", "IU"], "HKInsulinDeliveryReason"),
        ]
        for (arguments, what) in wrong {
            let outcome = try Tool.kymo.run(["add"] + arguments, environment: ["KYMO_STORE": store, "TZ": "UTC"])
            #expect(outcome.code == 64, "\(arguments): \(outcome.errors)")
            #expect(outcome.errors.contains(what), "\(arguments): \(outcome.errors)")
            #expect(outcome.output.isEmpty)
        }
        #expect(!FileManager.default.fileExists(atPath: store))
    }

    @Test("an unknown or invalid identity is an error")
    func unknown() throws {
        _ = try added(run("add", "bodyMass", "70", "kg"))
        let uuid = UUID().uuidString
        let outcome = try run("show", uuid)
        #expect(outcome.code == 1 && outcome.errors.contains(uuid) && outcome.errors.contains("kymo query"))
        #expect(try run("show", "70").code == 64)
        #expect(try run("show", uuid, "--parts", "-1").code == 64)
        #expect(try run("show").code == 64)
    }

    @Test("imported samples are shown with the texts of the export and with their correlations")
    func imported() throws {
        struct Sample: Decodable { var uuid: String }
        let pressures = try decodeOutput([Sample].self, kymo("query", "bloodPressureSystolic", "--json"))
        let uuid = try #require(pressures.first?.uuid)
        let text = try kymo("show", uuid).output
        #expect(text.contains("source    Health 17.1") && text.contains("HKWasUserEntered = 1 (boolean)"))
        #expect(text.contains("saved     2022-05-01"))
        let sample = try decodeOutput([Item].self, kymo("show", uuid, "--format", "json"))[0]
        let part = try #require(sample.correlations?.first)
        #expect(sample.correlations?.count == 1 && text.contains("part of   \(part.type) \(part.uuid)"))
        let whole = try decodeOutput([Item].self, kymo("show", part.uuid, "--format", "json"))[0]
        #expect(whole.type == "HKCorrelationTypeIdentifierBloodPressure" && whole.start == sample.start)
        #expect(whole.members?.contains { $0.uuid == uuid } == true && whole.members?.count == 2)
    }

    @Test("types without values of their own are refused, also by watch")
    func watching() throws {
        _ = try added(run("add", "bloodPressure", "120/80"))
        for name in ["bloodPressure", "HKCorrelationTypeIdentifierBloodPressure"] {
            let outcome = try run("watch", name, "--exec", "true", "--once")
            #expect(outcome.code == 64 && outcome.errors.contains("bloodPressureSystolic"), "\(outcome.errors)")
        }
        let beats = try run("watch", "HKDataTypeIdentifierHeartbeatSeries", "--exec", "true", "--once")
        #expect(beats.code == 64 && beats.errors.contains("no samples with a value"), "\(beats.errors)")
    }
}
