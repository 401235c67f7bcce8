// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

/// An encrypted store with a segment and a tail, its key, and functions that damage and forge its files.
struct EncryptedDumpStore {
    /// Texts and numbers of the samples, as they appear in a dump with the key.
    static let contents = ["StepCount", "2014-09-13", "141060", "BodyMass", "77.125", "Marker Watch", "Etc/UTC"]

    private let directory: TemporaryDirectory
    let path: String
    let key: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("store")
        key = directory.file("store.key")
        let sample = repository.appendingPathComponent("Docs/Samples/v03_tdda_iphone6s_2016.xml").path
        for arguments in [
            ["key", "new", key], ["import", sample, "--store", path, "--encrypt", "--key-file", key],
            ["add", "bodyMass", "77.125", "kg", "--store", path, "--key-file", key],
        ] {
            let outcome = try Tool.kymo.run(arguments)
            if outcome.code != 0 { throw CocoaError(.fileWriteUnknown, userInfo: ["kymo": outcome.errors]) }
        }
    }

    func file(_ name: String) -> String { directory.file(name) }

    /// The path of the segment.
    var segment: String {
        get throws {
            let names = try FileManager.default.contentsOfDirectory(atPath: path + "/segments")
            guard let name = names.first(where: { $0.hasSuffix(".kseg") }) else {
                throw CocoaError(.fileNoSuchFile)
            }
            return path + "/segments/" + name
        }
    }

    /// Runs `chunk-dump` without the key.
    func dump(_ arguments: String..., environment: [String: String] = [:]) throws -> Tool.Outcome {
        let none = ["KYMO_KEY_FILE": "", "KYMO_KEY_COMMAND": "", "CREDENTIALS_DIRECTORY": ""]
        return try Tool.chunkDump.run(arguments, environment: none.merging(environment) { $1 })
    }

    /// Runs `chunk-dump` with the key.
    func open(_ arguments: String...) throws -> Tool.Outcome {
        try Tool.chunkDump.run(arguments + ["--key-file", key])
    }

    // MARK: damage

    func change(_ file: String, _ body: (inout [UInt8]) throws -> Void) throws { try Self.change(file, body) }

    /// Changes the bytes of a file.
    static func change(_ file: String, _ body: (inout [UInt8]) throws -> Void) throws {
        let url = URL(fileURLWithPath: file)
        var bytes = Array(try Data(contentsOf: url))
        try body(&bytes)
        try Data(bytes).write(to: url)
    }

    /// A unit of a segment.
    struct Unit {
        let offset: Int
        let length: Int
    }

    /// Returns the units of an encrypted segment, from their clear lengths.
    static func units(_ bytes: [UInt8]) -> [Unit] {
        var list: [Unit] = []
        var at = 128
        while at + 8 <= bytes.count {
            let length = (0..<4).reduce(0) { $0 | Int(bytes[at + 4 + $1]) << (8 * $1) }
            if length < 28 { break }
            list.append(Unit(offset: at, length: length))
            at += length
        }
        return list
    }

    /// Flips a bit of the ciphertext of a unit, and writes the right checksum.
    static func forge(_ bytes: inout [UInt8], _ unit: Unit) {
        bytes[unit.offset + 10] ^= 4
        let end = unit.offset + unit.length - 4
        let position = (0..<8).map { UInt8(truncatingIfNeeded: UInt64(unit.offset) >> UInt64(8 * $0)) }
        let covered = bytes[16..<48] + [UInt8](repeating: 0, count: 8) + position + bytes[unit.offset..<end]
        let sum = crc32c(covered)
        for index in 0..<4 { bytes[end + index] = UInt8(truncatingIfNeeded: sum >> UInt32(8 * index)) }
    }

    /// The checksum of the formats, independent of the code of the store.
    static func crc32c(_ bytes: [UInt8]) -> UInt32 {
        var sum = ~UInt32(0)
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0x82F6_3B78 : sum >> 1 }
        }
        return ~sum
    }
}
