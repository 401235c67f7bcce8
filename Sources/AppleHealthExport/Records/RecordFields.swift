// SPDX-License-Identifier: Apache-2.0

package import KymographHealth

/// One top-level `Record`, as ranges of a buffer that the reader reuses for the next record.
///
/// All texts are unescaped UTF-8 without characters that XML forbids. An absent attribute is an empty range; `has`
/// distinguishes it from an empty attribute.
package struct RecordFields: ~Copyable {
    /// The known attributes of `Record`, in Apple's order.
    package enum Field: Int, Sendable, CaseIterable {
        case type, sourceName, sourceVersion, device, unit, creationDate, startDate, endDate, value
    }

    /// A key and a value: a `MetadataEntry`, or an unknown attribute.
    package struct Entry: Sendable, Equatable {
        package var key: Range<Int>
        package var value: Range<Int>
    }

    /// An `InstantaneousBeatsPerMinute`: the number and the local time of day, as localised in the export.
    package struct Beat: Sendable, Equatable {
        package var bpm: Range<Int>
        package var time: Range<Int>
    }

    /// The bytes of all ranges; bytes outside of the ranges have no meaning.
    package internal(set) var buffer: [UInt8]
    /// The ranges, separate from the buffer so that they can be written while the buffer is read.
    var parts = Parts()

    /// The ranges of the record.
    struct Parts {
        var fields = [9 of Range<Int>](repeating: 0..<0)
        var present: UInt16 = 0
        var metadata: [Entry] = []
        var beats: [Beat] = []
        var hasBeatList = false
        var extraAttributes: [Entry] = []
        var extraChildren: [Range<Int>] = []
        /// The ranges with references to resolve, or with an address to remove, once the record is complete.
        var escaped: [Slot] = []
    }

    /// A range in `Parts`.
    enum Slot {
        case field(Int), metadataKey(Int), metadataValue(Int), bpm(Int), time(Int), extraKey(Int), extraValue(Int)
    }

    package internal(set) var start = AppleDate(nanoseconds: 0, offset: 0)
    /// The end of the sample, never before its start.
    package internal(set) var end = AppleDate(nanoseconds: 0, offset: 0)
    /// The time of saving; nil if missing or unreadable.
    package internal(set) var created: AppleDate?
    /// The value as a correctly rounded number; nil if it is missing or not a number, as for categories.
    package internal(set) var number: Double?
    /// The line of the element's start, from 1.
    package internal(set) var line = 0
    /// The byte offset of the element's start in the XML, from 0.
    package internal(set) var offset: UInt64 = 0

    init(buffer: [UInt8]) {
        self.buffer = buffer
    }

    /// The `MetadataEntry` children, in order.
    package var metadata: [Entry] { parts.metadata }
    /// The children of `HeartRateVariabilityMetadataList`, in order.
    package var beats: [Beat] { parts.beats }
    /// Whether there is a `HeartRateVariabilityMetadataList`, possibly empty.
    package var hasBeatList: Bool { parts.hasBeatList }
    /// Unknown attributes, in order; exports of iOS 8 had the metadata of apps there.
    package var extraAttributes: [Entry] { parts.extraAttributes }
    /// Unknown children: their XML, not unescaped.
    package var extraChildren: [Range<Int>] { parts.extraChildren }

    /// The type identifier, never empty.
    package var type: Range<Int> { parts.fields[Field.type.rawValue] }
    package var unit: Range<Int> { parts.fields[Field.unit.rawValue] }
    /// The value as written.
    package var value: Range<Int> { parts.fields[Field.value.rawValue] }
    /// The name of the app or device that saved the sample.
    package var sourceName: Range<Int> { parts.fields[Field.sourceName.rawValue] }
    /// The version of that app or system.
    package var sourceVersion: Range<Int> { parts.fields[Field.sourceVersion.rawValue] }
    /// The description of the device, without its heap address (see `DeviceText`).
    package var device: Range<Int> { parts.fields[Field.device.rawValue] }
    /// The text of `created`.
    package var creationDate: Range<Int> { parts.fields[Field.creationDate.rawValue] }
    /// The text of `start`.
    package var startDate: Range<Int> { parts.fields[Field.startDate.rawValue] }
    /// The text of `end`.
    package var endDate: Range<Int> { parts.fields[Field.endDate.rawValue] }

    /// Returns whether an attribute is present, possibly empty.
    package func has(_ field: Field) -> Bool { parts.present & (1 << UInt16(field.rawValue)) != 0 }

    /// Whether the text of the value is the canonical text of `number`, so that the number is sufficient to restore it.
    package var valueIsCanonical: Bool {
        guard let number else { return false }
        return DecimalText.isCanonical(buffer.span.extracting(value), number)
    }

    package func bytes(_ range: Range<Int>) -> [UInt8] { Array(buffer[range]) }

    package func text(_ range: Range<Int>) -> String { String(decoding: buffer[range], as: UTF8.self) }

    /// Returns whether a range contains exactly these bytes.
    package func equals(_ range: Range<Int>, _ other: [UInt8]) -> Bool {
        guard range.count == other.count else { return false }
        return ScanBytes.equal(buffer.span, range.lowerBound, other.span, 0, range.count)
    }

    /// Returns a hash of the bytes of a range, for interning tables; equal in every process.
    package func hash(_ range: Range<Int>) -> UInt64 {
        ScanBytes.hash(buffer.span, range)
    }

}

extension RecordFields.Parts {
    /// Clears the ranges, and keeps the memory.
    mutating func clear() {
        fields = [9 of Range<Int>](repeating: 0..<0)
        present = 0
        hasBeatList = false
        // Most records have none of these, and clearing an empty array takes time.
        if !metadata.isEmpty { metadata.removeAll(keepingCapacity: true) }
        if !beats.isEmpty { beats.removeAll(keepingCapacity: true) }
        if !extraAttributes.isEmpty { extraAttributes.removeAll(keepingCapacity: true) }
        if !extraChildren.isEmpty { extraChildren.removeAll(keepingCapacity: true) }
        if !escaped.isEmpty { escaped.removeAll(keepingCapacity: true) }
    }

    /// Accesses the range of a slot.
    subscript(_ slot: RecordFields.Slot) -> Range<Int> {
        get {
            switch slot {
            case .field(let index): fields[index]
            case .metadataKey(let index): metadata[index].key
            case .metadataValue(let index): metadata[index].value
            case .bpm(let index): beats[index].bpm
            case .time(let index): beats[index].time
            case .extraKey(let index): extraAttributes[index].key
            case .extraValue(let index): extraAttributes[index].value
            }
        }
        set {
            switch slot {
            case .field(let index): fields[index] = newValue
            case .metadataKey(let index): metadata[index].key = newValue
            case .metadataValue(let index): metadata[index].value = newValue
            case .bpm(let index): beats[index].bpm = newValue
            case .time(let index): beats[index].time = newValue
            case .extraKey(let index): extraAttributes[index].key = newValue
            case .extraValue(let index): extraAttributes[index].value = newValue
            }
        }
    }
}
