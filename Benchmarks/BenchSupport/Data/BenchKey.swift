// SPDX-License-Identifier: Apache-2.0

import Kymograph

/// The key of encrypted stores of benchmarks: 32 bytes, as from a key file.
enum BenchKey {
    /// Returns options of a plain or an encrypted store.
    static func options(isEncrypted: Bool) throws -> StoreOptions {
        var options = StoreOptions()
        if isEncrypted {
            var key = [UInt8](repeating: 11, count: 32)
            options.key = KeyOnce(try StoreSecret(key: &key))
        }
        return options
    }
}
