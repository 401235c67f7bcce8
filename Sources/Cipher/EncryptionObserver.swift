// SPDX-License-Identifier: Apache-2.0

internal import CCipher

/// Reports of encryptions, for tests that look for repeated nonces. Only test builds report.
package enum EncryptionObserver {
    /// One encryption.
    package struct Report: Sendable, Hashable {
        /// Sixteen bytes that identify the key and its algorithm.
        package let key: [UInt8]
        package let nonce: [UInt8]
        /// A digest of associated data and plain text.
        package let digest: [UInt8]

        package init(key: [UInt8], nonce: [UInt8], digest: [UInt8]) {
            self.key = key
            self.nonce = nonce
            self.digest = digest
        }
    }

    /// Calls a function before each later encryption of this process, on its thread. Never removed.
    ///
    /// - Returns: false if this build does not report.
    package static func observe(_ observer: @escaping @Sendable (Report) -> Void) -> Bool {
        let context = unsafe Unmanaged.passRetained(Box(observer)).toOpaque()
        return unsafe kc_observe(
            { context, key, nonce, nonceCount, digest in
                guard let context = unsafe context, let key = unsafe key, let nonce = unsafe nonce,
                    let digest = unsafe digest
                else { return }
                unsafe Unmanaged<Box>.fromOpaque(context).takeUnretainedValue().observer(
                    Report(
                        key: Array(UnsafeBufferPointer(start: key, count: KC_TAG_BYTES)),
                        nonce: Array(UnsafeBufferPointer(start: nonce, count: nonceCount)),
                        digest: Array(UnsafeBufferPointer(start: digest, count: KC_DIGEST_BYTES))))
            }, context) == 1
    }

    private final class Box: Sendable {
        let observer: @Sendable (Report) -> Void
        init(_ observer: @escaping @Sendable (Report) -> Void) { self.observer = observer }
    }
}
