// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel
import TestSupport
import Testing

@Suite("S-9 S-10 S-29 S-36 S-47 S-114 objects")
struct HealthObjectTests {
    private let start = Date(timeIntervalSinceReferenceDate: 700_000_000)
    private let end = Date(timeIntervalSinceReferenceDate: 700_000_060)
    private let pulse = HKQuantity(unit: HKUnit(from: "count/min"), doubleValue: 72)

    @Test("each initialiser of a quantity sample sets its properties")
    func quantity() {
        let type = HKQuantityType(.heartRate)
        let device = HKDevice.local()
        let plain = HKQuantitySample(type: type, quantity: pulse, start: start, end: end)
        let said = HKQuantitySample(type: type, quantity: pulse, start: start, end: end, metadata: ["a": 1])
        let all = HKQuantitySample(
            type: type, quantity: pulse, start: start, end: end, device: device, metadata: ["a": 1])
        for sample in [plain, said, all] {
            #expect(sample.quantityType == type && sample.sampleType == type && sample.quantity === pulse)
            #expect(sample.startDate == start && sample.endDate == end && sample.count == 1)
            #expect(!sample.hasUndeterminedDuration && sample.sourceRevision.source == .default())
            #expect(sample.source == .default())
        }
        #expect(plain.metadata == nil && plain.device == nil && said.device == nil && all.device === device)
        #expect(said.metadata?["a"] as? Int == 1 && all.metadata?.count == 1)
        #expect(Set([plain, said, all]).count == 3)
    }

