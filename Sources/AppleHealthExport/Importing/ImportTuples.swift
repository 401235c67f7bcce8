// SPDX-License-Identifier: Apache-2.0

import HealthModel
import KymographHealth

/// Distinct combinations of type, source, version, device and unit, identified by their bytes.
///
/// The bytes of a record are compared with the last few combinations, and otherwise looked up by a hash. Only new
/// combinations become strings.
struct ImportTuples {
    /// One combination.
    struct Tuple {
        /// The truncated lengths of the five texts, and the presence of optional ones.
        var shape: UInt64
        var lengths: [5 of Int]
        var hash: UInt64
        /// The offset of the five texts in the arena, where they are consecutive.
        var at: Int
        /// A slot of the loader.
        var series: Int32
        /// A row of the provenance table.
        var provenance: Int32
        var isCategory: Bool
    }

    /// The number of a category's text.
    private struct CategoryText {
        var tuple: Int
        var text: [UInt8]
        var value: Double
        var isCanonical: Bool
    }

    /// The maximum number of combinations per import: ten years of versions and devices have about ten thousand.
    static let tupleLimit = 200_000
    /// The maximum number of bytes in the texts of all combinations: ten years have about three megabytes.
    static let textLimit = 16 << 20

    /// The maximum number of new series per import: some hundred are usual, and each costs memory and space on disk.
    private let seriesLimit: Int
    private(set) var tuples: [Tuple] = []
    private var arena: [UInt8] = []
    /// Places in `tuples`, from 1; 0 for an empty slot.
    private var slots = [Int32](repeating: 0, count: 256)
    /// The last combinations, latest first.
    private var recent: [4 of Int32] = [-1, -1, -1, -1]
    private var categories: [CategoryText] = []

    init(seriesLimit: Int) { self.seriesLimit = seriesLimit }

    /// Returns the combination of a record; nil beyond a limit.
    mutating func index(
        of record: borrowing RecordFields, _ loader: HealthLoader
    ) throws(HealthStoreError) -> Int? {
        let shape = Self.shape(record)
        for place in 0..<4 {
            let index = recent[place]
            guard index >= 0, tuples[Int(index)].shape == shape, matches(record, tuples[Int(index)]) else { continue }
            if place > 0 { promote(place, index) }
            return Int(index)
        }
        guard let index = try look(record, shape, loader) else { return nil }
        promote(3, Int32(truncatingIfNeeded: index))
        return index
    }

    private mutating func promote(_ place: Int, _ index: Int32) {
        for at in stride(from: place, to: 0, by: -1) { recent[at] = recent[at - 1] }
        recent[0] = index
    }

    /// Returns the shape: the lowest twelve bits of each length, and a bit for each optional text.
    private static func shape(_ record: borrowing RecordFields) -> UInt64 {
        var shape = UInt64(truncatingIfNeeded: record.type.count & 0xFFF)
        shape = shape << 12 | UInt64(truncatingIfNeeded: record.sourceName.count & 0xFFF)
        shape = shape << 12 | UInt64(truncatingIfNeeded: record.sourceVersion.count & 0xFFF)
        shape = shape << 12 | UInt64(truncatingIfNeeded: record.device.count & 0xFFF)
        shape = shape << 12 | UInt64(truncatingIfNeeded: record.unit.count & 0xFFF)
        var present: UInt64 = 0
        if record.has(.sourceVersion) { present |= 1 }
        if record.has(.device) { present |= 2 }
        if record.has(.unit) { present |= 4 }
        return shape << 4 | present
    }

    /// Returns whether a record has the five texts of a combination.
    private func matches(_ record: borrowing RecordFields, _ tuple: Tuple) -> Bool {
        var at = tuple.at
        return isNext(record, record.unit, tuple.lengths[0], &at) && isNext(record, record.type, tuple.lengths[1], &at)
            && isNext(record, record.sourceName, tuple.lengths[2], &at)
            && isNext(record, record.sourceVersion, tuple.lengths[3], &at)
            && isNext(record, record.device, tuple.lengths[4], &at)
    }

