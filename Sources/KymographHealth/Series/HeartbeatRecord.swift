// SPDX-License-Identifier: Apache-2.0

import Bytes

/// Heartbeats in stored form: the times since the start of their series, and the gaps.
///
/// If all times are whole nanoseconds, as from every sensor, each takes two to four bytes; otherwise all are stored as
/// doubles. Both forms are lossless.
struct HeartbeatRecord: Sendable, Equatable {
    /// A heartbeat.
    struct Beat: Sendable, Equatable {
        /// The time in seconds since the start of the series.
        let time: Double
        /// Whether preceding beats may be missing.
        let isAfterGap: Bool
    }

    let beats: [Beat]

    init(_ beats: [Beat]) { self.beats = beats }

    private static let version: UInt8 = 1
    /// The forms of the times.
    private static let nanoseconds: UInt8 = 1
    private static let numbers: UInt8 = 2

    /// Returns a time in whole nanoseconds; nil if that is not lossless.
    static func whole(_ time: Double) -> Int64? {
        let scaled = (time * 1e9).rounded()
        // Up to this bound every whole number is a distinct double.
        guard scaled.magnitude <= 0x1p53, Double(Int64(scaled)) / 1e9 == time else { return nil }
        if time == 0, time.sign == .minus { return nil }
        return Int64(scaled)
    }

    /// The bytes, as described in `Docs/Format/Catalog.md`.
    var body: [UInt8] {
        var plain = ByteWriter(capacity: 16 + beats.count * 5)
        plain.put(Self.version)
        plain.put(varint: UInt64(beats.count))
        let whole = beats.compactMap { Self.whole($0.time) }
        if whole.count == beats.count {
            plain.put(Self.nanoseconds)
            var (last, interval): (Int64, Int64) = (0, 0)
            for time in whole {
                plain.put(zigzag: time - last - interval)
                (last, interval) = (time, time - last)
            }
        } else {
            plain.put(Self.numbers)
            for beat in beats { plain.put(double: beat.time) }
        }
        for first in stride(from: 0, to: beats.count, by: 8) {
            var bits: UInt8 = 0
            for place in first..<min(first + 8, beats.count) where beats[place].isAfterGap {
                bits |= 1 << UInt8(place - first)
            }
            plain.put(bits)
        }
        return ObjectCompressor.plain(plain.bytes)
    }

    static func count(_ body: [UInt8]) throws(HealthStoreError) -> Int {
        var reader = ByteReader(try ObjectExpander.decode(body))
        do throws(ByteError) { return try count(&reader) } catch {
            throw HealthStoreError(error, in: "a heartbeat series")
        }
    }

    /// Parses the bytes of `body`.
    init(_ body: [UInt8]) throws(HealthStoreError) {
        var reader = ByteReader(try ObjectExpander.decode(body))
        do throws(ByteError) {
            let count = try Self.count(&reader)
            let times = try Self.times(count, &reader)
            let gaps = try reader.bytes((count + 7) / 8)
            beats = times.enumerated().map { place, time in
                Beat(time: time, isAfterGap: gaps[gaps.startIndex + place / 8] >> UInt8(place % 8) & 1 == 1)
            }
        } catch {
            throw HealthStoreError(error, in: "a heartbeat series")
        }
    }

    private static func count(_ reader: inout ByteReader) throws(ByteError) -> Int {
        guard try reader.u8() == version else { throw ByteError(offset: 0, what: HealthMetadata.unknownPart) }
        let count = try reader.varint()
        // A beat takes at least one byte.
        guard count <= UInt64(reader.remaining) else {
            throw ByteError(offset: reader.offset, what: "more beats than bytes")
        }
        return Int(count)
    }

    private static func times(_ count: Int, _ reader: inout ByteReader) throws(ByteError) -> [Double] {
        let at = reader.offset
        var times = [Double]()
        times.reserveCapacity(count)
        switch try reader.u8() {
        case nanoseconds:
            var (last, interval): (Int64, Int64) = (0, 0)
            for _ in 0..<count {
                let next = last &+ interval &+ (try reader.zigzag())
                (last, interval) = (next, next &- last)
                times.append(Double(next) / 1e9)
            }
        case numbers:
            for _ in 0..<count { times.append(try reader.double()) }
        default: throw ByteError(offset: at, what: HealthMetadata.unknownPart)
        }
        return times
    }
}
