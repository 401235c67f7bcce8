// SPDX-License-Identifier: Apache-2.0

import Bytes

// The header of a damaged file. Blocks of a plain segment are found without it. The key of an encrypted segment follows
// from all of its bytes, so a header that was guessed right is proved by the first unit that opens.
extension SegmentHeader {
    /// Returns the valid headers that differ from a damaged one in a single byte. Takes some 50 ms.
    ///
    /// - Parameter damaged: the first 128 bytes of a file.
    package static func withOneByteChanged(_ damaged: [UInt8]) -> [SegmentHeader] {
        var attempt = Array(damaged.prefix(encryptedSize))
        var found: [SegmentHeader] = []
        for index in attempt.indices {
            let byte = attempt[index]
            for change in UInt8(1)...255 {
                attempt[index] = byte ^ change
                if let header = try? decode(attempt, latest: SegmentFormat.encryptedVersion) { found.append(header) }
            }
            attempt[index] = byte
        }
        return found
    }

    /// Returns the headers of an encrypted segment of known ids whose commit and salt are those of a damaged one, for
    /// each generation.
    ///
    /// - Parameter damaged: the first 128 bytes of a file.
    package static func ofFields(
        _ damaged: [UInt8], store: [UInt8], segment: [UInt8], generations: [UInt8]
    ) -> [SegmentHeader] {
        guard damaged.count >= encryptedSize else { return [] }
        return generations.compactMap { generation in
            var header = SegmentHeader(
                store: store, segment: segment, commit: load64(damaged, commit.offset),
                encryption: Encryption(generation: generation, salt: Array(damaged[salt.range(from: 0)])))
            // Sets the checksum, which the footer names.
            var writer = ByteWriter(capacity: encryptedSize)
            guard (try? header.encode(into: &writer)) != nil else { return nil }
            return header
        }
    }
}
