// SPDX-License-Identifier: Apache-2.0

/// One top-level `Record`, as ranges into a buffer that the reader uses again for the next one.
///
/// All texts are unescaped UTF-8 without characters that XML forbids. An absent attribute is an empty range; `has`
/// tells it from an empty one.
package struct RecordFields: ~Copyable {
    /// The attributes of `Record` that the reader knows, in the order Apple writes them.
    package enum Field: Int, Sendable, CaseIterable {
        case type, sourceName, sourceVersion, device, unit, creationDate, startDate, endDate, value
    }

    /// A key and a value: a `MetadataEntry`, or an attribute that has no meaning of its own.
    package struct Entry: Sendable, Equatable {
        package var key: Range<Int>
        package var value: Range<Int>
    }

    /// An `InstantaneousBeatsPerMinute`: the number and the local time of day, as localised as they are written.
    package struct Beat: Sendable, Equatable {
        package var bpm: Range<Int>
        package var time: Range<Int>
    }

    /// The bytes that all ranges point into; what no range names has no meaning.
    package internal(set) var buffer: [UInt8]
    /// The ranges, apart from the buffer so that they can be filled in while it is looked at.
    var parts = Parts()

    /// What was found of the record.
    struct Parts {
        var fields = [9 of Range<Int>](repeating: 0..<0)
        var present: UInt16 = 0
        var metadata: [Entry] = []
        var beats: [Beat] = []
        var hasBeatList = false
        var extraAttributes: [Entry] = []
        var extraChildren: [Range<Int>] = []
        /// Where a reference has to be resolved, or an address taken out, once the record is complete.
        var escaped: [Slot] = []
    }

    /// A place in `Parts` that holds a range.
    enum Slot {
        case field(Int), metadataKey(Int), metadataValue(Int), bpm(Int), time(Int), extraKey(Int), extraValue(Int)
    }

    /// The start of the sample.
    package internal(set) var start = AppleDate(nanoseconds: 0, offset: 0)
    /// The end of the sample, never before its start.
    package internal(set) var end = AppleDate(nanoseconds: 0, offset: 0)
    /// When the sample was saved; nil if that is missing or not readable.
    package internal(set) var created: AppleDate?
    /// The value as a number, correctly rounded; nil if it is missing or none, as with categories.
    package internal(set) var number: Double?
    /// The line the element starts on, from 1.
    package internal(set) var line = 0
    /// The byte of the XML the element starts at, from 0.
    package internal(set) var offset: UInt64 = 0

    init(buffer: [UInt8]) {
        self.buffer = buffer
    }

    /// The children `MetadataEntry` in their order.
    package var metadata: [Entry] { parts.metadata }
    /// The children of `HeartRateVariabilityMetadataList`, in their order.
    package var beats: [Beat] { parts.beats }
    /// Whether there was a `HeartRateVariabilityMetadataList`, were it empty.
    package var hasBeatList: Bool { parts.hasBeatList }
    /// Attributes that the reader does not know, in their order; in iOS 8 an app's metadata stood here.
    package var extraAttributes: [Entry] { parts.extraAttributes }
    /// Children that the reader does not know: their XML, not unescaped.
    package var extraChildren: [Range<Int>] { parts.extraChildren }

    /// The type identifier, never empty.
    package var type: Range<Int> { parts.fields[Field.type.rawValue] }
    /// The unit of a quantity.
    package var unit: Range<Int> { parts.fields[Field.unit.rawValue] }
    /// The value as it is written.
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

    /// Whether an attribute is written, were it empty.
    package func has(_ field: Field) -> Bool { parts.present & (1 << UInt16(field.rawValue)) != 0 }

    /// Whether the canonical text of `number` is the text that is written, so that the number alone gives it back.
    package var valueIsCanonical: Bool {
        guard let number else { return false }
        return DecimalText.isCanonical(buffer.span.extracting(value), number)
    }

    /// The bytes of a range, copied.
    package func bytes(_ range: Range<Int>) -> [UInt8] { Array(buffer[range]) }

    /// The text of a range.
    package func text(_ range: Range<Int>) -> String { String(decoding: buffer[range], as: UTF8.self) }

    /// Whether a range holds exactly these bytes.
    package func equals(_ range: Range<Int>, _ other: [UInt8]) -> Bool {
        guard range.count == other.count else { return false }
        return ScanBytes.equal(buffer.span, range.lowerBound, other.span, 0, range.count)
    }

    /// A hash of the bytes of a range, for tables that intern; the same in every process.
    package func hash(_ range: Range<Int>) -> UInt64 {
        ScanBytes.hash(buffer.span, range)
    }

}

extension RecordFields.Parts {
    /// Forgets the last record, keeping the memory.
    mutating func clear() {
        fields = [9 of Range<Int>](repeating: 0..<0)
        present = 0
        hasBeatList = false
        // Most records have none of these, and clearing an empty array is not free.
        if !metadata.isEmpty { metadata.removeAll(keepingCapacity: true) }
        if !beats.isEmpty { beats.removeAll(keepingCapacity: true) }
        if !extraAttributes.isEmpty { extraAttributes.removeAll(keepingCapacity: true) }
        if !extraChildren.isEmpty { extraChildren.removeAll(keepingCapacity: true) }
        if !escaped.isEmpty { escaped.removeAll(keepingCapacity: true) }
    }

    /// The range in a slot.
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
