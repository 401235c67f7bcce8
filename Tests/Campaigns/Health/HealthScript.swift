// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel
import Kymograph
import KymographHealth
import TestSupport

/// One operation of a program on a health store.
enum HealthOperation: Sendable {
    case save([HKSample])
    /// Objects of which one exists already: the call must save nothing.
    case saveTwice([HKSample])
    /// A series of watts, one per second from an instant on.
    case series(start: Int, values: [Double], sync: HealthSync?)
    /// Seconds since an instant, and whether a gap preceded.
    case heartbeats(start: Int, beats: [(since: Double, isAfterGap: Bool)])
    /// Millivolts, 512 per second.
    case electrocardiogram(start: Int, millivolts: [Double], HKElectrocardiogram.Classification)
    case workout(HealthWorkout)
    /// Adds saved samples to the saved workout with this start.
    case extend(start: Int, [HKQuantitySample])
    /// Relates a saved effort sample to the saved workout with this start.
    case relate(HKQuantitySample, start: Int)
    /// Removes the relation of an effort sample.
    case unrelate(UUID, start: Int)
    case attach(HealthScan, HKVisionPrescription)
    /// Removes the first attachment of a prescription.
    case detach(HKVisionPrescription)
    case delete([HKSample])
    /// Deletes objects of a type that start in a range of seconds.
    case deleteRange(HKSampleType, Range<Int>)
    case sex(HKBiologicalSex)
    /// The goal of kilocalories per day.
    case goal(Int?)
    /// The frequency of background delivery of a type; nil to disable it.
    case delivery(HKSampleType, HKUpdateFrequency?)
    /// Whether a program may read a type, or save it.
    case decision(HKSampleType, isSharing: Bool, isAllowed: Bool)
    /// Forgets all decisions.
    case resetDecisions
    case seal, compact, reopen
    /// Gives all data of an encrypted store new keys.
    case encrypt

    var name: String {
        switch self {
        case .save: "save"
        case .saveTwice: "save twice"
        case .series: "series"
        case .heartbeats: "heartbeats"
        case .electrocardiogram: "electrocardiogram"
        case .workout(let one): one.isBySession ? "workout by a session" : "workout"
        case .extend: "samples of a saved workout"
        case .relate: "relate effort"
        case .unrelate: "unrelate effort"
        case .attach: "attach"
        case .detach: "detach"
        case .delete: "delete"
        case .deleteRange: "delete range"
        case .sex: "characteristic"
        case .goal: "goal"
        case .delivery: "delivery"
        case .decision: "decision"
        case .resetDecisions: "reset of decisions"
        case .seal: "seal"
        case .compact: "compact"
        case .reopen: "reopen"
        case .encrypt: "encryption"
        }
    }
}

/// Random operations on a health store, and the expected content after each.
struct HealthScript: Sendable {
    let seed: UInt64
    private(set) var operations: [HealthOperation] = []
    /// The content before the first operation, and after each.
    private(set) var states: [HealthModelState] = [HealthModelState()]

    static let steps = HKQuantityType(.stepCount)
    static let rate = HKQuantityType(.heartRate)
    static let sleep = HKCategoryType(.sleepAnalysis)
    static let power = HKQuantityType(.cyclingPower)
    static let energy = HKQuantityType(.activeEnergyBurned)
    static let electrocardiogram = HKObjectType.electrocardiogramType()
    static let workout = HKObjectType.workoutType()
    static let effort = HKQuantityType(.workoutEffortScore)
    static let prescription = HKObjectType.visionPrescriptionType()
    static let pressure = HKCorrelationType(.bloodPressure)
    /// All types of a script, including members of correlations.
    static let types: [HKSampleType] = [
        steps, rate, sleep, power, energy, pressure, HKQuantityType(.bloodPressureSystolic),
        HKQuantityType(.bloodPressureDiastolic), HKSeriesType.heartbeat(), electrocardiogram, workout,
        HKSeriesType.workoutRoute(), prescription, effort,
    ]
    private static let begin = Date(timeIntervalSince1970: 1_700_000_000)
    /// The range of all start times, in seconds.
    private static let span = 40_000

    static func date(_ second: Int) -> Date { begin.addingTimeInterval(Double(second)) }
    static func second(_ date: Date) -> Int { Int(date.timeIntervalSince(begin).rounded(.down)) }

    static func sync(_ sample: HKSample) -> HealthSync? {
        guard let metadata = sample.metadata, let name = metadata[HKMetadataKeySyncIdentifier] as? String,
            let version = metadata[HKMetadataKeySyncVersion] as? Int
        else { return nil }
        return HealthSync(name: name, version: version)
    }

