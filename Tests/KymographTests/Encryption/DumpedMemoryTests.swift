// SPDX-License-Identifier: Apache-2.0

import FileSystem
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
        var text: [UInt8] = []
        let count = try FileReader("/proc/self/smaps").read(into: &text, count: 16 << 20)
        for line in String(decoding: text[..<count], as: UTF8.self).split(separator: "\n") {
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

    /// Counts the ranges of that memory that hold one of the secrets.
    private func count(_ secrets: [SecretBytes]) throws -> Int {
        let memory = open("/proc/self/mem", O_RDONLY)
        try #require(memory >= 0)
        defer { close(memory) }
        var count = 0
        var read = 0
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        for range in try dumped() {
            // The parts overlap by more than a secret.
            for start in stride(from: range.lowerBound, to: range.upperBound, by: buffer.count - 4_096) {
                let size = Int(min(range.upperBound - start, UInt64(buffer.count)))
                // Other threads may have returned the memory meanwhile.
                let got = unsafe pread(memory, &buffer, size, off_t(truncatingIfNeeded: start))
                if got <= 0 { continue }
                read += got
                for secret in secrets {
                    let isFound = try unsafe secret.withBytes { needle in
                        unsafe buffer.withUnsafeBytes { hay in
                            unsafe ByteSearch.contains(
                                UnsafeRawBufferPointer(rebasing: hay[..<got]), UnsafeRawBufferPointer(needle))
                        }
                    }
                    if isFound { count += 1 }
                }
            }
        }
        #expect(read > 1 << 20)
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
