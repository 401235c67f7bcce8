// SPDX-License-Identifier: Apache-2.0

import Bytes

/// The parts of a stored metadata set, identified by their first byte. `Docs/Guide/Import.md` has the table.
enum MetadataPart {
    /// A spelled-out key, and a value.
    static let entry: UInt8 = 1
    /// The text of the sample's value.
    static let valueText: UInt8 = 2
    /// The absence of a value.
    static let noValue: UInt8 = 3
    /// A list of beats as numbers; see `BeatList`.
    static let beats: UInt8 = 4
    /// A list of beats as texts.
    static let beatTexts: UInt8 = 5
    /// An unknown attribute: name and value.
    static let attribute: UInt8 = 6
    /// The XML of an unknown child.
    static let child: UInt8 = 7
    /// A key and a typed value of a program; see `HealthMetadataValue`.
    static let typed: UInt8 = 8
    /// The absence of a source name.
    static let noSource: UInt8 = 9
    /// The first byte of an entry with a key code: the sum of this number and the code.
    static let firstKey = 16
}

/// A writer of the canonical bytes of metadata sets: equal sets have equal bytes, and the encoding is lossless.
///
/// One writer is used for many sets, to reuse its memory.
package struct MetadataWriter {
    /// The current set; empty for a sample without metadata.
    package private(set) var bytes: [UInt8] = []

    package init() { bytes.reserveCapacity(1024) }

    /// Starts a new set.
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

    /// Adds the text of the sample's value.
    package mutating func valueText(_ buffer: [UInt8], _ range: Range<Int>) {
        bytes.append(MetadataPart.valueText)
        put(buffer, range)
    }

    /// Marks the set of a sample without a value.
    package mutating func noValue() { bytes.append(MetadataPart.noValue) }

    /// Marks the set of a record that names no source.
    package mutating func noSource() { bytes.append(MetadataPart.noSource) }

    /// Adds an unknown attribute.
    package mutating func attribute(_ buffer: [UInt8], name: Range<Int>, value: Range<Int>) {
        bytes.append(MetadataPart.attribute)
        put(buffer, name)
        put(buffer, value)
    }

    /// Adds the XML of an unknown child.
    package mutating func child(_ buffer: [UInt8], _ range: Range<Int>) {
        bytes.append(MetadataPart.child)
        put(buffer, range)
    }

    /// Adds a list of beats: as numbers if these restore the same texts, otherwise as texts.
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

    /// Writes bytes after their count.
    mutating func put(_ text: [UInt8]) {
        put(UInt64(text.count))
        bytes.append(contentsOf: text)
    }

    /// Writes eight bytes, little-endian.
    mutating func put(bits: UInt64) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: bits >> shift)) }
    }
}

extension HealthMetadata {
    /// Parses the bytes of `MetadataWriter`.
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

    static let unknownPart = "unknown part; update the library"

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
