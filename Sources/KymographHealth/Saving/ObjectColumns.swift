// SPDX-License-Identifier: Apache-2.0

import HealthModel

/// Samples to be saved, as columns by type and unit. Devices and metadata have local numbers until the commit knows
/// their rows.
struct ObjectColumns: Sendable {
    /// Samples of one series.
    struct Slot: Sendable {
        let type: String
        /// The unit; nil for categories.
        let unit: String?
        let isCumulative: Bool
        var starts: [Int64] = []
        var ends: [Int64] = []
        var values: [Double] = []
        var high: [Int64] = []
        var low: [Int64] = []
        /// Indices in `ObjectColumns.devices`; -1 for none.
        var devices: [Int32] = []
        /// Numbers in `ObjectColumns.metadata`, from 1; 0 for none.
        var metadata: [Int32] = []

        var count: Int { starts.count }
    }

    private(set) var slots: [Slot] = []
    /// The descriptions of devices.
    private(set) var devices: [String] = []
    /// Whether an object has no device.
    private(set) var hasNoDevice = false
    /// Metadata sets in the form of `MetadataWriter`.
    private(set) var metadata: [[UInt8]] = []

    private var slotsByKey: [SlotKey: Int] = [:]
    // The keys are bytes: devices and metadata values compare as equal even if their bytes differ.
    private var devicesByText: [[UInt8]: Int32] = [:]
    private var metadataByBody: [[UInt8]: Int32] = [:]
    private var writer = MetadataWriter()
    /// Caches of the last results: most samples are like the previous one.
    private var lastSlot: (type: HKSampleType, unit: HKUnit?, slot: Int)?
    private var lastDevice: (device: HKDevice, number: Int32)?
    private var lastMetadata: (body: [UInt8], number: Int32)?
    /// The last metadata set with a single integer under an ASCII key.
    private var lastWhole: (key: String, value: Int, number: Int32)?

    private struct SlotKey: Hashable {
        var type: String
        var unit: String?
    }

    /// Adds a quantity or category sample.
    ///
    /// - Requires: the sample follows the save rules.
    /// - Returns: the index of its slot.
    @discardableResult
    mutating func append(_ sample: HKSample) throws(HKError) -> Int {
        guard let start = StoredTime.nanoseconds(sample.startDate), let end = StoredTime.end(sample.endDate) else {
            throw HKError(
                .errorInvalidArgument, reason: "the time is outside of the storable range", place: "\(sample)",
                advice: "give dates from \(HealthSaveRules.storableDays)")
        }
        let value: Double
        let unit: HKUnit?
        switch sample {
        case let sample as HKQuantitySample: (value, unit) = (sample.quantity.value, sample.quantity.unit)
        case let sample as HKCategorySample: (value, unit) = (Double(sample.value), nil)
        default:
            throw HKError(
                .errorInvalidArgument, reason: "the object is no quantity or category sample", place: "\(sample)",
                advice: "use the API for its type")
        }
        let slot = slot(sample.sampleType, unit)
        let identity = SampleIdentity(sample.uuid)
        slots[slot].starts.append(start)
        slots[slot].ends.append(max(start, end))
        slots[slot].values.append(value)
        slots[slot].high.append(identity.high)
        slots[slot].low.append(identity.low)
        slots[slot].devices.append(number(sample.device))
        slots[slot].metadata.append(number(sample.header.metadata))
        return slot
    }

    private mutating func slot(_ type: HKSampleType, _ unit: HKUnit?) -> Int {
        if let lastSlot, lastSlot.type === type, lastSlot.unit === unit { return lastSlot.slot }
        let key = SlotKey(type: type.identifier, unit: unit?.unitString)
        let slot = slot(key, isCumulative: HealthTypes.type(for: key.type).isCumulative)
        lastSlot = (type, unit, slot)
        return slot
    }

    private mutating func slot(_ key: SlotKey, isCumulative: @autoclosure () -> Bool) -> Int {
        if let known = slotsByKey[key] { return known }
        slots.append(Slot(type: key.type, unit: key.unit, isCumulative: isCumulative()))
        slotsByKey[key] = slots.count - 1
        return slots.count - 1
    }

    /// Returns the local number of a device.
    mutating func number(_ device: HKDevice?) -> Int32 {
        guard let device else {
            hasNoDevice = true
            return -1
        }
        if let lastDevice, lastDevice.device === device { return lastDevice.number }
        let number = number(ofDevice: DeviceDescription(device).text)
        lastDevice = (device, number)
        return number
    }

    private mutating func number(ofDevice text: String) -> Int32 {
        let key = Array(text.utf8)
        let number = devicesByText[key] ?? Int32(truncatingIfNeeded: devices.count)
        if number == devices.count {
            devices.append(text)
            devicesByText[key] = number
        }
        return number
    }

    /// Returns the local number of a metadata set.
    mutating func number(_ values: HealthMetadataValues?) -> Int32 {
        guard let values, !values.isEmpty else { return 0 }
        var whole: (key: String, value: Int)?
        if values.count == 1, let (key, value) = values.first, case .integer(let number) = value {
            // Strings can be equal with different bytes, but not if one is ASCII and both have the same length.
            if let lastWhole, lastWhole.value == number, lastWhole.key.utf8.count == key.utf8.count,
                lastWhole.key == key
            {
                return lastWhole.number
            }
            if key.utf8.allSatisfy({ $0 < 0x80 }) { whole = (key, number) }
        }
        let number = numberOfBody(values)
        if let whole { lastWhole = (whole.key, whole.value, number) }
        return number
    }

    private mutating func numberOfBody(_ values: HealthMetadataValues) -> Int32 {
        writer.write(values)
        if let lastMetadata, lastMetadata.body == writer.bytes { return lastMetadata.number }
        let number = number(ofBody: writer.bytes)
        lastMetadata = (writer.bytes, number)
        return number
    }

    private mutating func number(ofBody body: [UInt8]) -> Int32 {
        let number = metadataByBody[body] ?? Int32(truncatingIfNeeded: metadata.count + 1)
        if number > metadata.count {
            metadata.append(body)
            metadataByBody[body] = number
        }
        return number
    }

    // MARK: - Parts

    /// A mapping of positions in appended columns to positions in these columns.
    struct Places {
        /// By slot of the appended columns: the slot here, and the number of its earlier rows.
        var slots: [(slot: Int, rows: Int)] = []
        fileprivate var devices: [Int32] = []
        fileprivate var metadata: [Int32] = [0]

        func device(_ number: Int32) -> Int32 { number < 0 ? number : devices[Int(number)] }
        func metadata(_ number: Int32) -> Int32 { metadata[Int(number)] }
    }

    /// Appends all samples of other columns.
    mutating func append(_ other: ObjectColumns) -> Places {
        var places = Places()
        places.devices = other.devices.map { number(ofDevice: $0) }
        places.metadata += other.metadata.map { number(ofBody: $0) }
        hasNoDevice = hasNoDevice || other.hasNoDevice
        for from in other.slots {
            let to = slot(SlotKey(type: from.type, unit: from.unit), isCumulative: from.isCumulative)
            places.slots.append((to, slots[to].count))
            slots[to].starts += from.starts
            slots[to].ends += from.ends
            slots[to].values += from.values
            slots[to].high += from.high
            slots[to].low += from.low
            slots[to].devices += from.devices.lazy.map { places.device($0) }
            slots[to].metadata += from.metadata.lazy.map { places.metadata($0) }
        }
        return places
    }
}