    @Test("each initialiser of a category sample sets its properties")
    func category() {
        let type = HKCategoryType(.sleepAnalysis)
        let value = HKCategoryValueSleepAnalysis.asleepREM.rawValue
        let samples = [
            HKCategorySample(type: type, value: value, start: start, end: end),
            HKCategorySample(type: type, value: value, start: start, end: end, metadata: ["a": true]),
            HKCategorySample(type: type, value: value, start: start, end: end, device: .local(), metadata: nil),
        ]
        for sample in samples { #expect(sample.value == 5 && sample.categoryType == type) }
        #expect(samples[1].metadata?["a"] as? Bool == true && samples[2].device == .local())
        let open = HKCategorySample(type: HKCategoryType(.pregnancy), value: 0, start: start, end: .distantFuture)
        #expect(open.hasUndeterminedDuration)
    }

    @Test("a correlation has its samples by type")
    func correlation() {
        let (upper, lower) = (HKQuantityType(.bloodPressureSystolic), HKQuantityType(.bloodPressureDiastolic))
        func pressure(_ type: HKQuantityType, _ value: Double) -> HKQuantitySample {
            let quantity = HKQuantity(unit: .millimeterOfMercury(), doubleValue: value)
            return HKQuantitySample(type: type, quantity: quantity, start: start, end: start)
        }
        let members: Set<HKSample> = [pressure(upper, 120), pressure(lower, 80)]
        let whole = HKCorrelation(type: HKCorrelationType(.bloodPressure), start: start, end: start, objects: members)
        #expect(whole.objects == members && whole.correlationType == HKCorrelationType(.bloodPressure))
        #expect((whole.objects(for: upper).first as? HKQuantitySample)?.quantity.value == 120)
        #expect(whole.objects(for: lower).count == 1 && whole.objects(for: HKQuantityType(.stepCount)).isEmpty)
    }

    @Test("a stored quantity has the class of its type's aggregation style")
    func stored() {
        let header = ObjectHeader(
            uuid: UUID(), sourceRevision: HKSourceRevision(source: .default(), version: "3"), device: nil,
            metadata: ["HKWasUserEntered": .boolean(true)])
        let steps = HKQuantitySample.stored(
            header: header, type: HKQuantityType(.stepCount),
            quantity: HKQuantity(unit: .count(), doubleValue: 30), count: 3, start: start, end: end)
        #expect((steps as? HKCumulativeQuantitySample)?.sumQuantity.value == 30 && steps.count == 3)
        #expect(steps.uuid == header.uuid && steps.sourceRevision.version == "3")
        #expect(steps.metadata?[HKMetadataKeyWasUserEntered] as? Bool == true)
        let single = HKQuantitySample.stored(
            header: header, type: HKQuantityType(.heartRate), quantity: pulse, start: start, end: end)
        let discrete = single as? HKDiscreteQuantitySample
        #expect(discrete?.minimumQuantity == pulse && discrete?.mostRecentQuantity == pulse)
        #expect(discrete?.mostRecentQuantityDateInterval == DateInterval(start: start, end: end))
        let fast = HKQuantity(unit: HKUnit(from: "count/min"), doubleValue: 90)
        let series = HKDiscreteQuantitySample(
            header: header, type: HKQuantityType(.heartRate), quantity: pulse, count: 2, start: start, end: end,
            range: QuantityRange(
                minimum: pulse, maximum: fast, mostRecent: fast,
                mostRecentInterval: DateInterval(start: end, duration: 0)))
        #expect(series.maximumQuantity == fast && series.averageQuantity == pulse && series.mostRecentQuantity == fast)
        #expect(steps == single && steps.hash == single.hash, "objects with the same identity are equal")
    }

    @Test("electrocardiograms, heartbeat series and deleted objects have their stored properties")
    func others() {
        let header = ObjectHeader(
            uuid: UUID(), sourceRevision: HKSourceRevision(source: .default(), version: nil), device: nil, metadata: nil
        )
        let ecg = HKElectrocardiogram(
            header: header, start: start, end: end,
            facts: .init(
                voltages: 15_360, samplingFrequency: HKQuantity(unit: .hertz(), doubleValue: 512),
                classification: .sinusRhythm, averageHeartRate: pulse, symptoms: .none))
        #expect(ecg.classification.rawValue == 1 && ecg.symptomsStatus.rawValue == 1 && ecg.averageHeartRate == pulse)
        #expect(ecg.numberOfVoltageMeasurements == 15_360 && ecg.samplingFrequency?.value == 512)
        #expect(ecg.sampleType == HKObjectType.electrocardiogramType())
        #expect(HKElectrocardiogram.Classification.allCases.map(\.rawValue) == [0, 1, 2, 3, 4, 5, 6, 100])
        let beats = HKHeartbeatSeriesSample(header: header, start: start, end: end, count: 61)
        #expect(beats.count == 61 && beats.sampleType == HKSeriesType.heartbeat())
        let trace = HKDeletedObject(uuid: header.uuid, metadata: [HKMetadataKeySyncVersion: .integer(2)])
        #expect(trace.uuid == header.uuid && trace.metadata?[HKMetadataKeySyncVersion] as? Int == 2)
        #expect(trace == HKDeletedObject(uuid: header.uuid, metadata: nil))
    }

    @Test("identities are UUIDs of version 8 with one prefix and an ascending counter")
    func identities() {
        let objects = (0..<1000).map { _ in
            HKQuantitySample(type: HKQuantityType(.heartRate), quantity: pulse, start: start, end: end)
        }
        let halves = objects.map { Halves($0.uuid) }
        #expect(Set(halves.map(\.high)).count == 1)
        #expect(zip(halves, halves.dropFirst()).allSatisfy { $0.low < $1.low })
        #expect(halves[0].high >> 12 & 0xF == 8 && halves[0].low >> 62 == 0b10)
    }

    @Test("identities of concurrent threads are unique")
    func threads() async {
        let made = await withTaskGroup(of: [UUID].self) { group in
            for _ in 0..<4 {
                group.addTask {
                    (0..<1000).map { _ in
                        HKCategorySample(
                            type: HKCategoryType(.lactation), value: 0, start: .distantPast, end: .distantPast
                        ).uuid
                    }
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(made.count == 4000 && Set(made).count == 4000)
    }

    @Test("a forked process has its own prefix")
    func forked() {
        let before = Halves(HKCategorySample(type: HKCategoryType(.acne), value: 0, start: start, end: end).uuid)
        // Swift hides `fork`, since few calls are safe in the child; this child makes one identity and exits.
        guard let symbol = unsafe dlsym(nil, "fork") else {
            Issue.record("the symbol fork was not found")
            return
        }
        let fork = unsafe unsafeBitCast(symbol, to: (@convention(c) () -> Int32).self)
        var ends: [Int32] = [0, 0]
        #expect(unsafe pipe(&ends) == 0)
        let child = fork()
        if child == 0 {
            var bytes = ObjectIdentity.next().uuid
            _ = unsafe write(ends[1], &bytes, 16)
            _exit(0)
        }
        var bytes = UUID().uuid
        #expect(unsafe read(ends[0], &bytes, 16) == 16)
        var status: Int32 = 0
        #expect(unsafe waitpid(child, &status, 0) == child)
        close(ends[0])
        close(ends[1])
        let (inChild, after) = (Halves(UUID(uuid: bytes)), Halves(ObjectIdentity.next()))
        #expect(inChild.high != before.high && inChild.high >> 12 & 0xF == 8)
        #expect(after.high == before.high && after.low > before.low)
    }
}

/// The two halves of an identity as integers.
private struct Halves {
    let high: UInt64
    let low: UInt64

    init(_ uuid: UUID) {
        let digits = uuid.uuidString.filter { $0 != "-" }
        high = UInt64(digits.prefix(16), radix: 16) ?? 0
        low = UInt64(digits.suffix(16), radix: 16) ?? 0
    }
}
