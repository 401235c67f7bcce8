// SPDX-License-Identifier: Apache-2.0

import Cipher
import Foundation
import TestSupport

/// Bytes of hexadecimal digits.
func hex(_ text: some StringProtocol) -> [UInt8] {
    let digits = Array(text.utf8)
    return stride(from: 0, to: digits.count - 1, by: 2).map {
        UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16) ?? 0
    }
}

func secret(_ bytes: [UInt8]) throws -> SecretBytes {
    var bytes = bytes
    return try SecretBytes(wiping: &bytes)
}

func passphrase(_ text: String) throws -> StoreSecret {
    var bytes = Array(text.utf8)
    return try StoreSecret(passphrase: &bytes)
}

extension SecretBytes {
    func isEqual(_ other: SecretBytes) throws -> Bool { try equals(other.copy()) }
}

/// The files of known answers.
enum VectorFile {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Golden")

    static func lines(_ name: String) throws -> [[String]] {
        try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
            .split(separator: "\n").map { $0.split(separator: " ").map { $0 == "-" ? "" : String($0) } }
    }
}

/// SHAKE128 (FIPS 202), which C2SP's test of XAES-256-GCM uses as a source and as a hash.
struct Shake128 {
    private static let rate = 168
    private var lanes = [UInt64](repeating: 0, count: 25)
    private var position = 0
    private var isReading = false

    private static let rotations: [[UInt64]] = [
        [0, 36, 3, 41, 18], [1, 44, 10, 45, 2], [62, 6, 43, 15, 61], [28, 55, 25, 21, 56], [27, 20, 39, 8, 14],
    ]

    private static let constants: [UInt64] = {
        var state: UInt8 = 1
        return (0..<24).map { _ in
            var constant: UInt64 = 0
            for bit in 0..<7 {
                if state & 1 == 1 { constant ^= 1 << ((1 << UInt64(bit)) - 1) }
                state = state & 0x80 == 0 ? state << 1 : state << 1 ^ 0x71
            }
            return constant
        }
    }()

    private mutating func permute() {
        func rotate(_ value: UInt64, _ count: UInt64) -> UInt64 {
            count == 0 ? value : value << count | value >> (64 - count)
        }
        for constant in Self.constants {
            var sums = [UInt64](repeating: 0, count: 5)
            for x in 0..<5 { for y in 0..<5 { sums[x] ^= lanes[x + 5 * y] } }
            for x in 0..<5 {
                let mix = sums[(x + 4) % 5] ^ rotate(sums[(x + 1) % 5], 1)
                for y in 0..<5 { lanes[x + 5 * y] ^= mix }
            }
            var moved = lanes
            for x in 0..<5 {
                for y in 0..<5 { moved[y + 5 * ((2 * x + 3 * y) % 5)] = rotate(lanes[x + 5 * y], Self.rotations[x][y]) }
            }
            for x in 0..<5 {
                for y in 0..<5 {
                    lanes[x + 5 * y] = moved[x + 5 * y] ^ (~moved[(x + 1) % 5 + 5 * y] & moved[(x + 2) % 5 + 5 * y])
                }
            }
            lanes[0] ^= constant
        }
    }

    private mutating func mix(_ byte: UInt8, at place: Int) {
        lanes[place / 8] ^= UInt64(byte) << UInt64(place % 8 * 8)
    }

    mutating func write(_ bytes: [UInt8]) {
        for byte in bytes {
            mix(byte, at: position)
            position += 1
            if position == Self.rate {
                permute()
                position = 0
            }
        }
    }

    mutating func read(_ count: Int) -> [UInt8] {
        if !isReading {
            mix(0x1F, at: position)
            mix(0x80, at: Self.rate - 1)
            permute()
            position = 0
            isReading = true
        }
        return (0..<count).map { _ in
            if position == Self.rate {
                permute()
                position = 0
            }
            defer { position += 1 }
            return UInt8(truncatingIfNeeded: lanes[position / 8] >> UInt64(position % 8 * 8))
        }
    }
}
