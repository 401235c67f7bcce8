// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HealthModel

/// A simulated wearer of a watch. It generates days of heart rate, steps, distance, energy and sleep, for tests and
/// demonstrations.
///
/// The same seed, wearer and day yield the same samples and identities, bit for bit, on any machine. Each day is
/// independent, so days can be generated in any order. Identities depend only on the seed and the day, so the wearers
/// of one store need different seeds. The data is not measured: the shapes (a resting rate that falls at night, sleep
/// cycles of about ninety minutes, walks at a hundred steps a minute, a run on some days) are common knowledge, not
/// medicine.
///
/// The samples have the source ``source``. `kymo simulate` keeps it; a program that saves the samples with
/// ``HKHealthStore`` becomes their source, as for every object.
public struct SimulatedWearer: Sendable {
    /// The seed, which distinguishes the wearer and the identities of the wearer's samples.
    public var seed: UInt64
    /// The time zone of the wearer's days and nights.
    public var timeZone: TimeZone
    /// The resting heart rate, in beats per minute, from 35 to 110.
    public var restingHeartRate: Double {
        didSet {
            restingHeartRate = Self.move(restingHeartRate, into: Self.restingRange)
            maximumHeartRate = Self.move(maximumHeartRate, into: maximumRange)
        }
    }
    /// The maximum heart rate, in beats per minute, above the resting rate and at most 250.
    public var maximumHeartRate: Double {
        didSet { maximumHeartRate = Self.move(maximumHeartRate, into: maximumRange) }
    }
    /// The approximate number of steps on an ordinary day, at most 100,000.
    public var dailySteps: Double { didSet { dailySteps = Self.move(dailySteps, into: Self.stepsRange) } }
    /// The seconds between two heart rates while awake, from 1 to 86,400. Asleep, the interval is five times as long.
    public var heartRateInterval: Double {
        didSet { heartRateInterval = Self.move(heartRateInterval, into: Self.intervalRange) }
    }

    private static let restingRange = 35.0...110
    private static let stepsRange = 0.0...100_000
    private static let intervalRange = 1.0...86_400
    private var maximumRange: ClosedRange<Double> { restingHeartRate + 1...250 }

    /// Creates a wearer. Values out of range are clamped, here and when a property is set.
    public init(
        seed: UInt64, timeZone: TimeZone = .gmt, restingHeartRate: Double = 58, maximumHeartRate: Double = 185,
        dailySteps: Double = 8_000, heartRateInterval: Double = 60
    ) {
        self.seed = seed
        self.timeZone = timeZone
        let atRest = Self.move(restingHeartRate, into: Self.restingRange)
        self.restingHeartRate = atRest
        self.maximumHeartRate = Self.move(maximumHeartRate, into: atRest + 1...250)
        self.dailySteps = Self.move(dailySteps, into: Self.stepsRange)
        self.heartRateInterval = Self.move(heartRateInterval, into: Self.intervalRange)
    }

    /// Clamps a value; NaN becomes the lower bound.
    private static func move(_ value: Double, into range: ClosedRange<Double>) -> Double {
        value > range.lowerBound ? min(value, range.upperBound) : range.lowerBound
    }

    /// The source of the samples. It is the last source in every default order of sources.
    public static let source = HKSource(name: "Simulated watch", bundleIdentifier: "dev.kymograph.simulated")

    /// The revision of the source: the same on every machine.
    package static let sourceRevision = HKSourceRevision(
        source: source, version: "1.0", productType: "Watch",
        operatingSystemVersion: OperatingSystemVersion(majorVersion: 0, minorVersion: 0, patchVersion: 0))

    /// Returns whether a stored source is the source of the wearer. A source of an export has no bundle identifier, so
    /// its name decides.
    static func isSource(name: String, bundle: String?) -> Bool {
        guard let bundle else { return name == source.name }
        return bundle == source.bundleIdentifier
    }

    /// The wearer's watch.
    public static let device = HKDevice(
        name: "Simulated watch", manufacturer: "Kymograph", model: "Watch", hardwareVersion: "1",
        firmwareVersion: nil, softwareVersion: "1.0", localIdentifier: nil, udiDeviceIdentifier: nil)

    /// Returns the samples of a day, from midnight to midnight, sorted by type and start. Sleep belongs to the day on
    /// which it ends. A day that the time zone skips has no samples, and neither has a day outside of the storable
    /// range.
    ///
    /// - Parameter day: any time of the day in the wearer's zone.
    /// - Complexity: O(samples): about 1,500 with one heart rate per minute.
    public func samples(of day: Date) -> [HKSample] {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = timeZone
        guard StoredTime.nanoseconds(day) != nil, let span = calendar.dateInterval(of: .day, for: day) else {
            return []
        }
        let date = calendar.dateComponents([.year, .month, .day], from: span.start)
        let number = UInt64((date.year ?? 0) * 512 + (date.month ?? 0) * 32 + (date.day ?? 0))
        var dice = SimulatedDice(seed: seed, day: number)
        let plan = SimulatedDay(self, span, &dice)
        var forge = SampleForge(seed: seed, day: number)
        return plan.sleep(&forge, &dice) + plan.heartRates(&forge, &dice) + plan.movements(&forge, &dice)
    }
}

/// A generator of samples whose identities depend only on the seed, the day and a counter.
struct SampleForge {
    private let high: UInt64
    private var count: UInt64 = 0

    init(seed: UInt64, day: UInt64) {
        var dice = SimulatedDice(seed: seed &+ 0x9E37_79B9, day: day)
        // UUID version 8, like generated identities.
        high = dice.next() & ~0xF000 | 0x8000
    }

    private mutating func header(_ metadata: HealthMetadataValues?) -> ObjectHeader {
        count += 1
        return ObjectHeader(
            uuid: UUID(high: high, low: 0x8000_0000_0000_0000 | count), sourceRevision: SimulatedWearer.sourceRevision,
            device: SimulatedWearer.device, metadata: metadata)
    }

    mutating func quantity(
        _ type: HKQuantityType, _ value: Double, _ unit: HKUnit, _ start: Date, _ end: Date,
        _ metadata: HealthMetadataValues? = nil
    ) -> HKSample {
        HKQuantitySample(
            header: header(metadata), type: type, quantity: HKQuantity(unit: unit, doubleValue: value), count: 1,
            start: start, end: end)
    }

    mutating func category(_ type: HKCategoryType, _ value: Int, _ start: Date, _ end: Date) -> HKSample {
        HKCategorySample(header: header(nil), type: type, value: value, start: start, end: end)
    }
}

/// Reproducible random numbers: SplitMix64.
struct SimulatedDice {
    private var state: UInt64

    /// Creates the numbers of a day. Seed and day are mixed in two steps, because the increment of `next` must not lead
    /// from the numbers of one day to those of the next.
    init(seed: UInt64, day: UInt64) {
        state = seed
        state = next() ^ day
        state = next()
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// Returns a number from 0 to 1.
    mutating func unit() -> Double { Double(next() >> 11) / Double(1 << 53) }

    /// Returns a number between two numbers.
    mutating func between(_ low: Double, _ high: Double) -> Double { low + (high - low) * unit() }

    mutating func chance(_ probability: Double) -> Bool { unit() < probability }
}
