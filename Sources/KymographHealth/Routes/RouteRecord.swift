// SPDX-License-Identifier: Apache-2.0

import Bytes
import Foundation
import HealthCatalog
import HealthModel

/// A workout route in stored form, without its locations. The locations are columns of rows in the engine.
struct RouteRecord: Sendable, Equatable {
    /// The storage of a column.
    enum Storage: Sendable, Equatable {
        /// No location has the property.
        case missing
        /// All locations have the same number.
        case constant(Double)
        /// One row per location, in the engine's series of the column.
        case rows
    }

    /// The number of locations.
    let count: Int
    /// The workout of the route; nil if unknown.
    var workout: UUID?
    /// The identity of the first row. Identities count up through the rows of the first column, then through the rows
    /// of the next column.
    let firstIdentity: SampleIdentity
    /// The storage of each column, in the order of `RouteColumn`.
    private(set) var storages: [Storage]

    private static let version: UInt8 = 1

    private init(_ count: Int, _ workout: UUID?, _ firstIdentity: SampleIdentity, _ storages: [Storage]) {
        self.count = count
        self.workout = workout
        self.firstIdentity = firstIdentity
        self.storages = storages
    }

    /// Creates the record of a route's locations. Latitudes are always stored as rows, because the starts of these rows
    /// are the times of the locations.
    init(_ locations: RouteLocations, workout: UUID?, firstIdentity: SampleIdentity) {
        let storages = RouteColumn.allCases.map { column in
            guard let values = locations.values(column) else {
                return column == .latitude ? Storage.rows : .missing
            }
            if column == .latitude { return .rows }
            let first = values[0]
            return values.allSatisfy { $0.bitPattern == first.bitPattern } ? .constant(first) : .rows
        }
        self.init(locations.count, workout, firstIdentity, storages)
    }

    /// The record of an erased route.
    static var erased: RouteRecord {
        RouteRecord(0, nil, SampleIdentity(high: 0, low: 0), RouteColumn.allCases.map { _ in .missing })
    }

    /// Creates the record of a route whose object is lost.
    init(restoring columns: Set<RouteColumn>, count: Int, firstIdentity: SampleIdentity) {
        self.init(count, nil, firstIdentity, RouteColumn.allCases.map { columns.contains($0) ? .rows : .missing })
    }

    func storage(_ column: RouteColumn) -> Storage { storages[column.rawValue] }

    /// The columns with rows, in the order of their identities.
    var columns: [RouteColumn] { RouteColumn.allCases.filter { storage($0) == .rows } }

    /// The bytes, as described in `Docs/Format/Catalog.md`.
    var body: [UInt8] {
        var plain = ByteWriter(capacity: 80)
        plain.put(Self.version)
        plain.put(varint: UInt64(count))
        let owner = workout.map { SampleIdentity($0) } ?? SampleIdentity(high: 0, low: 0)
        for half in [owner.high, owner.low, firstIdentity.high, firstIdentity.low] { plain.put(half) }
        plain.put(varint: UInt64(storages.count))
        for storage in storages {
            switch storage {
            case .missing: plain.put(0 as UInt8)
            case .constant(let number):
                plain.put(1 as UInt8)
                plain.put(double: number)
            case .rows: plain.put(2 as UInt8)
            }
        }
        return ObjectCompressor.plain(plain.bytes)
    }

    /// Parses the bytes of `body`.
    init(_ body: [UInt8]) throws(HealthStoreError) {
        var reader = ByteReader(try ObjectExpander.decode(body))
        do throws(ByteError) {
            guard try reader.u8() == Self.version else { throw ByteError(offset: 0, what: HealthMetadata.unknownPart) }
            let at = reader.offset
            guard let count = Int(exactly: try reader.varint()), count <= Self.mostLocations else {
                throw ByteError(offset: at, what: "impossible number of locations")
            }
            let owner = SampleIdentity(high: try reader.i64(), low: try reader.i64())
            let first = SampleIdentity(high: try reader.i64(), low: try reader.i64())
            let columns = reader.offset
            guard try reader.varint() == UInt64(RouteColumn.allCases.count) else {
                throw ByteError(offset: columns, what: HealthMetadata.unknownPart)
            }
            var storages = [Storage]()
            for _ in RouteColumn.allCases { storages.append(try Self.storage(&reader)) }
            guard count == 0 || storages[RouteColumn.latitude.rawValue] == .rows else {
                throw ByteError(offset: columns, what: "route without latitudes")
            }
            self.init(count, owner.high == 0 && owner.low == 0 ? nil : owner.uuid, first, storages)
        } catch {
            throw HealthStoreError(error, in: "a workout route")
        }
    }

    private static let mostLocations = 1 << 40

    private static func storage(_ reader: inout ByteReader) throws(ByteError) -> Storage {
        let at = reader.offset
        switch try reader.u8() {
        case 0: return .missing
        case 1:
            let number = try reader.double()
            guard number.isFinite else { throw ByteError(offset: at, what: "number that is not finite") }
            return .constant(number)
        case 2: return .rows
        default: throw ByteError(offset: at, what: HealthMetadata.unknownPart)
        }
    }
}
