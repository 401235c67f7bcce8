// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import KymographHealth

@Suite("Encoding of metadata sets")
struct MetadataFormatTests {
    /// Encodes a set as an import does.
    private func encode(_ set: HealthMetadata) -> [UInt8] {
        var buffer = [UInt8]()
        func put(_ text: String) -> Range<Int> {
            let start = buffer.count
            buffer += Array(text.utf8)
            return start..<buffer.count
        }
        let entries = set.entries.map { (put($0.key), put($0.value)) }
        let value = set.valueText.map(put)
        let beats = set.beats?.map { BeatList.Texts(bpm: put($0.bpm), time: put($0.time)) }
        let attributes = set.attributes.map { (put($0.key), put($0.value)) }
        let children = set.children.map(put)
        var writer = MetadataWriter()
        writer.begin()
        for (key, value) in entries { writer.entry(buffer, key: key, value: value) }
        if let value { writer.valueText(buffer, value) }
        if set.hasNoValue { writer.noValue() }
        if set.hasNoSource { writer.noSource() }
        if let beats { writer.beats(buffer, beats) }
        for (name, value) in attributes { writer.attribute(buffer, name: name, value: value) }
        for child in children { writer.child(buffer, child) }
        return writer.bytes
    }

    private func text(_ random: inout SeededGenerator) -> String {
        let pieces = ["", "0", "1", "HK", "·", "é", " ", "\u{202F}", "\"", "<", "Modified Date", "😀", "\n"]
        return (0..<random.below(12)).map { _ in random.pick(pieces) }.joined()
    }

    private func beat(
        _ random: inout SeededGenerator, _ time: inout Int64, _ style: BeatList.Style
    ) -> HealthMetadata.Beat {
        time = (time + random.number(in: 30...160)) % BeatList.day
        let rate = random.chance(0.9) ? random.number(in: 40...180) : random.number(in: 0...99_999)
        return HealthMetadata.Beat(bpm: String(rate), time: BeatTime.text(time, style))
    }

    @Test("random sets read back equal, and equal sets have equal bytes", arguments: [1, 2, 3] as [UInt64])
    func roundTrip(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            var set = HealthMetadata()
            for _ in 0..<random.below(4) {
                let key = random.chance(0.5) ? random.pick(MetadataKeyCode.keys) : text(&random)
                set.entries.append(.init(key: key, value: text(&random)))
            }
            if random.chance(0.3) { set.valueText = text(&random) }
            set.hasNoValue = random.chance(0.1)
            set.hasNoSource = random.chance(0.1)
            if random.chance(0.4) {
                var time = random.number(in: 0...BeatList.day - 1)
                let style = BeatList.Style(rawValue: UInt8(random.below(16))).intersection(
                    random.chance(0.5) ? .known : [.padded, .comma])
                set.beats = (0..<random.below(60)).map { _ in beat(&random, &time, style) }
                if random.chance(0.2) { set.beats?.append(.init(bpm: text(&random), time: text(&random))) }
            }
            for _ in 0..<random.below(2) { set.attributes.append(.init(key: text(&random), value: text(&random))) }
            if random.chance(0.1) { set.children.append(text(&random)) }
            let bytes = encode(set)
            #expect(try HealthMetadata(decoding: bytes) == set, "seed \(seed)")
            #expect(encode(try HealthMetadata(decoding: bytes)) == bytes, "seed \(seed)")
        }
    }

    @Test("every known key has a code of its own")
    func keys() {
        #expect(Set(MetadataKeyCode.keys).count == MetadataKeyCode.keys.count)
        #expect(MetadataPart.firstKey + MetadataKeyCode.keys.count <= 256)
        for (code, key) in MetadataKeyCode.keys.enumerated() {
            let bytes = Array(key.utf8)
            #expect(MetadataKeyCode.code(bytes, 0..<bytes.count) == code)
            #expect(MetadataKeyCode.code(bytes, 0..<bytes.count - 1) == nil)
        }
        #expect(
            MetadataKeyCode.keys.prefix(4) == [
                "HKMetadataKeyHeartRateMotionContext", "HKTimeZone", "HKWasUserEntered", "HKMetadataKeySyncIdentifier",
            ])
    }

    @Test("damaged bytes are an error, never a trap", arguments: [1, 2] as [UInt64])
    func damage(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var time: Int64 = 3_000_000
        var set = HealthMetadata()
        set.entries = [.init(key: "HKTimeZone", value: "Europe/Zurich"), .init(key: "own", value: "x")]
        set.beats = (0..<20).map { _ in beat(&random, &time, []) }
        let good = encode(set)
        for _ in 0..<3_000 {
            var bad = good
            switch random.below(3) {
            case 0: bad.removeLast(random.below(bad.count) + 1)
            case 1: bad[random.below(bad.count)] = UInt8(random.below(256))
            default: bad = random.bytes(random.below(60))
            }
            if let read = try? HealthMetadata(decoding: bad) { _ = encode(read) }
        }
    }

    @Test("a part of a later format version is an error that names its byte")
    func newer() {
        #expect(
            throws: HealthStoreError(
                .newerFormat, "a metadata set cannot be read at its byte 0: unknown part; update the library")
        ) {
            try HealthMetadata(decoding: [255, 1, 2])
        }
    }

    @Test(
        "beats in the formats that phones write are encoded as numbers",
        arguments: [
            ["1:16:20.30", "1:16:21.33", "10:00:00.00"], ["08:33:44,67", "08:33:45,60"],
            ["9:00:52.18 AM", "9:00:53.00 AM"],
            ["11:59:59.90 AM", "12:00:00.80 PM", "1:00:00.00 PM"], ["11:59:59.90\u{202F}PM", "12:00:00.80\u{202F}AM"],
            ["23:59:59.50", "0:00:00.40"], ["12:00:00.00"], [],
        ])
    func numbers(times: [String]) throws {
        var buffer = [UInt8]()
        var texts = [BeatList.Texts]()
        for time in times {
            let start = buffer.count
            buffer += Array("61\(time)".utf8)
            texts.append(.init(bpm: start..<start + 2, time: start + 2..<buffer.count))
        }
        let list = try #require(BeatList(buffer, texts))
        #expect(list.texts.map(\.time) == times)
        #expect(list.texts.allSatisfy { $0.bpm == "61" })
    }

    @Test(
        "beats in other formats are kept as text",
        arguments: [
            ("61.5", "1:16:20.30"), ("061", "1:16:20.30"), ("", "1:16:20.30"), ("61", "1:16:20"), ("61", "1:16:20.3"),
            ("61", "24:00:00.00"), ("61", "1:60:20.30"), ("61", "13:16:20.30 PM"), ("61", "0:16:20.30 AM"),
            ("61", "1:16:20.30 am"), ("61", "٩:١٦:٢٠.٣٠"), ("61", ""), ("123456", "1:16:20.30"),
            ("61", "1:16:20.30 AMx"),
        ])
    func texts(beat: (String, String)) {
        let buffer = Array((beat.0 + beat.1).utf8)
        let split = beat.0.utf8.count
        #expect(BeatList(buffer, [.init(bpm: 0..<split, time: split..<buffer.count)]) == nil)
    }

    @Test("a measurement of fifty beats takes less than two bytes per beat")
    func size() throws {
        var random = SeededGenerator(seed: 7)
        var set = HealthMetadata()
        var time: Int64 = 3_000_000
        set.beats = (0..<50).map { _ in
            let step = random.number(in: 85...110)
            time += step
            return .init(bpm: String((6_000 + step / 2) / step), time: BeatTime.text(time, []))
        }
        #expect(encode(set).count < 80)
    }
}