    init(seed: UInt64, length: Int = 12) {
        self.seed = seed
        var random = SeededGenerator(seed: seed)
        for number in 0..<length {
            let operation = number == 0 ? save(&random) : next(&random)
            operations.append(operation)
            var state = states[states.count - 1]
            state.apply(operation)
            states.append(state)
        }
    }

    private func next(_ random: inout SeededGenerator) -> HealthOperation {
        let state = states[states.count - 1]
        // In an order independent of the dictionary's.
        let there = state.samples.values.sorted {
            ($0.startDate, $0.uuid.uuidString) < ($1.startDate, $1.uuid.uuidString)
        }
        switch random.below(41) {
        case 0...6: return save(&random)
        case 7:
            // A version that is not newer than the stored one is ignored, and no error.
            let plain = there.filter { Self.sync($0) == nil }
            guard !plain.isEmpty else { return .seal }
            return .saveTwice([sample(&random), random.pick(plain), sample(&random)].shuffled(using: &random))
        case 8, 9:
            let values = (0..<5 + random.below(60)).map { _ in random.fraction() * 400 }
            let sync = HealthSync(name: "q\(random.below(2))", version: random.below(4))
            return .series(start: random.below(Self.span), values: values, sync: random.chance(0.6) ? sync : nil)
        case 10:
            var at = 0.0
            let beats = (0..<1 + random.below(40)).map { _ in
                at += 0.5 + Double(random.below(1_000)) / 1_000
                return (since: at, isAfterGap: random.chance(0.1))
            }
            return .heartbeats(start: random.below(Self.span), beats: beats)
        case 11, 12:
            guard !there.isEmpty else { return .compact }
            var chosen = [HKSample]()
            for one in there where chosen.count < 6 && random.chance(0.2) { chosen.append(one) }
            return .delete(chosen.isEmpty ? [there[0]] : chosen)
        case 13, 14:
            let first = random.below(Self.span)
            let range = first..<first + 1 + random.below(Self.span / 2)
            let types = [Self.steps, Self.rate, Self.sleep, Self.power, Self.pressure, Self.energy, Self.prescription]
            return .deleteRange(random.pick(types + [Self.electrocardiogram, Self.workout]), range)
        case 15: return .sex(random.pick([.female, .male, .other]))
        case 16: return TestKey.isUsed && random.chance(0.25) ? .encrypt : .seal
        case 17: return .compact
        case 18, 19:
            // Multiples of a converter's step, or numbers without common decimals.
            let isPlain = random.chance(0.7)
            let millivolts = (0..<1 + random.below(700)).map { _ in
                isPlain ? Double(random.below(4_000) - 2_000) / 1_000 : random.fraction() - 0.5
            }
            return .electrocardiogram(
                start: random.below(Self.span), millivolts: millivolts,
                random.pick([.sinusRhythm, .atrialFibrillation, .inconclusivePoorReading]))
        case 20: return .goal(random.chance(0.2) ? nil : 100 * random.below(10))
        case 21:
            let type: HKSampleType = random.pick([Self.steps, Self.sleep, Self.electrocardiogram])
            return .delivery(type, random.chance(0.3) ? nil : random.pick(HKUpdateFrequency.allCases))
        case 22...25: return .workout(HealthWorkout(start: random.below(Self.span), among: there, &random))
        case 26, 27:
            let type = random.pick([Self.steps, Self.sleep, Self.electrocardiogram, Self.workout])
            return .decision(type, isSharing: random.chance(0.4), isAllowed: random.chance(0.6))
        case 28: return .resetDecisions
        case 29, 30: return .reopen
        case 31...34: return change(state, there, &random)
        default:
            let prescriptions = there.compactMap { $0 as? HKVisionPrescription }
            guard !prescriptions.isEmpty else { return .save([prescription(&random)]) }
            let one = random.pick(prescriptions)
            return random.chance(0.25) ? .detach(one) : .attach(HealthScan(of: one, &random), one)
        }
    }

