// SPDX-License-Identifier: Apache-2.0

/// An electrocardiogram without its voltages.
package struct Electrocardiogram: Sendable, Hashable {
    package let id: SampleIdentity
    package let start: Int64
    package let end: Int64
    package let classification: HKElectrocardiogram.Classification
    /// Beats per minute; nil if unknown.
    package let heartRate: Double?
    /// Voltages per second; nil if unknown.
    package let frequency: Double?
    /// The number of voltages.
    package let voltages: Int
    package let source: String

    /// The identity as 32 hexadecimal digits in lower case.
    package var identity: String { id.hexadecimal }

    /// The rhythm in words: `sinus rhythm`.
    package var rhythm: String {
        switch classification {
        case .notSet: "not classified"
        case .sinusRhythm: "sinus rhythm"
        case .atrialFibrillation: "atrial fibrillation"
        case .inconclusiveLowHeartRate: "inconclusive, low heart rate"
        case .inconclusiveHighHeartRate: "inconclusive, high heart rate"
        case .inconclusivePoorReading: "inconclusive, poor reading"
        case .inconclusiveOther: "inconclusive"
        case .unrecognized: "unrecognized"
        }
    }
}

/// A voltage of an electrocardiogram.
package struct Voltage: Sendable, Hashable {
    /// Seconds since the start.
    package let time: Double
    package let millivolts: Double
}

/// The electrocardiograms of a store, with short identities.
package struct ElectrocardiogramList: Sendable {
    /// Sorted by start.
    package let all: [Electrocardiogram]
    private let identities: ShortIdentities

    package init(_ all: [Electrocardiogram]) {
        self.all = all
        identities = ShortIdentities(all.map(\.id))
    }

    /// The number of hexadecimal digits that distinguishes all identities, at least six.
    package var digits: Int { identities.digits }

    package func short(_ one: Electrocardiogram) -> String { identities.short(one.id) }

    /// Returns the electrocardiograms whose identity begins with some digits; hyphens and case are ignored.
    package func matching(_ prefix: String) -> [Electrocardiogram] { identities.matching(prefix).map { all[$0] } }
}

extension HealthStore {
    /// Returns the electrocardiograms that start in a range.
    package func electrocardiograms(startingIn range: TimeRange = .all) throws -> ElectrocardiogramList {
        var found: [Electrocardiogram] = []
        try list(HKObjectType.electrocardiogramType(), startingIn: range) { one in
            guard let sample = one.sample as? HKElectrocardiogram else { return true }
            found.append(
                Electrocardiogram(
                    id: SampleIdentity(sample.uuid), start: one.start, end: one.end,
                    classification: sample.classification,
                    heartRate: sample.averageHeartRate?.doubleValue(for: .count().unitDivided(by: .minute())),
                    frequency: sample.samplingFrequency?.doubleValue(for: .hertz()),
                    voltages: sample.numberOfVoltageMeasurements, source: sample.sourceRevision.source.name))
            return true
        }
        return ElectrocardiogramList(found)
    }

    /// Returns the voltages of an electrocardiogram's first lead, in order of time.
    package func voltages(of one: Electrocardiogram) throws -> [Voltage] {
        let object = try object(one.id.uuid, parts: one.voltages)
        return (object?.voltages ?? []).map {
            Voltage(time: $0.time, millivolts: $0.voltage.doubleValue(for: .voltUnit(with: .milli)))
        }
    }
}
