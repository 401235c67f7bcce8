// SPDX-License-Identifier: Apache-2.0

@testable import WorkoutFiles

/// Writes FIT files for tests.
struct FITBuilder {
    struct Field {
        let number: UInt8
        let size: UInt8
        let type: UInt8
    }

    private var body: [UInt8] = []
    var isBigEndian = false

    /// The seconds from 1970 to the start of FIT's time.
    static let epoch = 631_065_600.0

    mutating func define(_ local: UInt8, _ message: UInt16, _ fields: [Field]) {
        let parts = [UInt8(message & 0xFF), UInt8(message >> 8)]
        body += [0x40 | local, 0, isBigEndian ? 1 : 0] + (isBigEndian ? parts.reversed() : parts)
        body.append(UInt8(fields.count))
        for field in fields { body += [field.number, field.size, field.type] }
    }

    /// Adds a message of numbers with their sizes.
    mutating func add(_ header: UInt8, _ values: [(UInt64, Int)]) {
        body.append(header)
        for (value, size) in values {
            let bytes = (0..<size).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
            body += isBigEndian ? bytes.reversed() : bytes
        }
    }

    mutating func add(raw bytes: [UInt8]) { body += bytes }

    /// The bytes of the file.
    var file: [UInt8] {
        let count = UInt32(body.count)
        var bytes: [UInt8] = [14, 0x10, 0x64, 0]
        bytes += (0..<4).map { UInt8(truncatingIfNeeded: count >> (8 * $0)) } + Array(".FIT".utf8)
        bytes += Self.checksum(bytes)
        bytes += body
        return bytes + Self.checksum(bytes)
    }

    /// The checksum bit by bit, unlike the table of the decoder.
    static func checksum(_ bytes: [UInt8]) -> [UInt8] {
        var crc: UInt16 = 0
        for byte in bytes {
            crc ^= UInt16(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xA001 : crc >> 1 }
        }
        return [UInt8(crc & 0xFF), UInt8(crc >> 8)]
    }
}