    @inline(__always)
    private func isNext(
        _ record: borrowing RecordFields, _ field: Range<Int>, _ length: Int, _ at: inout Int
    ) -> Bool {
        let start = at
        at &+= length
        return field.count == length
            && ScanBytes.equal(record.buffer.span, field.lowerBound, arena.span, start, length)
    }

    private static func fields(_ record: borrowing RecordFields) -> [Range<Int>] {
        [record.unit, record.type, record.sourceName, record.sourceVersion, record.device]
    }

    private mutating func look(
        _ record: borrowing RecordFields, _ shape: UInt64, _ loader: HealthLoader
    ) throws(HealthStoreError) -> Int? {
        var hash = shape
        for field in Self.fields(record) {
            hash = (hash ^ record.hash(field)) &* 0x9E37_79B9_7F4A_7C15
            hash ^= hash >> 29
        }
        var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
        while slots[slot] != 0 {
            let index = Int(slots[slot]) - 1
            let known = tuples[index]
            if known.hash == hash, known.shape == shape, matches(record, known) { return index }
            slot = (slot + 1) & (slots.count - 1)
        }
        guard try add(record, shape, hash, loader) else { return nil }
        slots[slot] = Int32(truncatingIfNeeded: tuples.count)
        if tuples.count * 2 > slots.count { grow() }
        return tuples.count - 1
    }

    private mutating func add(
        _ record: borrowing RecordFields, _ shape: UInt64, _ hash: UInt64, _ loader: HealthLoader
    ) throws(HealthStoreError) -> Bool {
        guard tuples.count < Self.tupleLimit,
            Self.fields(record).reduce(arena.count, { $0 + $1.count }) <= Self.textLimit
        else { return false }
        let type = record.text(record.type)
        let name = record.text(record.sourceName)
        let unit = record.has(.unit) ? record.text(record.unit) : nil
        guard
            loader.newSeriesCount < seriesLimit || !loader.isNew(type: type, source: name, unit: unit)
        else { return false }
        let (provenance, source) = loader.provenance(
            source: name,
            version: record.has(.sourceVersion) ? record.text(record.sourceVersion) : nil,
            device: record.has(.device) ? record.text(record.device) : nil)
        let series = try loader.series(type: type, source: source, unit: unit)
        let fields = Self.fields(record)
        tuples.append(
            Tuple(
                shape: shape, lengths: InlineArray { fields[$0].count }, hash: hash, at: arena.count,
                series: Int32(truncatingIfNeeded: series),
                provenance: Int32(truncatingIfNeeded: provenance),
                isCategory: HealthTypes.type(for: type).kind == .category))
        for field in fields { arena.append(contentsOf: record.buffer[field]) }
        return true
    }

    private mutating func grow() {
        slots = [Int32](repeating: 0, count: slots.count * 2)
        for (index, tuple) in tuples.enumerated() {
            var slot = Int(truncatingIfNeeded: tuple.hash) & (slots.count - 1)
            while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = Int32(truncatingIfNeeded: index + 1)
        }
    }

    /// Returns the number of a category value, and whether its text is the current name of the value.
    mutating func category(_ record: borrowing RecordFields, _ tuple: Int) -> (value: Double, isCanonical: Bool) {
        for known in categories where known.tuple == tuple && record.equals(record.value, known.text) {
            return (known.value, known.isCanonical)
        }
        let text = record.text(record.value)
        let type = HKCategoryTypeIdentifier(rawValue: record.text(record.type))
        let raw = HealthCategoryValues.rawValue(of: text, for: type)
        let isCanonical = raw.flatMap { HealthCategoryValues.name(of: $0, for: type) }.map { $0 == text } ?? false
        let found = CategoryText(
            tuple: tuple, text: record.bytes(record.value), value: raw.map { Double($0) } ?? -1,
            isCanonical: isCanonical)
        // A hostile file may have a new, long name in every record.
        if categories.count < 1_000, found.text.count <= 256 { categories.append(found) }
        return (found.value, found.isCanonical)
    }
}
