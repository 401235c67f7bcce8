// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel
import Testing

@Suite("S-37 S-38 S-68 S-127 S-128 S-175 predicates")
struct PredicateTests {
    private let zero = Date(timeIntervalSinceReferenceDate: 0)
    private func at(_ seconds: Double) -> Date { zero.addingTimeInterval(seconds) }
    private func seconds(_ start: Double, _ end: Double) -> HKSample {
        HKCategorySample(type: HKCategoryType(.acne), value: 0, start: at(start), end: at(end))
    }

    @Test(
        "the window is half open, and the options make its bounds strict",
        arguments: [
            // Columns: start, end, then whether the sample matches 10..<20 with no option, strictStartDate,
            // strictEndDate, both.
            (0.0, 9.0, false, false, false, false), (0, 10, false, false, true, false),
            (5, 15, true, false, true, false),
            (10, 15, true, true, true, true), (10, 20, true, true, false, false), (15, 25, true, true, false, false),
            (5, 25, true, false, false, false), (20, 25, false, false, false, false), (10, 10, true, true, true, true),
            (20, 20, false, false, false, false), (15, 15, true, true, true, true), (9, 9, false, false, false, false),
        ])
    func window(_ start: Double, _ end: Double, _ none: Bool, _ first: Bool, _ last: Bool, _ both: Bool) {
        let sample = seconds(start, end)
        func matches(_ options: HKQueryOptions) -> Bool {
            HKQuery.predicateForSamples(withStart: at(10), end: at(20), options: options).evaluate(with: sample)
        }
        #expect(matches([]) == none)
        #expect(matches(.strictStartDate) == first)
        #expect(matches(.strictEndDate) == last)
        #expect(matches([.strictStartDate, .strictEndDate]) == both)
    }

    @Test("windows may be open at each side, samples may have open ends, and a reversed window matches nothing")
    func bounds() {
        func matches(_ start: Date?, _ end: Date?, _ options: HKQueryOptions = []) -> Bool {
            HKQuery.predicateForSamples(withStart: start, end: end, options: options).evaluate(with: seconds(5, 15))
        }
        #expect(matches(nil, nil) && matches(at(14), nil) && !matches(at(15), nil))
        #expect(matches(nil, at(6)) && !matches(nil, at(5)) && !matches(nil, at(15), .strictEndDate))
        #expect(matches(.distantPast, .distantFuture, [.strictStartDate, .strictEndDate]))
        #expect(!matches(at(14), at(6)) && !matches(at(10), at(10)), "the window is empty")
        let nowhere = seconds(.nan, .nan)
        for options in [[], .strictStartDate, .strictEndDate] as [HKQueryOptions] {
            #expect(!HKQuery.predicateForSamples(withStart: nil, end: nil, options: options).evaluate(with: nowhere))
            #expect(!matches(at(.nan), nil, options) && !matches(nil, at(.nan), options))
        }
        #expect(!matches(at(20), nil, HKQueryOptions(rawValue: 4)), "unknown option bits are ignored")
        #expect(HKQueryOptions.strictStartDate.rawValue == 1 && HKQueryOptions.strictEndDate.rawValue == 2)
        let open = HKCategorySample(type: HKCategoryType(.pregnancy), value: 0, start: at(5), end: .distantFuture)
        #expect(HKQuery.predicateForSamples(withStart: at(1e9), end: at(2e9)).evaluate(with: open))
    }

