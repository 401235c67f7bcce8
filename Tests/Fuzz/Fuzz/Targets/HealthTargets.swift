// SPDX-License-Identifier: Apache-2.0

import Bytes

@testable import KymographHealth

/// Rows of the health layer in the catalog.
enum HealthTargets {
    static let all = [
        Target(
            name: "metadata", maximumLength: 2048, variants: 31,
            asserts: "a stored metadata set is read or refused; a set that is written again reads the same",
            seeds: { _ in metadataSeeds }, run: each(metadata)),
        Target(
            name: "object", maximumLength: 4096, variants: 15,
            asserts: "a stored object unpacks to at most what its length allows, or is refused; all round-trip",
            seeds: { files in
                let element = Array("<Workout workoutActivityType=\"HKWorkoutActivityTypeRunning\"/>".utf8)
                let one = files.exports.map { Array($0.prefix(2000)) } + [element, []]
                return one.map { [0] + $0 }
                    + one.flatMap { plain in
                        [false, true].map { [1] + ObjectCompressor(level: 9, dictionary: $0).encode(plain) }
                    }
            }, run: each(object)),
    ]

    // MARK: Metadata

    private static func metadata(_ bytes: [UInt8]) {
        guard let read = try? HealthMetadata(decoding: bytes) else { return }
        var writer = MetadataWriter()
        writer.begin()
        // Entries in the order of the reader, which keeps one list, one value and the rest by kind.
        func add(_ texts: [String], _ put: ([UInt8], [Range<Int>]) -> Void) {
            var buffer: [UInt8] = []
            let ranges = texts.map { text in
                let start = buffer.count
                buffer += Array(text.utf8)
                return start..<buffer.count
            }
            put(buffer, ranges)
        }
        for entry in read.entries { add([entry.key, entry.value]) { writer.entry($0, key: $1[0], value: $1[1]) } }
        if let text = read.valueText { add([text]) { writer.valueText($0, $1[0]) } }
        if read.hasNoValue { writer.noValue() }
        if read.hasNoSource { writer.noSource() }
        if let beats = read.beats {
            add(beats.flatMap { [$0.bpm, $0.time] }) { buffer, ranges in
                let texts = beats.indices.map { BeatList.Texts(bpm: ranges[2 * $0], time: ranges[2 * $0 + 1]) }
                writer.beats(buffer, texts)
            }
        }
        for entry in read.attributes {
            add([entry.key, entry.value]) { writer.attribute($0, name: $1[0], value: $1[1]) }
        }
        for child in read.children { add([child]) { writer.child($0, $1[0]) } }
        guard let again = try? HealthMetadata(decoding: writer.bytes) else {
            finding("a written set cannot be read: \(read)")
        }
        // Values from programs are written as text here, and with their types below.
        var texts = read
        texts.typed = [:]
        require(again == texts, "\(again) is not \(read)")
        if !read.typed.isEmpty { typed(read) }
    }

    /// Checks that typed values are written again as the same bytes.
    private static func typed(_ read: HealthMetadata) {
        var writer = MetadataWriter()
        writer.write(read.typed)
        guard let again = try? HealthMetadata(decoding: writer.bytes) else {
            finding("written typed values cannot be read: \(read)")
        }
        var twice = MetadataWriter()
        twice.write(again.typed)
        require(
            again.typed.count == read.typed.count && twice.bytes == writer.bytes, "with types, \(again) is not \(read)")
    }

    private static var metadataSeeds: [[UInt8]] {
        func text(_ string: String) -> [UInt8] { [UInt8(string.utf8.count)] + Array(string.utf8) }
        let beats: [[UInt8]] = (0..<4).map { style in
            [4, UInt8(style * 4 + 1), 3, 0x80, 0xC0, 0x80, 0x01, 61, 2, 5, 0x3C, 8]
        }
        return beats + [
            [16] + text("1"), [1] + text("Key") + text("2403 cm"), [2] + text("72.50"), [3],
            [5, 1] + text("61.5") + text("9:00:52.18 AM"), [6] + text("name") + text("value"), [7] + text("<x/>"),
            [17] + text("Europe/Zurich") + [18] + text("1") + [3] + [84] + text("Sync"),
        ]
    }

    // MARK: Objects

    nonisolated(unsafe) private static let compressors = [
        ObjectCompressor(level: 1, dictionary: true), ObjectCompressor(level: 6, dictionary: false),
    ]

    private static func object(_ bytes: [UInt8]) {
        guard let way = bytes.first else { return }
        let rest = Array(bytes.dropFirst())
        if way % 2 == 1 {
            guard let plain = try? ObjectExpander.decode(rest) else { return }
            require(plain.count <= 1_032 * rest.count + 64, "\(plain.count) bytes of \(rest.count)")
            return
        }
        for compressor in unsafe compressors {
            let stored = compressor.encode(rest)
            require((try? ObjectExpander.decode(stored)) == rest, "an object of \(rest.count) bytes is changed")
            require(stored.count <= rest.count + 11, "\(stored.count) bytes for \(rest.count)")
        }
    }
}
