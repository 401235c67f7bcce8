// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import Cipher
@testable import Kymograph

@Suite("Keys in the memory that a core dump would contain (E-16)")
struct DumpedMemoryTests {
    /// Returns the ranges of this process's memory that a core dump contains: readable, and not left out (`dd`).
    private func dumped() throws -> [Range<UInt64>] {
        var found: [Range<UInt64>] = []
        var last: Range<UInt64>?
        for line in try String(contentsOfFile: "/proc/self/smaps", encoding: .utf8).split(separator: "\n") {
            let words = line.split(separator: " ")
            let ends = words[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
            if ends.count == 2 {
                let isOfProgram = words[1].hasPrefix("r") && !line.hasSuffix("[vvar]") && !line.hasSuffix("[vsyscall]")
                last = isOfProgram && words[1].hasSuffix("p") ? ends[0]..<ends[1] : nil
            } else if words[0] == "VmFlags:", let range = last, !words.contains("dd") {
                found.append(range)
            }
        }
        return found
    }

    /// Counts the places of the secrets in that memory.
    private func count(_ secrets: [SecretBytes]) throws -> Int {
        let memory = try #require(FileHandle(forReadingAtPath: "/proc/self/mem"))
        defer { try? memory.close() }
        var count = 0
        for range in try dumped() {
            for start in stride(from: range.lowerBound, to: range.upperBound, by: 1 << 20) {
                try memory.seek(toOffset: start)
                // Other threads may have returned the memory meanwhile.
                guard let bytes = try? memory.read(upToCount: Int(min(range.upperBound - start, (1 << 20) + 64)))
                else { continue }
                for secret in secrets {
                    let isFound = try unsafe secret.withBytes { needle in
                        unsafe bytes.withUnsafeBytes { hay in
                            unsafe ByteSearch.contains(hay, UnsafeRawBufferPointer(needle))
                        }
                    }
                    if isFound { count += 1 }
                }
            }
        }
        return count
    }

    @Test("neither the root key, nor keys of generations, nor the passphrase are in it")
    func keys() throws {
        let test = try EncryptedScratch()
        // Made without a text, whose memory nothing would wipe.
        var phrase = [UInt8](repeating: 0, count: 24)
        for index in phrase.indices { phrase[index] = UInt8.random(in: 97...122) }
        let secret = try StoreSecret(passphrase: &phrase)
        var options = test.options(secret)
        options.keyCost = .least
        let store = try TimeSeriesStore.create(at: test.path, options: options)
        _ = try EncryptedScratch.fill(store, 20_000)
        try store.keys?.rotate()
        _ = try store.verify()
        let ring = try #require(store.context.options.keys).ring
        let secrets = [ring.root, try ring.generation(1), try ring.generation(2), secret.bytes]
        #expect(try count(secrets) == 0)
        store.close()
        #expect(try count(secrets) == 0)
        // What the search would find.
        let copy = try ring.root.copy()
        #expect(try count([ring.root]) > 0)
        withExtendedLifetime(copy) {}
    }
}
