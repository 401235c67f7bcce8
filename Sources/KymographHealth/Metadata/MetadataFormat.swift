// SPDX-License-Identifier: Apache-2.0

import Bytes

/// The parts of a stored metadata set, as the first byte of each says. `Docs/ImportStoring.md` has the table.
enum MetadataPart {
    /// A key written out, and a value.
    static let entry: UInt8 = 1
    /// The text of the sample's value.
    static let valueText: UInt8 = 2
    /// The sample has no value.
    static let noValue: UInt8 = 3
    /// A list of beats as numbers; see `BeatList`.
    static let beats: UInt8 = 4
    /// A list of beats as texts.
    static let beatTexts: UInt8 = 5
    /// An attribute that has no meaning: name and value.
    static let attribute: UInt8 = 6
    /// The XML of a child that nobody knows.
    static let child: UInt8 = 7
    /// A key and a value with its type, as a program gave them; see `HealthMetadataValue`.
    static let typed: UInt8 = 8
    /// The record did not name its source.
    static let noSource: UInt8 = 9
    /// From here on: an entry whose key is the one of this number less this.
    static let firstKey = 16
}

/// Builds the canonical bytes of a metadata set: equal sets give equal bytes, and nothing is lost.
///
/// One is made for many sets; it keeps its memory.
package struct MetadataWriter {
    /// The set so far. Empty for a sample about which nothing was said.
    package private(set) var bytes: [UInt8] = []

    package init() { bytes.reserveCapacity(1024) }

    /// Forgets the last set.
    package mutating func begin() { bytes.removeAll(keepingCapacity: true) }

    /// Adds a metadata entry, given as ranges of a buffer.
    package mutating func entry(_ buffer: [UInt8], key: Range<Int>, value: Range<Int>) {
        if let code = MetadataKeyCode.code(buffer, key) {
            bytes.append(UInt8(truncatingIfNeeded: MetadataPart.firstKey + code))
        } else {
            bytes.append(MetadataPart.entry)
            put(buffer, key)
        }
        put(buffer, value)
    }

    /// Adds the text of the value.
    package mutating func valueText(_ buffer: [UInt8], _ range: Range<Int>) {
        bytes.append(MetadataPart.valueText)
        put(buffer, range)
    }

    /// Says that there is no value.
    package mutating func noValue() { bytes.append(MetadataPart.noValue) }

    /// Says that the record did not name its source.
    package mutating func noSource() { bytes.append(MetadataPart.noSource) }

    /// Adds an attribute that has no meaning.
    package mutating func attribute(_ buffer: [UInt8], name: Range<Int>, value: Range<Int>) {
        bytes.append(MetadataPart.attribute)
        put(buffer, name)
        put(buffer, value)
    }

    /// Adds the XML of a child that nobody knows.
    package mutating func child(_ buffer: [UInt8], _ range: Range<Int>) {
        bytes.append(MetadataPart.child)
        put(buffer, range)
    }

    /// Adds a list of beats, as numbers if these give back the same texts.
    package mutating func beats(_ buffer: [UInt8], _ beats: [BeatList.Texts]) {
        if let list = BeatList(buffer, beats) {
            bytes.append(MetadataPart.beats)
            list.append(to: &bytes)
            return
        }
        bytes.append(MetadataPart.beatTexts)
        put(UInt64(beats.count))
        for beat in beats {
            put(buffer, beat.bpm)
            put(buffer, beat.time)
        }
    }

    private mutating func put(_ buffer: [UInt8], _ range: Range<Int>) {
        put(UInt64(range.count))
        if range.count <= 8 {
            for at in range { bytes.append(buffer[at]) }
        } else {
            bytes.append(contentsOf: buffer[range])
        }
    }

    mutating func put(_ varint: UInt64) { bytes.put(varint: varint) }

    mutating func put(_ byte: UInt8) { bytes.append(byte) }

    /// Bytes with their number.
    mutating func put(_ text: [UInt8]) {
        put(UInt64(text.count))
        bytes.append(contentsOf: text)
    }

    /// Eight bytes, the lowest first.
    mutating func put(bits: UInt64) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: bits >> shift)) }
    }
}

extension [UInt8] {
    /// Appends a number, seven bits a byte, the lowest first.
    mutating func put(varint value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }

    /// Appends a number, those near zero in one byte.
    mutating func put(zigzag value: Int64) { put(varint: Zigzag.encode(value)) }
}

extension HealthMetadata {
    /// Reads what `MetadataWriter` wrote.
    package init(decoding bytes: [UInt8]) throws(HealthStoreError) {
        self.init()
        var reader = ByteReader(bytes)
        do throws(ByteError) {
            while reader.remaining > 0 { try readPart(&reader) }
        } catch {
            let isNew = error.what == Self.unknownPart
            throw HealthStoreError(
                isNew ? .newerFormat : .corrupt,
                "a metadata set cannot be read at its byte \(error.offset): \(error.what)")
        }
    }

    static let unknownPart = "a part that this version does not know"

    private mutating func readPart(_ reader: inout ByteReader) throws(ByteError) {
        let at = reader.offset
        let part = try reader.u8()
        switch part {
        case MetadataPart.entry:
            entries.append(Entry(key: try reader.string(), value: try reader.string()))
        case MetadataPart.valueText: valueText = try reader.string()
        case MetadataPart.noValue: hasNoValue = true
        case MetadataPart.noSource: hasNoSource = true
        case MetadataPart.beats: beats = try BeatList(&reader).texts
        case MetadataPart.beatTexts:
            let count = try reader.varint()
            guard count <= UInt64(reader.remaining) else { throw ByteError(offset: at, what: "more beats than bytes") }
            var list = [Beat]()
            for _ in 0..<count { list.append(Beat(bpm: try reader.string(), time: try reader.string())) }
            beats = list
        case MetadataPart.attribute:
            attributes.append(Entry(key: try reader.string(), value: try reader.string()))
        case MetadataPart.child: children.append(try reader.string())
        case MetadataPart.typed:
            let code = try reader.varint()
            guard code <= UInt64(MetadataKeyCode.keys.count) else {
                throw ByteError(offset: at, what: Self.unknownPart)
            }
            let key = code == 0 ? try reader.string() : MetadataKeyCode.keys[Int(code) - 1]
            let value = try HealthMetadataValue.read(&reader)
            typed[key] = value
            entries.append(Entry(key: key, value: value.exportText))
        default:
            let code = Int(part) - MetadataPart.firstKey
            guard code >= 0, code < MetadataKeyCode.keys.count else {
                throw ByteError(offset: at, what: Self.unknownPart)
            }
            entries.append(Entry(key: MetadataKeyCode.keys[code], value: try reader.string()))
        }
    }
}
