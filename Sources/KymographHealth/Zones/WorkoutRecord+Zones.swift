// SPDX-License-Identifier: Apache-2.0

import Bytes
import Foundation
import HealthModel

// The zones of a workout in its stored form. `Docs/Format/Catalog.md` describes the bytes.

extension WorkoutWriter {
    /// Writes the times of a workout and of its activities.
    mutating func putZones(of content: WorkoutContent) {
        plain.put(varint: UInt64(content.zones.count))
        for (type, times) in content.zones.sorted(by: { $0.key < $1.key }) {
            put(times.configuration)
            put(times)
            for activity in content.activities {
                let own = activity.zones[type]
                plain.put(own == nil ? 0 : 1 as UInt8)
                if let own { put(own) }
            }
        }
    }

    mutating func put(_ configuration: HKWorkoutZoneConfiguration) {
        put(text: configuration.quantityType.identifier)
        plain.put(configuration.source.code)
        plain.put(varint: UInt64(configuration.boundaries.count))
        for boundary in configuration.boundaries { plain.put(double: boundary) }
    }

    private mutating func put(_ times: WorkoutZoneTimes) {
        for time in times.nanoseconds { plain.put(varint: UInt64(time)) }
    }
}

extension WorkoutReader {
    /// Reads the times of a workout and of its activities into its content.
    mutating func zones(into content: inout WorkoutContent) throws(ByteError) {
        for _ in 0..<(try Self.count(&bytes)) {
            let configuration = try zoneConfiguration()
            let type = configuration.quantityType.identifier
            content.zones[type] = try times(configuration)
            for place in content.activities.indices where try flag() {
                content.activities[place].zones[type] = try times(configuration)
            }
        }
    }

    mutating func zoneConfiguration() throws(ByteError) -> HKWorkoutZoneConfiguration {
        let type = HKQuantityType(HKQuantityTypeIdentifier(rawValue: try text()))
        let code = try bytes.u8()
        var boundaries: [Double] = []
        for _ in 0..<(try Self.count(&bytes)) { boundaries.append(try bytes.double()) }
        guard let source = HKWorkoutZoneConfiguration.Source(code: code),
            let configuration = try? HKWorkoutZoneConfiguration(type, boundaries, source)
        else { throw ByteError(offset: bytes.offset, what: "impossible workout zones") }
        return configuration
    }

    private mutating func times(
        _ configuration: HKWorkoutZoneConfiguration
    ) throws(ByteError) -> WorkoutZoneTimes {
        var times: [Int64] = []
        for _ in configuration.zones {
            guard let time = Int64(exactly: try bytes.varint()) else {
                throw ByteError(offset: bytes.offset, what: "impossible time in a workout zone")
            }
            times.append(time)
        }
        return WorkoutZoneTimes(configuration, nanoseconds: times)
    }
}

extension HKWorkoutZoneConfiguration.Source {
    /// The stored number.
    fileprivate var code: UInt8 {
        switch self {
        case .system: 0
        case .user: 1
        case .app: 2
        }
    }

    fileprivate init?(code: UInt8) {
        guard let source = Self.allCases.first(where: { $0.code == code }) else { return nil }
        self = source
    }
}
