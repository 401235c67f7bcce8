// SPDX-License-Identifier: Apache-2.0

import Bytes
import HealthModel

/// An electrocardiogram in stored form: its properties, and the voltages of each lead.
struct ElectrocardiogramRecord: Sendable {
    /// The voltages of one lead, consecutive at the sampling frequency.
    struct Lead: Sendable, Equatable {
        /// The raw value of an `HKElectrocardiogram.Lead`.
        let number: Int64
        /// The text of a voltage unit.
        let unit: String
        let values: [Double]
    }

    /// The properties of an electrocardiogram.
    struct Head: Sendable, Equatable {
        /// The number of voltages of each lead.
        let count: Int
        /// The sampling frequency in hertz.
        let frequency: Double
        let classification: HKElectrocardiogram.Classification
        let symptoms: HKElectrocardiogram.SymptomsStatus
        /// The average heart rate in beats per minute; nil if unknown.
        let averageHeartRate: Double?

        /// The properties in the form of an `HKElectrocardiogram`.
        var facts: HKElectrocardiogram.Facts {
            HKElectrocardiogram.Facts(
                voltages: count, samplingFrequency: HKQuantity(unit: .hertz(), doubleValue: frequency),
                classification: classification,
                averageHeartRate: averageHeartRate.map {
                    HKQuantity(unit: .count().unitDivided(by: .minute()), doubleValue: $0)
                }, symptoms: symptoms)
        }

        /// The duration in nanoseconds.
        var duration: Int64 { Self.duration(of: count, at: frequency) }

        /// Returns the duration of a number of voltages at a frequency in hertz, in nanoseconds; at most 9e18.
        static func duration(of count: Int, at frequency: Double) -> Int64 {
            Int64(max(0, min(9e18, (Double(count) / frequency * 1e9).rounded())))
        }
    }

    let head: Head
    let leads: [Lead]

    private static let version: UInt8 = 1
    /// The maximum number of voltages and of leads accepted by the decoder.
    private static let limit = 1 << 24
    private static let mostLeads = 16

    init(_ head: Head, _ leads: [Lead]) {
        self.head = head
        self.leads = leads
    }

    /// The bytes, as described in `Docs/Format/Catalog.md`.
    var body: [UInt8] {
        var plain = ByteWriter(capacity: 64 + head.count * leads.count * 2)
        plain.put(Self.version)
        plain.put(varint: UInt64(head.count))
        plain.put(double: head.frequency)
        plain.put(zigzag: Int64(head.classification.rawValue))
        plain.put(zigzag: Int64(head.symptoms.rawValue))
        plain.put(double: head.averageHeartRate ?? .nan)
        plain.put(varint: UInt64(leads.count))
        var isDense = true
        for lead in leads {
            plain.put(zigzag: lead.number)
            plain.put(string: lead.unit)
            if !VoltageCodec.encode(lead.values, into: &plain) { isDense = false }
        }
        return isDense
            ? ObjectCompressor.plain(plain.bytes)
            : ObjectCompressor(level: 6, dictionary: false).encode(plain.bytes)
    }

    /// Parses the properties of an electrocardiogram, without its voltages.
    static func head(_ body: [UInt8]) throws(HealthStoreError) -> Head {
        var reader = ByteReader(try ObjectExpander.decode(body))
        do throws(ByteError) { return try head(&reader) } catch {
            throw HealthStoreError(error, in: "an electrocardiogram")
        }
    }

    /// Parses the bytes of `body`.
    init(_ body: [UInt8]) throws(HealthStoreError) {
        var reader = ByteReader(try ObjectExpander.decode(body))
        do throws(ByteError) {
            let head = try Self.head(&reader)
            let count = try reader.varint()
            // A voltage may take a single bit, so the bound protects against very many voltages in few bytes.
            guard count <= UInt64(Self.mostLeads), UInt64(head.count) * max(1, count) <= UInt64(Self.limit) else {
                throw ByteError(offset: reader.offset, what: "too many: \(count) leads of \(head.count) voltages")
            }
            var leads: [Lead] = []
            for _ in 0..<count {
                let number = try reader.zigzag()
                let unit = try reader.string()
                guard let known = try? HKUnit(parsing: unit), known.isCompatible(with: .volt()) else {
                    throw ByteError(offset: reader.offset, what: "no unit of voltage: '\(unit)'")
                }
                leads.append(Lead(number: number, unit: unit, values: try VoltageCodec.decode(head.count, &reader)))
            }
            (self.head, self.leads) = (head, leads)
        } catch {
            throw HealthStoreError(error, in: "an electrocardiogram")
        }
    }

    private static func head(_ reader: inout ByteReader) throws(ByteError) -> Head {
        guard try reader.u8() == version else { throw ByteError(offset: 0, what: HealthMetadata.unknownPart) }
        let count = try reader.varint()
        guard count <= UInt64(limit) else { throw ByteError(offset: reader.offset, what: "\(count) voltages") }
        let frequency = try reader.double()
        guard frequency > 0, frequency.isFinite else {
            throw ByteError(offset: reader.offset, what: "invalid frequency \(frequency)")
        }
        let classification = try reader.zigzag()
        let symptoms = try reader.zigzag()
        let rate = try reader.double()
        return Head(
            count: Int(count), frequency: frequency,
            classification: Int(exactly: classification).flatMap { .init(rawValue: $0) } ?? .unrecognized,
            symptoms: Int(exactly: symptoms).flatMap { .init(rawValue: $0) } ?? .notSet,
            averageHeartRate: rate.isNaN ? nil : rate)
    }
}

/// The voltages of an electrocardiogram by time. Leads unknown to this version are omitted.
struct VoltageMeasurements: Sendable {
    let count: Int
    private let frequency: Double
    private let leads: [(lead: HKElectrocardiogram.Lead, unit: HKUnit, values: [Double])]

    init(_ record: ElectrocardiogramRecord) {
        count = record.head.count
        frequency = record.head.frequency
        leads = record.leads.compactMap { lead in
            guard let name = Int(exactly: lead.number).flatMap({ HKElectrocardiogram.Lead(rawValue: $0) }) else {
                return nil
            }
            return (name, (try? HKUnit(parsing: lead.unit)) ?? .volt(), lead.values)
        }
    }

    /// Returns the measurement at an index, from 0 to below `count`.
    subscript(place: Int) -> HKElectrocardiogram.VoltageMeasurement {
        var quantities: [HKElectrocardiogram.Lead: HKQuantity] = [:]
        for (lead, unit, values) in leads { quantities[lead] = HKQuantity(unit: unit, doubleValue: values[place]) }
        return HKElectrocardiogram.VoltageMeasurement(time: Double(place) / frequency, quantities: quantities)
    }
}
