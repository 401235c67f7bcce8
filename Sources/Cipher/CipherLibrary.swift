// SPDX-License-Identifier: Apache-2.0
// Cipher: encryption of bytes, and the keys of an encrypted store. It knows no segment and no page.
//
// All cryptography is libcrypto's (`Docs/Decisions/0025-libcrypto-on-first-use.md`). `Docs/Format/Keys.md` describes
// the bytes of the files KEYS and KEYS.2; a test compares them with the code.

internal import CCipher

/// The system's libcrypto, which is loaded by the first call that needs it.
package enum CipherLibrary {
    /// The Debian package that has the library.
    package static let package = "libssl3"

    /// Loads the library and checks it with known answers. Later calls cost one load from memory.
    ///
    /// - Throws: `unavailable` if the library is missing or unsuitable.
    package static func load() throws(CipherError) {
        try CipherError.check(kc_load(), "load libcrypto")
    }

    /// The reason why the library is not available.
    static var detail: String { unsafe String(cString: kc_load_detail()) }
}
