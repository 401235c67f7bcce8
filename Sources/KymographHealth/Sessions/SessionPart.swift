// SPDX-License-Identifier: Apache-2.0

import Bytes
import Foundation
import HealthModel

/// A list of samples or locations that grows during a workout session, in stored form. `Docs/Format/Catalog.md`
/// describes the bytes.
enum SessionPart: Sendable {
    /// Samples of the workout.
    case samples(IdentityRuns)
    /// Locations of the workout's route, and metadata that was added with them.
    case locations(RouteLocations, HealthMetadataValues)

    private static let version: UInt8 = 1
    private static let kinds: (samples: UInt8, locations: UInt8) = (1, 2)

    /// The number of samples or locations.
    var count: Int64 {
        switch self {
        case .samples(let members): Int64(clamping: members.count)
        case .locations(let locations, _): Int64(locations.count)
        }
    }

    /// The bytes of the body.
    var body: [UInt8] {
        var writer = WorkoutWriter()
        switch self {
        case .samples(let members):
            writer.plain.put(Self.kinds.samples)
            writer.put(members)
        case .locations(let locations, let metadata):
            writer.plain.put(Self.kinds.locations)
            writer.put(metadata)
            writer.plain.put(varint: UInt64(locations.count))
            for time in locations.times { writer.plain.put(time) }
            for column in RouteColumn.allCases {
                let values = locations.values(column)
                writer.plain.put(values == nil ? 0 : 1 as UInt8)
                for value in values ?? [] { writer.plain.put(double: value) }
            }
        }
        return ObjectCompressor.plain(writer.bytes(version: Self.version))
    }

    /// Parses the bytes of `body`.
    ///
    /// - Throws: `newerFormat`, `corrupt`.
    init(_ body: [UInt8]) throws(HealthStoreError) {
        let plain = try ObjectExpander.decode(body)
        do throws(ByteError) {
            var reader = try WorkoutReader(plain, version: Self.version)
            switch try reader.bytes.u8() {
            case Self.kinds.samples: self = .samples(try reader.members())
            case Self.kinds.locations: self = try Self.locations(&reader)
            default: throw ByteError(offset: reader.bytes.offset, what: "unknown kind of a session's list")
            }
        } catch {
            throw HealthStoreError(error, in: "a list of a workout session")
        }
    }

    private static func locations(_ reader: inout WorkoutReader) throws(ByteError) -> SessionPart {
        let metadata = try reader.metadata() ?? [:]
        let count = try WorkoutReader.count(&reader.bytes)
        var times: [Int64] = []
        for _ in 0..<count { times.append(try reader.bytes.i64()) }
        var columns: [RouteColumn: [Double]] = [:]
        for column in RouteColumn.allCases where try reader.flag() {
            var values: [Double] = []
            for _ in 0..<count { values.append(try reader.bytes.double()) }
            columns[column] = values
        }
        if count == 0 { return .locations(RouteLocations(), metadata) }
        // A column of coordinates that are all 0 is not stored.
        for place in [RouteColumn.latitude, .longitude] where columns[place] == nil {
            columns[place] = [Double](repeating: 0, count: count)
        }
        guard let locations = try? RouteLocations(times: times, columns) else {
            throw ByteError(offset: reader.bytes.offset, what: "invalid locations")
        }
        return .locations(locations, metadata)
    }
}