    @Test("predicates by identity, source, revision and device match exactly these objects")
    func origin() {
        let device = HKDevice(
            name: "Watch", manufacturer: nil, model: "Watch", hardwareVersion: nil, firmwareVersion: nil,
            softwareVersion: "10", localIdentifier: nil, udiDeviceIdentifier: nil)
        let revision = HKSourceRevision(source: HKSource(name: "A", bundleIdentifier: "a"), version: "1.0")
        let header = ObjectHeader(uuid: UUID(), sourceRevision: revision, device: device, metadata: nil)
        let sample = HKCategorySample(header: header, type: HKCategoryType(.acne), value: 0, start: at(0), end: at(1))
        let other = seconds(0, 1)
        func only(_ predicate: NSPredicate) -> Bool {
            predicate.evaluate(with: sample) && !predicate.evaluate(with: other)
        }
        #expect(only(HKQuery.predicateForObject(with: sample.uuid)))
        #expect(only(HKQuery.predicateForObjects(with: [sample.uuid, UUID()])))
        #expect(only(HKQuery.predicateForObjects(from: HKSource(name: "B", bundleIdentifier: "a"))))
        #expect(only(HKQuery.predicateForObjects(from: [HKSource(name: "B", bundleIdentifier: "a")])))
        #expect(only(HKQuery.predicateForObjects(from: [revision])))
        #expect(
            only(
                HKQuery.predicateForObjects(from: [
                    HKSourceRevision(source: revision.source, version: HKSourceRevisionAnyVersion)
                ])))
        #expect(only(HKQuery.predicateForObjects(from: [device])))
        #expect(!HKQuery.predicateForObjects(from: [HKDevice.local()]).evaluate(with: sample))
        func property(_ key: String, _ values: Set<String>) -> NSPredicate {
            HKQuery.predicateForObjects(withDeviceProperty: key, allowedValues: values)
        }
        #expect(only(property(HKDevicePropertyKeyModel, ["Watch", "Phone"])))
        #expect(!property(HKDevicePropertyKeyModel, ["Phone"]).evaluate(with: sample))
        #expect(property(HKDevicePropertyKeyManufacturer, []).evaluate(with: sample))
        #expect(property(HKDevicePropertyKeyModel, []).evaluate(with: other), "an empty set matches a missing value")
        #expect(!property("colour", []).evaluate(with: sample))
        let member = ObjectHeader(
            uuid: UUID(), sourceRevision: revision, device: nil, metadata: nil, isCorrelated: true)
        let inside = HKCategorySample(header: member, type: HKCategoryType(.acne), value: 0, start: at(0), end: at(1))
        #expect(HKQuery.predicateForObjectsWithNoCorrelation().evaluate(with: sample))
        #expect(!HKQuery.predicateForObjectsWithNoCorrelation().evaluate(with: inside))
    }

    @Test("predicates by metadata match a key, allowed values or a comparison")
    func metadata() {
        func sample(_ metadata: [String: Any]?) -> HKSample {
            HKCategorySample(type: HKCategoryType(.acne), value: 0, start: at(0), end: at(0), metadata: metadata)
        }
        func holds(_ value: Any, _ comparison: HealthComparison, _ other: Any) -> Bool {
            HKQuery.predicateForObjects(withMetadataKey: "k", operatorType: comparison, value: other)
                .evaluate(with: sample(["k": value]))
        }
        let has = HKQuery.predicateForObjects(withMetadataKey: "k")
        #expect(
            has.evaluate(with: sample(["k": 1])) && !has.evaluate(with: sample(["j": 1]))
                && !has.evaluate(with: sample(nil)))
        let allowed = HKQuery.predicateForObjects(withMetadataKey: "k", allowedValues: [1, "one"])
        #expect(allowed.evaluate(with: sample(["k": true])) && allowed.evaluate(with: sample(["k": "one"])))
        #expect(!allowed.evaluate(with: sample(["k": 2])) && !allowed.evaluate(with: sample(nil)))
        #expect(holds(2, .greaterThan, 1.5) && holds(2, .lessThanOrEqualTo, 2.0) && !holds(2, .lessThan, 2))
        #expect(
            holds(Int.max, .lessThan, 0x1p63) && holds(Int.max, .lessThan, UInt.max)
                && !holds(Int.max, .equalTo, 0x1p63))
        #expect(holds("abc", .beginsWith, "ab") && holds("abc", .endsWith, "bc") && holds("abc", .contains, "b"))
        #expect(holds("b", .greaterThan, "a") && !holds("abc", .beginsWith, "b") && !holds(1, .contains, 1))
        #expect(holds(at(2), .greaterThan, at(1)) && holds(Data([1]), .equalTo, Data([1])))
        let grams = HKQuantity(unit: .gram(), doubleValue: 1000)
        #expect(holds(grams, .equalTo, HKQuantity(unit: HKUnit(from: "kg"), doubleValue: 1)))
        #expect(!holds(grams, .lessThan, HKQuantity(unit: .meter(), doubleValue: 1)))
        #expect(!holds(1, .equalTo, "1") && holds(1, .notEqualTo, "1") && !holds(1, .notEqualTo, true))
        let measured = HKQuery.predicateForObjects(
            withMetadataKey: HKMetadataKeyWasUserEntered, operatorType: .notEqualTo, value: true)
        #expect(measured.evaluate(with: sample(nil)), "a missing key is not equal to true")
        #expect(!measured.evaluate(with: sample([HKMetadataKeyWasUserEntered: true])))
    }

    @Test("predicates by value compare quantities, categories and electrocardiograms")
    func values() {
        let mass = HKQuantitySample(
            type: HKQuantityType(.bodyMass), quantity: HKQuantity(unit: .pound(), doubleValue: 150), start: at(0),
            end: at(0))
        func heavier(_ unit: HKUnit, _ value: Double) -> Bool {
            HKQuery.predicateForQuantitySamples(
                with: .greaterThan, quantity: HKQuantity(unit: unit, doubleValue: value)
            ).evaluate(with: mass)
        }
        #expect(heavier(HKUnit(from: "kg"), 68) && !heavier(HKUnit(from: "kg"), 69) && !heavier(.meter(), 1))
        #expect(!heavier(.gram(), .nan))
        let unequal = HKQuery.predicateForQuantitySamples(
            with: .notEqualTo, quantity: HKQuantity(unit: .meter(), doubleValue: 1))
        #expect(!unequal.evaluate(with: mass), "values of another dimension never match")
        let deep = HKCategorySample(
            type: HKCategoryType(.sleepAnalysis), value: HKCategoryValueSleepAnalysis.asleepDeep.rawValue, start: at(0),
            end: at(9))
        #expect(HKCategoryValueSleepAnalysis.predicateForSamples(.equalTo, value: .asleepDeep).evaluate(with: deep))
        let asleep = HKCategoryValueSleepAnalysis.predicateForSamples(
            equalTo: HKCategoryValueSleepAnalysis.allAsleepValues)
        #expect(asleep.evaluate(with: deep) && !asleep.evaluate(with: mass))
        #expect(HKCategoryValueSleepAnalysis.allAsleepValues.map(\.rawValue).sorted() == [1, 3, 4, 5])
        let awake = HKQuery.predicateForCategorySamples(
            with: .equalTo, value: HKCategoryValueSleepAnalysis.awake.rawValue)
        #expect(!awake.evaluate(with: deep) && !awake.evaluate(with: mass))
        let header = ObjectHeader(
            uuid: UUID(), sourceRevision: HKSourceRevision(source: .default(), version: nil), device: nil, metadata: nil
        )
        let ecg = HKElectrocardiogram(
            header: header, start: at(0), end: at(30),
            facts: .init(
                voltages: 1, samplingFrequency: nil, classification: .atrialFibrillation, averageHeartRate: nil,
                symptoms: .present))
        #expect(HKQuery.predicateForElectrocardiograms(classification: .atrialFibrillation).evaluate(with: ecg))
        #expect(!HKQuery.predicateForElectrocardiograms(classification: .sinusRhythm).evaluate(with: ecg))
        #expect(HKQuery.predicateForElectrocardiograms(symptomsStatus: .present).evaluate(with: ecg))
        #expect(!HKQuery.predicateForElectrocardiograms(symptomsStatus: .present).evaluate(with: deep))
    }

    @Test("compound predicates convert to values; blocks and too deep predicates are refused")
    func reading() throws {
        let window = HKQuery.predicateForSamples(withStart: at(0), end: at(10), options: .strictStartDate)
        let device = HKQuery.predicateForObjects(from: [HKDevice.local()])
        let both = NSCompoundPredicate(andPredicateWithSubpredicates: [window, device])
        let either = NSCompoundPredicate(orPredicateWithSubpredicates: [both, NSPredicate(value: false)])
        let none = NSCompoundPredicate(notPredicateWithSubpredicate: either)
        let time = SamplePredicate.time(start: at(0), end: at(10), options: .strictStartDate)
        #expect(try SamplePredicate(none) == .not(.or([.and([time, .devices([.local()])]), .always(false)])))
        #expect(try SamplePredicate(nil) == .always(true) && SamplePredicate(NSPredicate(value: true)) == .always(true))
        #expect(none.evaluate(with: seconds(5, 6)) && window.evaluate(with: seconds(5, 6)))
        #expect(throws: HKError.self) { try SamplePredicate(NSPredicate { _, _ in true }) }
        var deep: NSPredicate = window
        for _ in 0..<300 { deep = NSCompoundPredicate(notPredicateWithSubpredicate: deep) }
        #expect(throws: HKError.self) { try SamplePredicate(deep) }
        var again: NSPredicate = window
        for _ in 0..<150 { again = NSCompoundPredicate(notPredicateWithSubpredicate: again) }
        again = HealthPredicate(try SamplePredicate(again))
        for _ in 0..<150 { again = NSCompoundPredicate(notPredicateWithSubpredicate: again) }
        #expect(throws: HKError.self) { try SamplePredicate(again) }
        #expect(!window.evaluate(with: "a string") && !window.evaluate(with: nil))
        #expect(window.copy() as? NSPredicate === window && !"\(window)".isEmpty)
        #expect(window == HKQuery.predicateForSamples(withStart: at(0), end: at(10), options: .strictStartDate))
        #expect(window != device)
    }

    @Test("a typed predicate has its type and its condition")
    func typed() throws {
        let window = HKQuery.predicateForSamples(withStart: at(0), end: nil)
        let steps: HKSamplePredicate<HKQuantitySample> = .quantitySample(
            type: HKQuantityType(.stepCount), predicate: window)
        #expect(steps.sampleType == HKQuantityType(.stepCount) && steps.nsPredicate == window)
        #expect(try steps.condition.get() == .time(start: at(0), end: nil, options: []))
        let sleep: HKSamplePredicate<HKCategorySample> = .categorySample(type: HKCategoryType(.sleepAnalysis))
        #expect(try sleep.condition.get() == .always(true) && sleep.nsPredicate == nil)
        #expect(HKSamplePredicate.correlation(type: HKCorrelationType(.food)).sampleType == HKCorrelationType(.food))
        #expect(HKSamplePredicate.sample(type: .workoutType()).sampleType == HKObjectType.workoutType())
        #expect(HKSamplePredicate.heartbeatSeries().sampleType == HKSeriesType.heartbeat())
        #expect(HKSamplePredicate.electrocardiogram().sampleType == HKObjectType.electrocardiogramType())
        let block = HKSamplePredicate.sample(type: .workoutType(), predicate: NSPredicate { _, _ in true })
        #expect(throws: HKError.self) { try block.condition.get() }
    }

    @Test("a query has its type and its predicate as a value")
    func query() throws {
        final class Probe: HKQuery, @unchecked Sendable {}
        let window = HKQuery.predicateForSamples(withStart: at(0), end: nil)
        let query = Probe(objectType: HKQuantityType(.stepCount), predicate: window)
        #expect(query.objectType == HKQuantityType(.stepCount) && query.sampleType == HKQuantityType(.stepCount))
        #expect(try query.condition.get() == .time(start: at(0), end: nil, options: []) && query.predicate == window)
        #expect(Probe(objectType: HKObjectType.activitySummaryType(), predicate: nil).sampleType == nil)
        #expect(Probe(objectType: nil, predicate: nil).predicate == nil)
        #expect(throws: HKError.self) {
            try Probe(objectType: nil, predicate: NSPredicate { _, _ in true }).condition.get()
        }
    }

    @Test("the description of a predicate is readable")
    func text() {
        let window = HKQuery.predicateForSamples(withStart: at(0), end: nil, options: .strictStartDate)
        let entered = HKQuery.predicateForObjects(
            withMetadataKey: HKMetadataKeyWasUserEntered, operatorType: .notEqualTo, value: true)
        let both = NSCompoundPredicate(andPredicateWithSubpredicates: [window, entered])
        let text = try? SamplePredicate(both).description
        #expect(text == "(startDate in 2001-01-01 00:00:00 +0000 ..< any time and metadata.HKWasUserEntered != true)")
        let values = HKQuery.predicateForCategorySamples(equalTo: [3, 1])
        #expect(values.description == "value in {1, 3}")
    }
}
