// SPDX-License-Identifier: Apache-2.0

#if KYMOGRAPH_TESTING
    import Cipher
    import FileSystem

    extension StoreOptions {
        /// The key of all new stores in a run of the tests with KYMO_TEST_KEY=1. Plain stores open, too.
        private static let keyOfTests: KeyOnce? = {
            guard Environment.value("KYMO_TEST_KEY") == "1" else { return nil }
            var bytes = [UInt8](repeating: 7, count: 32)
            return (try? StoreSecret(key: &bytes)).map { KeyOnce($0) }
        }()

        mutating func useKeyOfTests() {
            guard let provider = Self.keyOfTests else { return }
            (key, isKeyOptional) = (provider, true)
        }
    }
#endif
