// SPDX-License-Identifier: Apache-2.0

import Cipher
import FileSystem
import TestSupport
import Testing

@Suite("E-21 encryption: memory for keys")
struct SecretBytesTests {
    /// Returns the lines of the mapping that holds an address.
    private func mapping(of address: UInt) throws -> [Substring] {
        var bytes: [UInt8] = []
        let count = try FileReader("/proc/self/smaps").read(into: &bytes, count: 16 << 20)
        let lines = String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n")
        var found: [Substring] = []
        for line in lines {
            let bounds = line.prefix { $0 != " " }.split(separator: "-")
            if bounds.count == 2, let low = UInt(bounds[0], radix: 16), let high = UInt(bounds[1], radix: 16) {
                if !found.isEmpty { break }
                if low <= address, address < high { found.append(line) }
            } else if !found.isEmpty {
                found.append(line)
            }
        }
        return found
    }

    @Test("The memory is locked, left out of core dumps and cleared in a forked child, by the kernel's account")
    func flags() throws {
        let secret = try SecretBytes(random: 32)
        let address = try unsafe secret.withBytes { UInt(bitPattern: $0.baseAddress) }
        let lines = try mapping(of: address)
        let flags = try #require(lines.first { $0.hasPrefix("VmFlags:") }).split(separator: " ")
        #expect(flags.contains("dd") && flags.contains("wf"))
        if SecretBytes.areLocked {
            #expect(flags.contains("lo"))
            let locked = try #require(lines.first { $0.hasPrefix("Locked:") })
            #expect(!locked.contains(" 0 kB"))
        }
    }

    @Test("An array that becomes a secret is wiped, also if it is no secret")
    func wiping() throws {
        var bytes: [UInt8] = Array(1...40)
        let secret = try SecretBytes(wiping: &bytes)
        #expect(bytes == [UInt8](repeating: 0, count: 40))
        #expect(try secret.equals(Array(1...40)) && secret.copy() == Array(1...40))
        var long = [UInt8](repeating: 1, count: SecretBytes.maximum + 1)
        #expect(throws: CipherError.self) { try SecretBytes(wiping: &long) }
        #expect(long.allSatisfy { $0 == 0 })
    }

    @Test("The bytes are zero after the secret's life")
    func end() throws {
        // Keeps the page in use.
        let neighbour = try SecretBytes(random: 32)
        var secret: SecretBytes? = try unsafe SecretBytes(count: 64) {
            unsafe $0.initializeMemory(as: UInt8.self, repeating: 7)
        }
        let address = try unsafe secret?.withBytes { UInt(bitPattern: $0.baseAddress) }
        secret = nil
        let here = try unsafe neighbour.withBytes { UInt(bitPattern: $0.baseAddress) }
        // Another test may have taken the place; its first bytes are then not 64 times seven either.
        if let address, address / 4096 == here / 4096, let memory = unsafe UnsafeRawPointer(bitPattern: address) {
            #expect(unsafe !UnsafeRawBufferPointer(start: memory, count: 64).allSatisfy { $0 == 7 })
        }
    }

    @Test("Many secrets of all sizes keep their bytes while others come and go")
    func many() throws {
        var random = SeededGenerator(seed: 5)
        var held: [(SecretBytes, [UInt8])] = []
        for _ in 0..<5_000 {
            if held.count > 60 || random.chance(0.4), !held.isEmpty {
                let (secret, bytes) = held.remove(at: random.below(held.count))
                #expect(try secret.equals(bytes))
            } else {
                let bytes = random.bytes(random.chance(0.1) ? random.below(SecretBytes.maximum + 1) : random.below(130))
                held.append((try secret(bytes), bytes))
            }
        }
        for (secret, bytes) in held { #expect(try secret.equals(bytes)) }
    }

    @Test("Parts, comparisons and sizes")
    func parts() throws {
        let secret = try secret(Array(0..<100))
        #expect(try secret.part(0..<0).count == 0 && secret.part(30..<60).equals(Array(30..<60)))
        #expect(try !secret.equals(Array(0..<99)) && !secret.equals(Array(1..<101)))
        #expect(throws: CipherError.self) { try unsafe SecretBytes(room: -1) { _ in 0 } }
        #expect(throws: CipherError.self) { try unsafe SecretBytes(room: .max) { _ in 0 } }
        let kept = try unsafe SecretBytes(room: 10) { memory in
            unsafe memory.initializeMemory(as: UInt8.self, repeating: 3)
            return 4
        }
        #expect(try kept.count == 4 && kept.equals([3, 3, 3, 3]))
        let full = try unsafe SecretBytes(room: 5) { _ in 99 }
        #expect(full.count == 5)
    }

    @Test("A failing source of random bytes is an error")
    func failingRandom() {
        let source = unsafe RandomSource { (_) throws(CipherError) in throw CipherError(.failed, "no random bytes") }
        #expect(throws: CipherError.self) { try SecretBytes(random: 32, from: source) }
        #expect(throws: CipherError.self) { try source.bytes(3) }
    }
}
