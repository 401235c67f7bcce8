// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A file that stays open while inputs overwrite parts: recreating it for each input takes longer than reading
/// it.
struct EditedFile: Sendable {
    let original: [UInt8]
    private let descriptor: Int32

    /// Creates the file with these bytes.
    init(_ path: String, _ bytes: [UInt8]) {
        original = bytes
        descriptor = unsafe open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        put(bytes, at: 0)
    }

    func put(_ bytes: [UInt8], at place: Int) { put(bytes[...], at: place) }

    /// Restores the original bytes of a range.
    func restore(_ place: Int, _ count: Int) { put(original[place..<place + count], at: place) }

    private func put(_ bytes: ArraySlice<UInt8>, at place: Int) {
        let written = unsafe bytes.withUnsafeBytes { unsafe pwrite(descriptor, $0.baseAddress, $0.count, off_t(place)) }
        // A failure here is never caused by an input.
        require(written == bytes.count, "cannot write the file to edit")
    }
}
