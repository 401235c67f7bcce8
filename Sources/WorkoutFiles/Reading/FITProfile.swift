// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel

/// The interpretation of the messages of a FIT file by the public profile: numbers of messages and fields, scales.
struct FITProfile {
    /// The last timestamp, in seconds since 1989-12-31 00:00 UTC.
    private var timestamp: UInt32?
    /// The counter of compressed distances: the last 12 bits, and the sum in sixteenths of a metre.
    private var distance: (bits: Int, sum: Int)?
    /// The counter of event times of heart beats: its first value with the date, and the last value.
    private var beats: (origin: Date, first: Double, last: UInt64)?
    /// The length of the pool in metres.
    private var poolLength: Double?

    /// The start of FIT's time in seconds since 1970.
    private static let epoch = 631_065_600.0
    private static let timestampField: UInt8 = 253

    private static func date(_ seconds: Double) -> Date { Date(timeIntervalSince1970: epoch + seconds) }

    /// Advances the timestamp by the five bits of a compressed header.
    mutating func advance(timestampBits bits: UInt8) {
        guard let last = timestamp else { return }
        timestamp = last &+ (UInt32(bits) &- last) & 0x1F
    }

    /// Returns the items of a message.
    mutating func items(of message: FITMessage) -> [WorkoutFileItem] {
        if let seconds = message.number(Self.timestampField), let stamp = UInt32(exactly: seconds) { timestamp = stamp }
        switch message.definition.message {
        case 18: return part(message).map { [.part($0)] } ?? []
        case 19: return lap(message).map { [.lap($0)] } ?? []
        case 20: return point(message).map { [.point($0)] } ?? []
        case 21: return timer(message).map { [$0] } ?? []
        case 101: return length(message).map { [.length($0)] } ?? []
        case 132: return heartRates(message)
        default: return []
        }
    }

    // MARK: - Points

    private mutating func point(_ message: FITMessage) -> WorkoutFilePoint? {
        guard let timestamp else { return nil }
        var point = WorkoutFilePoint(date: Self.date(Double(timestamp)))
        point.heartRate = message.number(3).flatMap { $0 > 0 ? $0 : nil }
        point.distance = message.number(5, scale: 100)
        point.speed = message.number(73, scale: 1_000) ?? message.number(6, scale: 1_000)
        if let packed = message.raw(8), packed.count == 3 { unpack(Array(packed), &point) }
        point.cadence = message.number(4).map { $0 + (message.number(53, scale: 128) ?? 0) }
        point.power = message.number(7)
        point.altitude = message.number(78, scale: 5, offset: 500) ?? message.number(2, scale: 5, offset: 500)
        point.temperature = message.number(13)
        let degrees = 180 / 2_147_483_648.0
        point.set(latitude: message.number(0).map { $0 * degrees }, longitude: message.number(1).map { $0 * degrees })
        return point.isEmpty ? nil : point
    }

    /// Sets speed and distance from 12 bits each.
    private mutating func unpack(_ bytes: [UInt8], _ point: inout WorkoutFilePoint) {
        let speed = Int(bytes[0]) | Int(bytes[1] & 0xF) << 8
        let bits = Int(bytes[1] >> 4) | Int(bytes[2]) << 4
        let sum = distance.map { $0.sum + ((bits - $0.bits) & 0xFFF) } ?? bits
        distance = (bits, sum)
        point.speed = point.speed ?? Double(speed) / 100
        point.distance = point.distance ?? Double(sum) / 16
    }

