// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("T-5 E-15 kymo compact")
struct KymoCompactTests {
    private struct Report: Decodable {
        var sequence: Int
        var steps: Int
        var samplesRemoved: Int
        var bytesBefore: Int
        var bytes: Int
        var retiredBytes: Int
    }

    private struct Info: Decodable {
        var deletedSamples: Int
        var deletions: Int
        var deletedBytes: Int
        var retiredBytes: Int
        var segmentBytes: Int
    }

    @Test("a compaction removes the bytes of deleted samples and does not change answers")
    func removes() throws {
        let directory = try TemporaryDirectory()
        let (backup, store) = (directory.file("backup"), directory.file("again"))
        #expect(try Tool.kymo.run(["backup", SampleStore.path, backup]).code == 0)
        #expect(try Tool.kymo.run(["restore", backup, store]).code == 0)
        #expect(try Tool.kymo.run(["delete", "heartRate", "--all", "--store", store]).code == 0)
        let answer = try Tool.kymo.run(["stats", "stepCount", "--by", "month", "--json", "--store", store])
        let before = try decodeOutput(Info.self, Tool.kymo.run(["info", "--json", "--store", store]))
        #expect(before.deletedSamples > 0 && before.deletedBytes > 0 && before.deletions > 0)
        let report = try decodeOutput(Report.self, Tool.kymo.run(["compact", store, "--json"]))
        #expect(report.steps == 1 && report.samplesRemoved == before.deletedSamples)
        #expect(report.bytes < report.bytesBefore && report.retiredBytes == 0)
        let after = try decodeOutput(Info.self, Tool.kymo.run(["info", "--json", "--store", store]))
        #expect(after.deletions == before.deletions)
        #expect(after.deletedSamples == 0 && after.deletedBytes == 0 && after.segmentBytes < before.segmentBytes)
        #expect(
            try Tool.kymo.run(["stats", "stepCount", "--by", "month", "--json", "--store", store]).output
                == answer.output)
        // Deleted samples of the tail are counted as well.
        for value in ["70", "71"] {
            let added = try Tool.kymo.run(["add", "leanBodyMass", value, "kg", "--store", store])
            #expect(added.code == 0, "\(added.errors)")
        }
        #expect(try Tool.kymo.run(["delete", "leanBodyMass", "--all", "--store", store]).code == 0)
        let tail = try Tool.kymo.run(["compact", "--store", store])
        #expect(tail.code == 0 && tail.output.contains("2 deleted samples removed"), "\(tail.output)")
        let again = try Tool.kymo.run(["compact", "--store", store])
        #expect(again.code == 0 && again.output.contains("0 deleted samples removed"))
        #expect(try Tool.kymo.run(["verify", "--store", store]).code == 0)
        #expect(try Tool.kymo.run(["compact", store, "--store", store]).code == 64)
        #expect(try Tool.kymo.run(["compact", directory.file("nothing")]).code == 1)
    }
}
