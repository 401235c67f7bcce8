// SPDX-License-Identifier: Apache-2.0

import Bytes
import HealthModel

/// An electrocardiogram as a store keeps it: what is said of it, and the voltages of each lead.
struct ElectrocardiogramRecord: Sendable {
    /// The voltages of one lead, one behind the other at the sampling frequency.
    struct Lead: Sendable, Equatable {
        /// The raw value of an `HKElectrocardiogram.Lead`.
        let number: Int64
        /// The text of a unit of voltage.
        let unit: String
        let values: [Double]
    }

    /// What is said of it.
    struct Head: Sendable, Equatable {
        /// How many voltages each lead has.
        let count: Int
        /// In hertz.
        let frequency: Double
        let classification: HKElectrocardiogram.Classification
        let symptoms: HKElectrocardiogram.SymptomsStatus
        /// In beats a minute; nil where it is not known.
        let averageHeartRate: Double?

        /// What an `HKElectrocardiogram` keeps of it.
        var facts: HKElectrocardiogram.Facts {
            HKElectrocardiogram.Facts(
                voltages: count, samplingFrequency: HKQuantity(unit: .hertz(), doubleValue: frequency),
                classification: classification,
                averageHeartRate: averageHeartRate.map {
                    HKQuantity(unit: .count().unitDivided(by: .minute()), doubleValue: $0)
                }, symptoms: symptoms)
        }

        /// How long it takes, in nanoseconds.
        var duration: Int64 { Self.duration(of: count, at: frequency) }

        /// How long so many voltages take at a frequency in hertz, in nanoseconds; not more than 9e18.
        static func duration(of count: Int, at frequency: Double) -> Int64 {
            Int64(max(0, min(9e18, (Double(count) / frequency * 1e9).rounded())))
        }
    }

    let head: Head
    let leads: [Lead]

    private static let version: UInt8 = 1
    /// The most voltages that are read back, and the most leads.
    private static let limit = 1 << 24
    private static let mostLeads = 16

    init(_ head: Head, _ leads: [Lead]) {
        self.head = head
        self.leads = leads
    }

    /// The bytes, as `Docs/Format/Catalog.md` describes them.
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

    /// Reads what is said of an electrocardiogram, without its voltages.
    static func head(_ body: [UInt8]) throws(HealthStoreError) -> Head {
        var reader = ByteReader(try ObjectExpander.decode(body))
        do throws(ByteError) { return try head(&reader) } catch { throw Self.error(error) }
    }

    /// Reads what `body` wrote.
    init(_ body: [UInt8]) throws(HealthStoreError) {
        var reader = ByteReader(try ObjectExpander.decode(body))
        do throws(ByteError) {
            let head = try Self.head(&reader)
            let count = try reader.varint()
            // A voltage may take a single bit: without a bound, few bytes would be very many voltages.
            guard count <= UInt64(Self.mostLeads), UInt64(head.count) * max(1, count) <= UInt64(Self.limit) else {
                throw ByteError(offset: reader.offset, what: "\(count) leads of \(head.count) voltages")
            }
            var leads: [Lead] = []
            for _ in 0..<count {
                let number = try reader.zigzag()
                let unit = try reader.string()
                guard let known = try? HKUnit(parsing: unit), known.isCompatible(with: .volt()) else {
                    throw ByteError(offset: reader.offset, what: "voltages in '\(unit)'")
                }
                leads.append(Lead(number: number, unit: unit, values: try VoltageCodec.decode(head.count, &reader)))
            }
            (self.head, self.leads) = (head, leads)
        } catch {
            throw Self.error(error)
        }
    }

    private static func head(_ reader: inout ByteReader) throws(ByteError) -> Head {
        guard try reader.u8() == version else { throw ByteError(offset: 0, what: HealthMetadata.unknownPart) }
        let count = try reader.varint()
        guard count <= UInt64(limit) else { throw ByteError(offset: reader.offset, what: "\(count) voltages") }
        let frequency = try reader.double()
        guard frequency > 0, frequency.isFinite else {
            throw ByteError(offset: reader.offset, what: "a frequency of \(frequency)")
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

    private static func error(_ error: ByteError) -> HealthStoreError {
        HealthStoreError(
            error.what == HealthMetadata.unknownPart ? .newerFormat : .corrupt,
            "an electrocardiogram cannot be read at byte \(error.offset): \(error.what)")
    }
}

/// The voltages of an electrocardiogram, moment by moment. Of a lead that this version does not know there are none.
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

    /// What was measured at a place from 0 to the count.
    subscript(place: Int) -> HKElectrocardiogram.VoltageMeasurement {
        var quantities: [HKElectrocardiogram.Lead: HKQuantity] = [:]
        for (lead, unit, values) in leads { quantities[lead] = HKQuantity(unit: unit, doubleValue: values[place]) }
        return HKElectrocardiogram.VoltageMeasurement(time: Double(place) / frequency, quantities: quantities)
    }
}
