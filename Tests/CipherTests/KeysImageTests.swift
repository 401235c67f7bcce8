// SPDX-License-Identifier: Apache-2.0

import Cipher
import Foundation
import TestSupport
import Testing

@Suite("E-21 encryption: the bytes of KEYS")
struct KeysImageTests {
    private static let golden = VectorFile.folder.appendingPathComponent("KEYS")

    /// The lines of an image without the last one.
    private func text(_ image: KeysImage) -> String {
        String(decoding: image.encoded().dropLast(13), as: UTF8.self)
    }

    @Test("The recipe reproduces the golden file, and each of its secrets opens it")
    func golden() throws {
        let bytes = try KeySamples.full().image.encoded()
        guard let stored = try? Array(Data(contentsOf: Self.golden)) else {
            try Data(bytes).write(to: Self.golden)
            Issue.record("golden file KEYS is missing; the output of the recipe was written to it")
            return
        }
        #expect(bytes == stored)
        let image = try KeysImage.decode(stored)
        #expect(image.encoded() == stored && image.number == 4 && image.store == KeySamples.store)
        #expect(image.slots.map(\.label) == ["mine", "usb stick", "Büro, paper"])
        #expect(image.generations.map(\.day) == ["2026-11-24", "2027-01-02"] && image.newest == 2)
        let key = try KeySamples.full().pageKey(generation: 2)
        for secret in try [passphrase("correct horse"), KeySamples.key(2), KeySamples.key(3)] {
            #expect(try KeyRing.open(image, with: secret).pageKey(generation: 2).isEqual(key))
        }
    }

    @Test("Each changed bit is noticed, and each missing or additional byte")
    func flips() throws {
        let bytes = try KeySamples.full().image.encoded()
        for bit in 0..<8 * bytes.count {
            var changed = bytes
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            let error = #expect(throws: CipherError.self) { try KeysImage.decode(changed) }
            #expect(error?.kind == .corrupt)
        }
        for count in 0..<bytes.count {
            #expect(throws: CipherError.self) { try KeysImage.decode(Array(bytes[..<count])) }
            #expect(throws: CipherError.self) { try KeysImage.decode(bytes[..<count] + [10] + bytes[count...]) }
        }
        #expect(throws: CipherError.self) { try KeysImage.decode(bytes + bytes) }
    }

    @Test("Each changed bit with a corrected checksum is refused: no key gets out")
    func forging() throws {
        let ring = try KeySamples.ring().adding(KeySamples.file(2, "two")).addingGeneration(day: "2027-01-02")
        let bytes = ring.image.encoded()
        let secrets = try [KeySamples.key(1), KeySamples.key(2)]
        var kinds: [CipherError.Kind: Int] = [:]
        for bit in 0..<8 * (bytes.count - 13) {
            var changed = bytes
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            changed = KeySamples.repaired(changed)
            for secret in secrets {
                do throws(CipherError) {
                    _ = try KeyRing.open(try KeysImage.decode(changed), with: secret)
                    Issue.record("bit \(bit) of the keys was changed without an error")
                } catch { kinds[error.kind, default: 0] += 1 }
            }
        }
        #expect(kinds[.forged, default: 0] > 2_000 && kinds[.corrupt, default: 0] > 100, "\(kinds)")
        #expect(Set(kinds.keys).isSubset(of: [.forged, .corrupt, .wrongKey, .newerFormat]))
    }

    @Test("Hostile numbers are refused before any key is derived")
    func hostileCosts() throws {
        let full = try text(KeySamples.full().image)
        let numbers = [
            "21 8 1", "13 8 1", "0 8 1", "-1 8 1", "64 8 1", "17 7 1", "17 9 1", "17 8 0", "17 8 5", "17 8 -1",
            "9223372036854775807 8 1", "17 9223372036854775807 1", "17 8 99999999999999999999", "17 8", "17 8 1 1",
        ]
        #expect(full.contains(" scrypt 14 8 1 "))
        for number in numbers {
            let changed = full.replacingOccurrences(of: " scrypt 14 8 1 ", with: " scrypt \(number) ")
            let error = #expect(throws: CipherError.self) { try KeysImage.decode(KeySamples.repaired(changed)) }
            #expect(error?.kind == .corrupt)
        }
    }

