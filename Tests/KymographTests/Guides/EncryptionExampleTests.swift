// SPDX-License-Identifier: Apache-2.0

import Kymograph
import TestSupport
import Testing

/// The example of `Docs/Guide/Encryption.md`.
@Suite("S-3 the example of the guide on encryption")
struct EncryptionExampleTests {
    @Test("an encrypted store is created with a key file, gets a recovery key, and is opened again")
    func encryption() throws {
        let temporary = try TemporaryDirectory()
        let directory = temporary.path

        // example encryption begins
        let file = try KeyFile.create(at: directory + "/health.key")
        var options = StoreOptions()
        options.key = file
        let store = try TimeSeriesStore.create(at: directory + "/health", options: options)

        let recovery = try StoreSecret.random()
        try store.keys?.add(recovery, label: "paper", isRecovery: true)
        print(try recovery.recoveryText() ?? "")  // for paper, and not for a log
        store.close()

        let again = try TimeSeriesStore.open(at: directory + "/health", mode: .readOnly, options: options)
        // example encryption ends

        #expect(again.keys?.slots.map(\.label) == ["key file", "paper"])
        again.close()
        options.key = KeyOnce(recovery)
        try TimeSeriesStore.open(at: directory + "/health", options: options).close()
    }
}