    /// Returns a change of a saved workout.
    private func change(
        _ state: HealthModelState, _ there: [HKSample], _ random: inout SeededGenerator
    ) -> HealthOperation {
        let workouts = state.workouts
        guard !workouts.isEmpty else {
            return .workout(HealthWorkout(start: random.below(Self.span), among: there, &random))
        }
        let entry = random.pick(workouts)
        guard let workout = entry.workout else { return .seal }
        let known = there.filter { $0.sampleType == Self.effort && entry.efforts.contains($0.uuid) }
        if let one = known.first, random.chance(0.4) { return .unrelate(one.uuid, start: workout.start) }
        let members = (workout.steps + entry.added).map(\.uuid)
        let further = there.compactMap { $0 as? HKQuantitySample }.filter {
            $0.sampleType == Self.steps && Self.sync($0) == nil && !members.contains($0.uuid)
        }
        // The statistics are computed from the samples that are still there.
        if !further.isEmpty, members.allSatisfy({ state.samples[$0] != nil }), random.chance(0.5) {
            return .extend(start: workout.start, Array(further.prefix(1 + random.below(5))))
        }
        let efforts = there.compactMap { $0 as? HKQuantitySample }.filter { $0.sampleType == Self.effort }
        if efforts.isEmpty { return .save([effort(&random)]) }
        return .relate(random.pick(efforts), start: workout.start)
    }

    private func effort(_ random: inout SeededGenerator) -> HKQuantitySample {
        let date = Self.date(random.below(Self.span))
        return HKQuantitySample(
            type: Self.effort,
            quantity: HKQuantity(unit: .appleEffortScore(), doubleValue: Double(1 + random.below(10))), start: date,
            end: date)
    }

    private func save(_ random: inout SeededGenerator) -> HealthOperation {
        // Few objects, sometimes enough for a segment.
        let count = random.chance(0.15) ? 420 : 1 + random.below(12)
        return .save((0..<count).map { _ in sample(&random) })
    }

    private func prescription(_ random: inout SeededGenerator) -> HKVisionPrescription {
        var metadata: [String: Any]?
        if random.chance(0.4) {
            metadata = [HKMetadataKeySyncIdentifier: "p", HKMetadataKeySyncVersion: random.below(4)]
        }
        return HKVisionPrescription(
            type: .glasses, dateIssued: Self.date(random.below(Self.span)), expirationDate: nil, device: nil,
            metadata: metadata)
    }

    private func sample(_ random: inout SeededGenerator) -> HKSample {
        // Times with all bits, as clocks return them.
        let start = Self.date(random.below(Self.span)).addingTimeInterval(random.chance(0.7) ? random.fraction() : 0)
        let end = random.chance(0.4) ? start : start.addingTimeInterval(random.fraction() * 900)
        let device = random.chance(0.5) ? HealthLines.device(random.below(3)) : nil
        var metadata: [String: Any]?
        if random.chance(0.3) { metadata = ["note": "n\(random.below(4))", HKMetadataKeyWasUserEntered: true] }
        switch random.below(14) {
        case 13: return effort(&random)
        case 12: return prescription(&random)
        case 0...3:
            if random.chance(0.2) {
                metadata = [
                    HKMetadataKeySyncIdentifier: "s\(random.below(3))", HKMetadataKeySyncVersion: random.below(4),
                ]
            }
            return HKQuantitySample(
                type: Self.steps, quantity: HKQuantity(unit: .count(), doubleValue: Double(random.below(500))),
                start: start, end: end, device: device, metadata: metadata)
        case 4...6:
            let unit = HKUnit.count().unitDivided(by: random.chance(0.8) ? .minute() : .second())
            return HKQuantitySample(
                type: Self.rate, quantity: HKQuantity(unit: unit, doubleValue: random.fraction() * 200),
                start: start, end: start, device: device, metadata: metadata)
        case 10, 11:
            return HKQuantitySample(
                type: Self.energy,
                quantity: HKQuantity(unit: .kilocalorie(), doubleValue: Double(random.below(50))), start: start,
                end: start, device: device, metadata: metadata)
        case 7, 8:
            return HKCategorySample(
                type: Self.sleep, value: random.below(6), start: start, end: end, device: device, metadata: metadata)
        default:
            if random.chance(0.4) {
                metadata = [
                    HKMetadataKeySyncIdentifier: "c\(random.below(2))", HKMetadataKeySyncVersion: random.below(4),
                ]
            }
            let members = [
                (HKQuantityType(.bloodPressureSystolic), 120), (HKQuantityType(.bloodPressureDiastolic), 70),
            ].map { type, value in
                HKQuantitySample(
                    type: type,
                    quantity: HKQuantity(
                        unit: .millimeterOfMercury(), doubleValue: Double(value + random.below(30))),
                    start: start, end: start)
            }
            return HKCorrelation(
                type: Self.pressure, start: start, end: start, objects: Set(members), device: device,
                metadata: metadata)
        }
    }
}
