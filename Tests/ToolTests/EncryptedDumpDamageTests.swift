// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("T-7 E-21 chunk-dump finds damage and forgery in encrypted segments and stores")
struct EncryptedDumpDamageTests {
    private let store: EncryptedDumpStore

    init() throws { store = try EncryptedDumpStore() }

    private func units() throws -> [EncryptedDumpStore.Unit] {
        EncryptedDumpStore.units(Array(try Data(contentsOf: URL(fileURLWithPath: store.segment))))
    }

    @Test("A flipped bit of any unit is corrupt, with and without the key", arguments: 0..<6)
    func flipped(index: Int) throws {
        let unit = try units()[index]
        try store.change(store.segment) { $0[unit.offset + unit.length / 2] ^= 1 }
        for level in 1...4 {
            let open = try store.open(store.segment, "--level", "\(level)", "--verify")
            #expect(open.code == 3 && open.output.contains("no intact unit in bytes"), "\(open)")
            // The other blocks are shown.
            if level == 4 { #expect(open.output.contains("2014-09-") && !open.output.contains("forged"), "\(open)") }
            let closed = try store.dump(store.segment, "--level", "\(level)")
            #expect(closed.code == 3 && closed.output.contains("no intact unit in bytes"), "\(closed)")
        }
        for dump in [try store.open(store.path, "--verify"), try store.dump(store.path, "--verify")] {
            #expect(dump.code == 3 && dump.output.contains("problem: segments/"), "\(dump)")
        }
    }

    @Test("A changed unit with the right checksum is forged; only the key shows it", arguments: 0..<6)
    func forged(index: Int) throws {
        let list = try units()
        try store.change(store.segment) { EncryptedDumpStore.forge(&$0, list[index]) }
        let kind = ["block", "block", "index page", "index page", "run directory", "footer"][index]
        for level in 1...4 {
            let open = try store.open(store.segment, "--level", "\(level)", "--verify")
            #expect(open.code == 3, "\(open)")
            #expect(open.output.contains("forged at offset \(list[index].offset): the \(kind)"), "\(open)")
            #expect(!open.output.contains("BAD") && !open.output.contains("no intact unit"), "\(open)")
            let json = try store.open(store.segment, "--level", "\(level)", "--json")
            #expect(json.code == 3 && json.output.contains("forged"), "\(json)")
        }
        let all = try store.open(store.path, "--verify")
        #expect(all.code == 3 && all.output.contains("forged at offset"), "\(all)")
        #expect(try store.dump(store.segment, "--verify").code == 0)
    }

    @Test("A forged block shows its encrypted bytes and its tag, and none of its samples")
    func forgedBlock() throws {
        let unit = try units()[0]
        try store.change(store.segment) { EncryptedDumpStore.forge(&$0, unit) }
        let list = try store.open(store.segment, "--level", "2").output
        #expect(list.contains("block 0 at 128") && list.contains("checksum ok, forged"), "\(list)")
        let bytes = try store.open(store.segment, "--level", "3", "--block", "0").output
        #expect(bytes.contains("encrypted") && bytes.contains("does not belong to the bytes"), "\(bytes)")
        #expect(!bytes.contains("the bytes are decrypted"), "\(bytes)")
        let values = try store.open(store.segment, "--level", "4").output
        #expect(!values.contains("2014-09-13T") && values.contains("2014-09-20T"), "\(values)")
        let sections = try store.open(store.segment).output
        #expect(sections.contains("1 of 2 forged"), "\(sections)")
    }

    @Test("A single damaged byte of the header is repaired in memory: the first unit that opens proves it")
    func header() throws {
        let sound = try store.open(store.segment, "--level", "4").output
        // Magic, version, features, length, ids, commit, generation, cipher, checksums, salt, reserved bytes.
        for at in [3, 8, 10, 12, 20, 40, 50, 56, 57, 61, 64, 95, 100, 127] {
            try store.change(store.segment) { $0[at] ^= 0x15 }
            let open = try store.open(store.segment, "--level", "4")
            #expect(open.code == 3, "byte \(at): \(open)")
            #expect(open.output.hasPrefix(sound.split(separator: "\n")[0]), "byte \(at): \(open)")
            #expect(open.output.contains("426") && open.output.contains("2014-09-20T09:43:59"), "byte \(at): \(open)")
            let file = try store.open(store.segment)
            #expect(file.output.contains("a unit opens with the key"), "byte \(at): \(file)")
            let closed = try store.dump(store.segment, "--level", "2")
            #expect(closed.code == 3 && closed.output.contains("run directory at"), "byte \(at): \(closed)")
            try store.change(store.segment) { $0[at] ^= 0x15 }
        }
    }

    @Test("A header with intact ids and salt is enough, and one without its salt gives no key")
    func lostHeader() throws {
        try store.change(store.segment) { for at in Array(0..<14) + [58, 60, 62, 100, 125] { $0[at] = 0xEE } }
        let open = try store.open(store.segment, "--level", "4")
        #expect(open.code == 3 && open.output.contains("426"), "\(open)")
        try store.change(store.segment) { for at in 70..<80 { $0[at] ^= 0xEE } }
        let lost = try store.open(store.segment, "--level", "4")
        #expect(lost.code == 3 && lost.output.contains("no repair of the header"), "\(lost)")
        #expect(!lost.output.contains("2014-09"), "\(lost)")
    }

    @Test("A cut file is corrupt, and its units are shown")
    func cut() throws {
        let last = try #require(try units().last)
        try store.change(store.segment) { $0.removeLast(last.length) }
        let open = try store.open(store.segment, "--level", "4")
        #expect(open.code == 3 && open.output.contains("2014-09-13T09:27:54"), "\(open)")
        let closed = try store.dump(store.segment)
        #expect(closed.code == 3 && closed.output.contains("does not end with an intact footer"), "\(closed)")
    }

    @Test("A plain segment or catalog in an encrypted store is forged")
    func plain() throws {
        let golden = repository.appendingPathComponent("Tests/ChunkFormatTests/Golden/v1-columns.kseg")
        let segment = try store.segment
        try Data(contentsOf: golden).write(to: URL(fileURLWithPath: segment))
        for dump in [
            try store.open(segment), try store.dump(segment), try store.open(store.path), try store.dump(store.path),
        ] {
            #expect(dump.code == 3 && dump.output.contains("a plain segment in an encrypted store"), "\(dump)")
        }
        let sample = repository.appendingPathComponent("Docs/Samples/v03_tdda_iphone6s_2016.xml").path
        #expect(try Tool.kymo.run(["import", sample, "--store", store.file("plain")]).code == 0)
        try store.change(store.path + "/kymograph.sqlite") {
            $0 = Array(try Data(contentsOf: URL(fileURLWithPath: store.file("plain/kymograph.sqlite"))))
        }
        let catalog = try store.open(store.path)
        #expect(catalog.code == 3 && catalog.output.contains("catalog is unreadable"), "\(catalog)")
        let closed = try store.dump(store.path)
        #expect(closed.code == 3 && closed.output.contains("a plain catalog in an encrypted store"), "\(closed)")
    }

    @Test("Damaged pages of the catalog are found with and without the key")
    func catalog() throws {
        let file = store.path + "/kymograph.sqlite"
        let pages = try Data(contentsOf: URL(fileURLWithPath: file)).count / 4096
        try store.change(file) { bytes in for page in 1..<pages { bytes[page * 4096 + 99] ^= 1 } }
        for dump in [try store.open(store.path), try store.dump(store.path, "--verify")] {
            #expect(dump.code == 3 && dump.output.contains("kymograph.sqlite"), "\(dump)")
        }
        try store.change(file) { $0[4070] ^= 1 }
        #expect(try store.dump(store.path, "--verify").code == 3)
    }

    @Test("One damaged copy of the keys is a problem, two of them leave the store closed, and none is named")
    func keys() throws {
        try store.change(store.path + "/KEYS.2") { $0[40] ^= 1 }
        let one = try store.open(store.path)
        #expect(one.code == 3 && one.output.contains("KEYS.2: this copy") && one.output.contains("StepCount"), "\(one)")
        try store.change(store.path + "/KEYS") { $0[50] ^= 1 }
        for dump in [try store.open(store.path), try store.open(store.segment)] {
            #expect(dump.code == 3 && dump.output.contains("KEYS and KEYS.2 are damaged"), "\(dump)")
            #expect(!dump.output.contains("StepCount") && !dump.output.contains("2014-09"), "\(dump)")
        }
        for name in ["KEYS", "KEYS.2"] { try FileManager.default.removeItem(atPath: store.path + "/" + name) }
        let none = try store.dump(store.path)
        #expect(none.code == 3 && none.output.contains("has no KEYS"), "\(none)")
        let refused = try store.open(store.path)
        #expect(refused.code == 1 && refused.errors.contains("restore its KEYS"), "\(refused)")
    }
}
