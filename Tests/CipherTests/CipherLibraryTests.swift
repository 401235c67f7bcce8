// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Cipher

@Suite("E-21 encryption: the system's libcrypto")
struct CipherLibraryTests {
    /// The codes of `CCipher`, in their order.
    private static let kinds: [(code: Int32, kind: CipherError.Kind)] = [
        (1, .unavailable), (2, .unavailable), (3, .invalidArgument), (4, .failed), (5, .forged), (6, .forked),
        (99, .failed),
    ]

    @Test("The library loads, also from many threads at once")
    func loads() {
        let results = onThreads(16) { _ in (try? CipherLibrary.load()) != nil }
        #expect(results == [Bool](repeating: true, count: 16))
    }

    @Test("An absent library is an error that names the Debian package", arguments: [Int32(1), 2])
    func absent(code: Int32) {
        let error = #expect(throws: CipherError.self) { try CipherError.check(code, "load libcrypto") }
        #expect(error?.kind == .unavailable)
        #expect(error?.message.contains("apt-get install") == true && error?.message.contains("libssl3") == true)
    }

    @Test("Each code has its kind of error, and names the operation")
    func codes() throws {
        try CipherError.check(0, "do nothing")
        for (code, kind) in Self.kinds {
            let error = #expect(throws: CipherError.self) { try CipherError.check(code, "decrypt a page") }
            #expect(error?.kind == kind)
            if kind != .unavailable { #expect(error?.message.contains("decrypt a page") == true) }
        }
    }

    @Test("Errors of the disk keep their reason and path")
    func disk() {
        let error = CipherError(.corrupt, "damaged", path: "store/KEYS")
        #expect(error.description == "damaged [store/KEYS]")
        #expect(CipherError(.failed, "no memory").description == "no memory")
    }
}