    /// Returns the heart rates of a message with several beats. Their times are counters of 1/1024 s.
    private mutating func heartRates(_ message: FITMessage) -> [WorkoutFileItem] {
        let rates = message.list(6)
        let times: [UInt64]
        if let first = message.number(9), let count = UInt64(exactly: first) {
            if let timestamp, beats == nil || message.number(Self.timestampField) != nil {
                let date = Self.date(Double(timestamp) + (message.number(0, scale: 32_768) ?? 0))
                beats = (date, first, count)
            }
            times = message.list(9).compactMap { $0.flatMap { UInt64(exactly: $0) } }
        } else if let packed = message.raw(10), var last = beats?.last {
            times = Self.halves(packed).map { bits in
                last &+= (bits &- last) & 0xFFF
                return last
            }
        } else {
            return []
        }
        guard let last = times.last, let known = beats else { return [] }
        beats?.last = last
        return zip(rates, times).compactMap { rate, time in
            guard let rate, rate > 0 else { return nil }
            var point = WorkoutFilePoint(date: known.origin.addingTimeInterval((Double(time) - known.first) / 1_024))
            point.heartRate = rate
            return .point(point)
        }
    }

    /// Returns numbers of 12 bits. Three bytes hold two numbers.
    private static func halves(_ bytes: ArraySlice<UInt8>) -> [UInt64] {
        let bytes = bytes.map { UInt64($0) }
        var numbers: [UInt64] = []
        for place in stride(from: 0, to: bytes.count - bytes.count % 3, by: 3) {
            numbers.append(bytes[place] | (bytes[place + 1] & 0xF) << 8)
            numbers.append(bytes[place + 1] >> 4 | bytes[place + 2] << 4)
        }
        return numbers
    }

    // MARK: - Summaries

    /// Returns start and end of a summary: its timestamp is the end, unless the elapsed time says more.
    private func span(_ message: FITMessage, elapsed: UInt8) -> (start: Date, end: Date)? {
        let length = message.number(elapsed, scale: 1_000)
        if let start = message.number(2) {
            let date = Self.date(start)
            let end = length.map { date.addingTimeInterval($0) } ?? timestamp.map { Self.date(Double($0)) } ?? date
            return (date, max(date, end))
        }
        guard let timestamp else { return nil }
        let end = Self.date(Double(timestamp))
        return (end.addingTimeInterval(-(length ?? 0)), end)
    }

    private func part(_ message: FITMessage) -> WorkoutFilePart? {
        guard let (start, end) = span(message, elapsed: 7) else { return nil }
        let (sport, detail) = (message.code(5), message.code(6))
        var part = WorkoutFilePart(activity: WorkoutSports.activity(fit: sport, detail), start: start, end: end)
        part.location = WorkoutSports.location(fit: detail, hasPool: message.number(44) != nil)
        part.swimmingLocation = detail == 17 ? .pool : detail == 18 ? .openWater : .unknown
        part.poolLength = message.number(44, scale: 100)
        part.distance = message.number(9, scale: 100)
        part.energy = message.number(11)
        return part
    }

    private func lap(_ message: FITMessage) -> WorkoutFileLap? {
        guard let (start, end) = span(message, elapsed: 7) else { return nil }
        return WorkoutFileLap(
            start: start, end: end, distance: message.number(9, scale: 100), energy: message.number(11))
    }

    private func length(_ message: FITMessage) -> SwimmingLap? {
        guard let (start, end) = span(message, elapsed: 3) else { return nil }
        let style: HKSwimmingStrokeStyle =
            message.code(12) == 0 ? .unknown : Self.styles[message.code(7) ?? -1] ?? .mixed
        return SwimmingLap(
            start: start, duration: end.timeIntervalSince(start), strokes: message.number(5) ?? 0, style: style)
    }

    private static let styles: [Int: HKSwimmingStrokeStyle] = [
        0: .freestyle, 1: .backstroke, 2: .breaststroke, 3: .butterfly, 4: .mixed, 5: .mixed,
    ]

    private func timer(_ message: FITMessage) -> WorkoutFileItem? {
        guard message.code(0) == 0, let kind = message.code(1), let timestamp else { return nil }
        let date = Self.date(Double(timestamp))
        switch kind {
        case 0: return .timer(isRunning: true, date: date)
        case 1, 4, 8, 9: return .timer(isRunning: false, date: date)
        default: return nil
        }
    }
}
