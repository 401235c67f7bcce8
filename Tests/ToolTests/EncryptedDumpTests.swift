// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("T-7 E-21 chunk-dump shows encrypted segments and stores, with and without their key")
struct EncryptedDumpTests {
    private let store: EncryptedDumpStore

    init() throws { store = try EncryptedDumpStore() }

    private func isJSON(_ text: String, level: Int) -> Bool {
        let pieces = level == 4 ? text.split(separator: "\n").map(String.init) : [text]
        return !pieces.isEmpty
            && pieces.allSatisfy { (try? JSONSerialization.jsonObject(with: Data($0.utf8))) != nil }
    }

    @Test("With the key, every level of the segment and the store is as that of plain ones", arguments: 0...4)
    func opened(level: Int) throws {
        for path in [store.path, try store.segment] {
            let text = try store.open(path, "--level", "\(level)", "--verify")
            #expect(text.code == 0 && text.errors.isEmpty, "\(text)")
            #expect(text.output.contains("verification: no differences"), "\(text)")
            #expect(!text.output.contains("content is encrypted"), "\(text)")
            if level < 4 {
                let json = try store.open(path, "--level", "\(level)", "--verify", "--json")
                #expect(json.code == 0 && (path == store.path || isJSON(json.output, level: level)), "\(json)")
            }
        }
    }

    @Test("With the key, the content is the one that was stored")
    func content() throws {
        let all = try store.open(store.path).output + store.open(store.path, "--level", "4").output
        for text in ["StepCount", "2014-09-13T09:27:54", "77.125", "tail row", "key file", "recovery"] {
            #expect(all.contains(text), "\(text)")
        }
        let file = try store.open(store.segment).output
        for text in ["version 2", "generation 1", "AES-256-GCM", "salt", "run directory", "header and trailer", "tag"] {
            #expect(file.contains(text), "\(text): \(file)")
        }
        let bytes = try store.open(store.segment, "--level", "3", "--block", "0").output
        for text in ["the bytes are decrypted", "tag", "CRC-32C", "series 1", "why:"] {
            #expect(bytes.contains(text), "\(text): \(bytes)")
        }
        let list = try store.open(store.segment, "--level", "2", "--series", "1").output
        #expect(list.contains("10 samples, checksum ok") && !list.contains("series 2"), "\(list)")
        let json = try store.open(store.segment, "--json").output
        #expect(json.contains("\"generation\": 1") && json.contains("\"opened\": true"), "\(json)")
    }

    @Test("Without the key: sizes, kinds, checksums and slots, and nothing of the content", arguments: 0...4)
    func closed(level: Int) throws {
        for path in [store.path, try store.segment] {
            let text = try store.dump(path, "--level", "\(level)", "--verify")
            #expect(text.code == 0 && text.errors.isEmpty, "\(text)")
            #expect(text.output.contains("the content is encrypted: give its key with --key-file"), "\(text)")
            #expect(text.output.contains("verification: only checksums, without the key"), "\(text)")
            let json = try store.dump(path, "--level", "\(level)", "--verify", "--json")
            #expect(json.code == 0 && json.errors.isEmpty && json.output.contains("encrypt"), "\(json)")
            if path != store.path { #expect(isJSON(json.output, level: level)) }
            for secret in EncryptedDumpStore.contents {
                #expect(!(text.output + json.output).contains(secret), "\(secret) in \(text.output)")
            }
        }
    }

    @Test("Without the key, the units of a segment are listed with kind, size and checksum")
    func units() throws {
        let list = try store.dump(store.segment, "--level", "2").output
        let units = EncryptedDumpStore.units(Array(try Data(contentsOf: URL(fileURLWithPath: store.segment))))
        #expect(units.count == 6)
        for unit in units { #expect(list.contains("at \(unit.offset): \(unit.length) bytes, checksum ok"), "\(list)") }
        for kind in ["block 1", "index page", "run directory", "footer"] { #expect(list.contains(kind), "\(list)") }
        let store = try store.dump(store.path).output
        for text in ["key file", "recovery", "generation", "AES-256-GCM"] { #expect(store.contains(text), "\(store)") }
        let series = try self.store.dump(self.store.segment, "--level", "2", "--series", "1")
        #expect(series.code == 1 && series.errors.contains("--key-file"), "\(series)")
    }

    @Test("The environment gives the key, and the option comes first")
    func environment() throws {
        let file = try store.dump(store.path, environment: ["KYMO_KEY_FILE": store.key])
        #expect(file.code == 0 && file.output.contains("StepCount"), "\(file)")
        let command = try store.dump(store.path, environment: ["KYMO_KEY_COMMAND": "cat \(store.key)"])
        #expect(command.code == 0 && command.output.contains("StepCount"), "\(command)")
        let other = try store.dump(
            store.path, "--key-file", store.key, environment: ["KYMO_KEY_FILE": store.file("absent")])
        #expect(other.code == 0 && other.output.contains("StepCount"), "\(other)")
    }

    @Test("A wrong, missing or useless key ends with status 1 and says what to do")
    func wrongKey() throws {
        let other = store.file("other.key")
        #expect(try Tool.kymo.run(["key", "new", other]).code == 0)
        for path in [store.path, try store.segment] {
            let wrong = try store.dump(path, "--key-file", other)
            #expect(wrong.code == 1 && wrong.output.isEmpty, "\(wrong)")
            #expect(wrong.errors.contains("opens no slot") && wrong.errors.contains("--key-file FILE"), "\(wrong)")
            #expect(wrong.errors.split(separator: "\n").count == 1, "\(wrong)")
            let absent = try store.dump(path, "--key-file", store.file("absent"))
            #expect(absent.code == 1 && absent.errors.contains("No such file"), "\(absent)")
        }
        let golden = repository.appendingPathComponent("Tests/ChunkFormatTests/Golden/v1-columns.kseg").path
        let plain = try store.open(golden)
        #expect(plain.code == 1 && plain.errors.contains("no KEYS"), "\(plain)")
        // A variable of the environment may be meant for another store.
        #expect(try store.dump(golden, environment: ["KYMO_KEY_FILE": store.key]).code == 0)
        #expect(try store.dump(store.path, "--key-file", "").code == 64)
    }

    @Test("A backup has its own copy of the keys")
    func backup() throws {
        let backup = store.file("backup")
        let made = try Tool.kymo.run(["backup", "--store", store.path, backup, "--key-file", store.key])
        #expect(made.code == 0, "\(made)")
        let name = URL(fileURLWithPath: try store.segment).lastPathComponent
        for path in [backup, backup + "/segments/" + name] {
            let open = try store.open(path, "--level", "1", "--verify")
            #expect(open.code == 0 && open.output.contains("samples   15"), "\(open)")
            let closed = try store.dump(path, "--verify")
            #expect(closed.code == 0 && closed.output.contains("key file"), "\(closed)")
        }
    }
}
