// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("T-7 chunk-dump shows levels 0 to 4 of a segment or a store, also of a damaged file")
struct ChunkDumpTests {
    private let golden = repository.appendingPathComponent("Tests/ChunkFormatTests/Golden/v1-columns.kseg").path

    @Test("Every level is printed as text and as JSON", arguments: 0...4)
    func levels(level: Int) throws {
        let text = try Tool.chunkDump.run([golden, "--level", "\(level)"])
        #expect(text.code == 0, "\(text.errors)")
        #expect(text.output.count > 200)
        let json = try Tool.chunkDump.run([golden, "--level", "\(level)", "--json", "--verify"])
        #expect(json.code == 0, "\(json.errors)")
        // Level 4 prints values as lines of JSON, which can be read as a stream.
        let pieces = level == 4 ? json.output.split(separator: "\n").map(String.init) : [json.output]
        #expect(!pieces.isEmpty)
        for piece in pieces {
            #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(piece.utf8)) }
        }
    }

    @Test("The block list has encodings and bytes, the anatomy has the block's details, and level 4 has the values")
    func content() throws {
        let blocks = try Tool.chunkDump.run([golden, "--level", "2"]).output
        #expect(blocks.contains("value") && blocks.contains("start"))
        let anatomy = try Tool.chunkDump.run([golden, "--level", "3", "--block", "0"]).output
        #expect(anatomy.contains("kind"))
        let values = try Tool.chunkDump.run([golden, "--level", "4", "--series", "2", "--block", "0"]).output
        #expect(values.contains("2024-01-01T00:00:00.025000000Z"))
    }

    @Test("A damaged file ends with status 3 and shows its undamaged parts", arguments: [0.2, 0.5, 0.9])
    func damaged(place: Double) throws {
        let directory = try TemporaryDirectory()
        var bytes = try Data(contentsOf: URL(fileURLWithPath: golden))
        bytes[Int(Double(bytes.count) * place)] ^= 0x40
        let path = directory.file("damaged.kseg")
        try bytes.write(to: URL(fileURLWithPath: path))
        let dump = try Tool.chunkDump.run([path, "--level", "2", "--verify"])
        #expect(dump.code == 3, "\(dump.output)\(dump.errors)")
        #expect(dump.output.contains("block") || dump.output.contains("#"))
        let cut = directory.file("cut.kseg")
        try bytes.prefix(bytes.count * 2 / 3).write(to: URL(fileURLWithPath: cut))
        #expect(try Tool.chunkDump.run([cut, "--level", "4"]).code == 3)
    }

    @Test("A file that is not a segment and an invalid level are refused")
    func refused() throws {
        #expect(try Tool.chunkDump.run(["/nowhere.kseg"]).code == 1)
        #expect(try Tool.chunkDump.run([repository.appendingPathComponent("README.md").path]).code == 1)
        #expect(try Tool.chunkDump.run([golden, "--level", "7"]).code == 64)
    }

    @Test("An error is one line that begins with the program's name, and a mistyped option gets a suggestion")
    func messages() throws {
        let wrong: [([String], Int32, String)] = [
            ([golden, "--levle", "3"], 64, "Did you mean '--level'? See \"chunk-dump --help\""), ([], 64, "<path>"),
            ([golden, "--level", "9"], 64, "--level must be 0, 1, 2, 3 or 4; see"),
            ([golden, "--level", "x\n\u{1B}[2J"], 64, "\\u{1B}"), (["/nowhere.kseg"], 1, "no such file"),
        ]
        for (arguments, code, text) in wrong {
            let outcome = try Tool.chunkDump.run(arguments)
            #expect(outcome.code == code && outcome.output.isEmpty, "\(arguments)")
            #expect(outcome.errors.hasPrefix("chunk-dump: ") && outcome.errors.contains(text), "\(outcome.errors)")
            #expect(outcome.errors.split(separator: "\n").count == 1, "\(outcome.errors)")
        }
        #expect(try !Tool.chunkDump.run([golden]).output.contains("\u{1B}"), "colours without a terminal")
    }

    @Test("A store is shown with its segments and its catalog")
    func store() throws {
        let directory = try TemporaryDirectory()
        let sample = repository.appendingPathComponent("Docs/Samples/v03_tdda_iphone6s_2016.xml").path
        #expect(try Tool.kymo.run(["import", sample, "--store", directory.file("store")]).code == 0)
        let dump = try Tool.chunkDump.run([directory.file("store"), "--level", "0", "--verify"])
        #expect(dump.code == 0, "\(dump.errors)")
        #expect(dump.output.contains(".kseg") && dump.output.contains("StepCount"))
        // Numbers are grouped, and times have no more digits than they need.
        let first = try #require(dump.output.split(separator: "\n").first)
        #expect(first.hasSuffix(" bytes") && first.contains(" files, ") && first.contains(","), "\(first)")
        #expect(!dump.output.contains(".000000000Z") && dump.output.contains("Z  20"), "\(dump.output)")
        let segments = directory.file("store/segments")
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: segments).first)
        let alone = try Tool.chunkDump.run(["\(segments)/\(name)", "--level", "0"])
        #expect(alone.output.contains(": 1 file, "), "\(alone.output) \(alone.errors)")
    }

    @Test("The version is that of kymo")
    func version() throws {
        let version = try Tool.chunkDump.run(["--version"])
        #expect(try version.code == 0 && version.output == Tool.kymo.run(["--version"]).output)
    }
}
