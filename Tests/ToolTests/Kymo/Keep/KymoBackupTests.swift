// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("T-5 E-16 kymo backup and restore")
struct KymoBackupTests {
    private struct Report: Decodable {
        var path: String
        var sequence: Int
        var segments: Int
        var segmentsCopied: Int
        var bytes: Int
        var bytesCopied: Int
    }

    @Test("a restored store gives the same answers, including the health layer")
    func roundTrip() throws {
        let directory = try TemporaryDirectory()
        let (backup, store) = (directory.file("backup"), directory.file("again"))
        let first = try decodeOutput(Report.self, Tool.kymo.run(["backup", SampleStore.path, backup, "--json"]))
        #expect(first.segments > 0 && first.segmentsCopied == first.segments && first.bytesCopied == first.bytes)
        let second = try decodeOutput(Report.self, kymo("backup", backup, "--json"))
        #expect(second.segmentsCopied == 0 && second.bytesCopied == 0 && second.bytes == first.bytes)
        let restored = try decodeOutput(Report.self, Tool.kymo.run(["restore", backup, store, "--json"]))
        #expect(restored.sequence == first.sequence)
        for command in [
            ["types", "--json"], ["sources", "--csv"], ["stats", "stepCount", "--by", "month", "--json"],
        ] {
            #expect(
                try Tool.kymo.run(command + ["--store", store]).output
                    == Tool.kymo.run(command + ["--store", SampleStore.path]).output)
        }
        #expect(try Tool.kymo.run(["verify", "--store", store]).code == 0)
        let again = try Tool.kymo.run(["restore", backup, store])
        #expect(again.code == 1 && again.errors.contains("choose another one"))
    }

    @Test("verify reads all of a backup, and other commands advise to restore it")
    func verify() throws {
        let directory = try TemporaryDirectory()
        let backup = directory.file("backup")
        #expect(try Tool.kymo.run(["backup", SampleStore.path, backup]).code == 0)
        let sound = try Tool.kymo.run(["verify", "--store", backup])
        #expect(sound.code == 0 && sound.output.hasPrefix("sound backup: "), "\(sound.output)\(sound.errors)")
        let store = try kymo("verify")
        #expect(sound.output == "sound backup" + store.output.dropFirst("sound".count))
        for command in [
            ["types"], ["sources"], ["stats", "stepCount"], ["query", "stepCount"], ["info"], ["export"], ["compact"],
            ["delete", "stepCount", "--all"], ["add", "bodyMass", "70", "kg"], ["import", SampleStore.export],
            ["repair", "--to", directory.file("new")], ["backup", directory.file("other")], ["watch", "stepCount"],
        ] {
            let outcome = try Tool.kymo.run(command + ["--store", backup])
            #expect(outcome.code == 1 && outcome.errors.contains("kymo restore"), "\(command): \(outcome.errors)")
        }
        #expect(try Tool.kymo.run(["verify", backup]).output == sound.output)
        #expect(try Tool.kymo.run(["verify", SampleStore.path]).output == store.output)
        for command in [["verify", backup], ["repair", backup, "--to", directory.file("new")]] {
            #expect(try Tool.kymo.run(command + ["--store", SampleStore.path]).code == 64, "two stores: \(command)")
        }
        #expect(try Tool.kymo.run(["verify", ""]).code == 64)
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: backup + "/segments").first)
        let file = URL(fileURLWithPath: backup + "/segments/" + name)
        var bytes = try Data(contentsOf: file)
        bytes[bytes.count / 2] ^= 1
        try bytes.write(to: file)
        let damaged = try Tool.kymo.run(["verify", "--store", backup])
        #expect(damaged.code == 3 && damaged.output.contains(name), "\(damaged.output)")
        let json = try Tool.kymo.run(["verify", "--json", "--store", backup])
        #expect(json.code == 3 && json.output.contains("\"backup\": true"), "\(json.output)")
    }

    @Test("damage and wrong usage have their exit statuses")
    func failures() throws {
        let directory = try TemporaryDirectory()
        let backup = directory.file("backup")
        #expect(try Tool.kymo.run(["backup", SampleStore.path, backup]).code == 0)
        let manifest = URL(fileURLWithPath: backup + "/MANIFEST")
        var bytes = try Data(contentsOf: manifest)
        bytes[bytes.count / 2] ^= 1
        try bytes.write(to: manifest)
        #expect(try Tool.kymo.run(["restore", backup, directory.file("again")]).code == 3)
        #expect(try Tool.kymo.run(["restore", directory.file("nothing"), directory.file("again")]).code == 1)
        #expect(try Tool.kymo.run(["backup", "a", "b", "c"]).code == 64)
    }
}
