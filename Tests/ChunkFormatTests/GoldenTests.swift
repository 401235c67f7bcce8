// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import Cipher
import Foundation
import Testing

@Suite("E-18 format versions: golden segments stay readable")
struct GoldenTests {
    /// Files that the recipe must reproduce byte by byte, with their recipes.
    private static let exact: [(name: String, recipe: @Sendable () throws -> [UInt8])] = [
        ("v1-predicted.kseg", { try GoldenRecipe.predicted() }),
        ("v1-windows.kseg", { try GoldenRecipe.windows() }),
    ]

    /// Files of earlier encoders with other choices: the test compares their samples, not their bytes.
    private static let older: [(name: String, recipe: @Sendable () throws -> [UInt8])] = [
        ("v1-columns.kseg", { try GoldenRecipe.columns() }),
        ("v1-tree.kseg", { try GoldenRecipe.tree() }),
    ]

    private func read(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: SampleFiles.golden.appendingPathComponent(name)))
    }

    @Test("The recipe reproduces the file, byte by byte", arguments: exact.map(\.name))
    func bytes(name: String) throws {
        let recipe = try #require(Self.exact.first { $0.name == name })
        let made = try recipe.recipe()
        guard let stored = try? read(name) else {
            let place = FileManager.default.temporaryDirectory.appendingPathComponent(name)
            try Data(made).write(to: place)
            Issue.record("golden file \(name) is missing; the output of the recipe was written to \(place.path)")
            return
        }
        #expect(made == stored, "\(made.count) bytes made, \(stored.count) stored: see Golden/README.md")
    }

    @Test("The encrypted segment and its keys are those of the recipe, and the stored keys open the stored segment")
    func encrypted() throws {
        let files = [
            (name: "v2-KEYS", bytes: try GoldenRecipe.keys().image.encoded()),
            (name: "v2-encrypted.kseg", bytes: try GoldenRecipe.encrypted()),
        ]
        for (name, made) in files {
            guard let stored = try? read(name) else {
                let place = FileManager.default.temporaryDirectory.appendingPathComponent(name)
                try Data(made).write(to: place)
                Issue.record("golden file \(name) is missing; the output of the recipe was written to \(place.path)")
                return
            }
            #expect(made == stored, "\(name)")
        }
        var secret = [UInt8](repeating: 1, count: 32)
        let keys = try KeyRing.open(
            KeysImage.decode(read("v2-KEYS")), with: StoreSecret(key: SecretBytes(wiping: &secret)))
        let runs = try EncryptedSegment.read(read("v2-encrypted.kseg"), keys: keys)
        #expect(runs.map(\.series) == [2, 9] && runs.map(\.blocks.count) == [2, 70])
        #expect(runs[0].blocks[0].starts.count == 200 && runs[1].blocks[69].starts.count == 3)
        #expect(runs[0].blocks[0].starts[0] / 1_000_000_000 == 1_735_689_600)
        let values = runs.flatMap(\.blocks).flatMap(\.values).map { Double(bitPattern: $0) }
        #expect(values.count == 530 && values.allSatisfy { 60..<69 ~= $0 })
    }

    @Test("Every sample of the file equals the recipe's", arguments: (exact + older).map(\.name))
    func content(name: String) throws {
        let recipe = try #require((Self.exact + Self.older).first { $0.name == name })
        let (stored, made) = (try TestSegment.read(read(name)), try TestSegment.read(recipe.recipe()))
        #expect(stored.runs == made.runs && stored.header == made.header)
    }

    @Test("Facts of the files that need no recipe still hold")
    func facts() throws {
        let columns = try TestSegment.read(read("v1-columns.kseg"))
        #expect(columns.runs.map(\.series) == [2, 3, 40, 41, 5_000_000_000])
        #expect(columns.footer.samples == 1041 && columns.footer.blocks == 7)
        #expect(columns.header.commit == 4711)
        let extremes = columns.runs[2].blocks[0]
        #expect(extremes.values[0] == (-0.0).bitPattern && extremes.starts[0] == .min && extremes.ends[0] == .max)
        let tree = try TestSegment.read(read("v1-tree.kseg"))
        #expect(tree.runs[0].blocks.count == 70)
        #expect(tree.runs[0].blocks[69].values.last == (Double((69 * 7 + 10) % 31) / 4).bitPattern)
    }

    @Test("Every changed byte of a golden file is an error", arguments: ["v1-tree.kseg"])
    func flips(name: String) throws {
        let bytes = try read(name)
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= UInt8(1 << (index % 8))
            #expect(throws: (any Error).self, "byte \(index)") { try TestSegment.read(changed) }
        }
    }
}
