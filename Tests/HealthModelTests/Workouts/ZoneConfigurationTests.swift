// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import HealthModel

private let heartRate = HKQuantityType(.heartRate)
private let power = HKQuantityType(.cyclingPower)
private let perMinute = HKUnit.count().unitDivided(by: .minute())

private func beats(_ values: [Double]) -> [HKQuantity] {
    values.map { HKQuantity(unit: perMinute, doubleValue: $0) }
}

@Suite("workout zones: boundaries, edges and hostile configurations")
struct ZoneConfigurationTests {
    private func refusal(_ type: HKQuantityType, _ boundaries: [HKQuantity]) -> HKError.Code? {
        do throws(HKError) {
            _ = try HKWorkoutZoneConfiguration(quantityType: type, zoneBoundaries: boundaries)
            return nil
        } catch {
            return error.code
        }
    }

    @Test("n boundaries make n + 1 adjacent zones, the first and the last one open")
    func zones() throws {
        let configuration = try HKWorkoutZoneConfiguration(
            quantityType: heartRate, zoneBoundaries: beats([91, 114, 136, 158]))
        #expect(configuration.source == .app && configuration.quantityType == heartRate)
        #expect(configuration.zones.map(\.index) == [0, 1, 2, 3, 4])
        #expect(configuration.zones.map { $0.minimum?.value } == [nil, 91, 114, 136, 158])
        #expect(configuration.zones.map { $0.maximum?.value } == [91, 114, 136, 158, nil])
        #expect(configuration.from(.user).source == .user && configuration.from(.user) != configuration)
        #expect(configuration.from(.user).from(.app) == configuration)
    }

    @Test("an edge belongs to the zone above it, and every value has a zone")
    func edges() throws {
        let configuration = try HKWorkoutZoneConfiguration(quantityType: heartRate, zoneBoundaries: beats([100, 120]))
        // The values are in the canonical unit, `count/s`.
        #expect(configuration.zone(of: (100.0 / 60).nextDown) == 0 && configuration.zone(of: 100.0 / 60) == 1)
        #expect(configuration.zone(of: 2.0.nextDown) == 1 && configuration.zone(of: 2) == 2)
        #expect(configuration.zone(of: -.infinity) == 0 && configuration.zone(of: .infinity) == 2)
        #expect(configuration.zone(of: .nan) == 0)
    }

    @Test("boundaries of any unit of the type become boundaries in count/min or W")
    func units() throws {
        let hertz = [1.5, 2].map { HKQuantity(unit: .count().unitDivided(by: .second()), doubleValue: $0) }
        let rates = try HKWorkoutZoneConfiguration(quantityType: heartRate, zoneBoundaries: hertz)
        #expect(try rates == HKWorkoutZoneConfiguration(quantityType: heartRate, zoneBoundaries: beats([90, 120])))
        #expect(rates.zones[1].minimum?.unit == perMinute)
        let kilowatts = [0.15, 0.25].map { HKQuantity(unit: .wattUnit(with: .kilo), doubleValue: $0) }
        let powers = try HKWorkoutZoneConfiguration(quantityType: power, zoneBoundaries: kilowatts)
        #expect(powers.zones.map { $0.minimum?.value } == [nil, 150, 250])
    }

    @Test("other types, units and numbers of zones, and boundaries that do not ascend, are refused")
    func hostile() {
        #expect(refusal(heartRate, beats([1, 2])) == nil)
        #expect(refusal(heartRate, beats((1...8).map(Double.init))) == nil)
        for count in [0, 1, 9, 1_000] {
            #expect(refusal(heartRate, beats((0..<count).map(Double.init))) == .errorInvalidArgument, "\(count)")
        }
        let infinity = Double.infinity
        let lists: [[Double]] = [
            [1, 1], [2, 1], [1, 2, 2], [.nan, 1], [1, .nan], [.nan, .nan], [1, infinity], [-infinity, 1], [0.0, -0.0],
            [1, 3, 2, 4],
        ]
        for list in lists { #expect(refusal(heartRate, beats(list)) == .errorInvalidArgument, "\(list)") }
        let greatest = [Double.greatestFiniteMagnitude / 2, .greatestFiniteMagnitude].map {
            HKQuantity(unit: .count().unitDivided(by: .second()), doubleValue: $0)
        }
        #expect(refusal(heartRate, greatest) == .errorInvalidArgument)
        #expect(refusal(power, beats([1, 2])) == .errorInvalidArgument)
        #expect(refusal(HKQuantityType(.stepCount), beats([1, 2])) == .errorInvalidArgument)
        #expect(refusal(HKQuantityType(.runningPower), beats([1, 2])) == .errorInvalidArgument)
        let unknown = HKQuantityType(HKQuantityTypeIdentifier(rawValue: ""))
        #expect(refusal(unknown, beats([1, 2])) == .errorInvalidArgument)
    }
}