    @Test("Other texts of the same content are refused, and later formats are named")
    func forms() throws {
        let image = try KeySamples.full().image
        let text = text(image)
        func kind(_ old: String, _ new: String) -> CipherError.Kind? {
            #expect(text.contains(old), "\(old)")
            let changed = text.replacingOccurrences(of: old, with: new)
            do throws(CipherError) { _ = try KeysImage.decode(KeySamples.repaired(changed)) } catch {
                return error.kind
            }
            return nil
        }
        #expect(kind("number 4", "number 4") == nil)
        let changes = [
            ("number 4", "number 04"), ("number 4", "number +4"), ("number 4", "number 0"), ("number 4", "number"),
            ("number 4", "number 18446744073709551616"), ("store 3c3542d7", "store 3C3542D7"),
            ("store 3c3542d7-", "store 3c3542d7"), ("generation 2", "generation 1"), ("generation 1 ", "generation 0 "),
            ("generation 2", "generation 256"), ("generation 1 2026-11-24", "generation 1 2026-11-2x"),
            ("generation 1 ", "generation 1  "), ("slot file", "slot files"), ("slot file", "slot  file"),
            ("\"usb stick\"", "\"\""), ("\"usb stick\"", "\"mine\""), ("\"usb stick\"", "\"u\\sb\""),
            ("\"usb stick\"", "\"u\u{7}b\""), ("\"usb stick\"", "\"u\u{85}b\""), ("\"usb stick\"", "\"u\u{2028}b\""),
            ("\"usb stick\"", "\"" + String(repeating: "x", count: 65) + "\""), ("\"usb stick\"", "usb"),
            ("slot recovery", "slot recovery \"a\" x\nslot recovery"), ("mac ", "mac  "), ("\nmac", "\n\nmac"),
            ("kymograph keys 1", "kymograph keys 01"), ("kymograph keys 1", "kymograph keys -1"),
            ("kymograph keys", "Kymograph keys"), ("cipher aes-256-gcm\n", ""),
        ]
        for (old, new) in changes { #expect(kind(old, new) == .corrupt, "\(old) -> \(new)") }
        #expect(kind("kymograph keys 1", "kymograph keys 2") == .newerFormat)
        #expect(kind("cipher aes-256-gcm", "cipher aegis-256") == .newerFormat)
        let slots = text.split(separator: "\n").filter { $0.hasPrefix("slot file") }
        let many = (0..<30).map { slots[0].replacingOccurrences(of: "usb stick", with: "s\($0)") }
        #expect(kind(slots[0] + "\n", many[..<29].joined(separator: "\n") + "\n" + slots[0] + "\n") == nil)
        #expect(kind(slots[0] + "\n", many.joined(separator: "\n") + "\n" + slots[0] + "\n") == .corrupt)
        #expect(throws: CipherError.self) { try KeysImage.decode([UInt8](repeating: 65, count: 70_000)) }
    }

    @Test("Random changes of a file with a correct checksum never trap")
    func random() throws {
        var random = SeededGenerator(seed: 9)
        let bytes = try KeySamples.full().image.encoded()
        for _ in 0..<20_000 {
            var changed = bytes
            for _ in 0...random.below(4) {
                let place = random.below(changed.count - 13)
                switch random.below(4) {
                case 0: changed[place] = random.pick(Array("\" \n=09Az\\-".utf8))
                case 1: changed.remove(at: place)
                case 2: changed.insert(random.pick(Array("\" \n=0".utf8)), at: place)
                default: changed.removeSubrange(place..<min(place + random.below(50), changed.count - 13))
                }
            }
            changed = KeySamples.repaired(changed)
            do throws(CipherError) {
                let image = try KeysImage.decode(changed)
                #expect(image.encoded() == changed)
            } catch { #expect([.corrupt, .newerFormat].contains(error.kind)) }
        }
    }

    @Test("The page shows the golden file")
    func page() throws {
        let root = VectorFile.folder.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(contentsOf: root.appendingPathComponent("Docs/Format/Keys.md"), encoding: .utf8)
        let golden = try String(contentsOf: Self.golden, encoding: .utf8).split(separator: "\n").map { line in
            line.split(separator: " ").map { field in
                field.count > 40 && !field.contains("-") ? "\(field.prefix(8))...\(field.suffix(4))" : String(field)
            }.joined(separator: " ")
        }
        #expect(page.contains(golden.joined(separator: "\n")))
        for number in [KeysImage.maximumBytes, KeysImage.maximumSlots, KeysImage.maximumGenerations] {
            #expect(page.replacingOccurrences(of: ",", with: "").contains("\(number)"))
        }
    }
}
