// SPDX-License-Identifier: Apache-2.0

internal import Bytes

/// The frame of a column: encoding, flags, lengths and the payload, through LZ4 where that pays.
struct ColumnFrame {
    /// The payload before LZ4.
    var stage = Stage()
    var mode = LZ4Mode.automatic
    private var squeezed: [UInt8] = []
    /// Whether LZ4 did well on the columns before.
    var luck = Luck()

    struct Luck: Sendable {
        /// Columns in a row that LZ4 did not make smaller, and columns since it was last tried.
        fileprivate var failures = 0
        fileprivate var skipped = 0
    }

    /// After this many failures in a row, LZ4 is tried on one column of as many.
    static let patience = 16
    /// Shorter payloads are not worth it.
    static let leastPayload = 64

    /// Whether LZ4 is to be tried on the next column; counts the ones that are skipped.
    mutating func turn() -> Bool {
        if mode != .automatic { return mode == .always }
        if luck.failures < Self.patience { return true }
        luck.skipped += 1
        if luck.skipped < Self.patience { return false }
        luck.skipped = 0
        return true
    }

    /// Compresses the staged payload; its length if it is kept.
    mutating func squeeze() -> Int? {
        let plain = stage.used
        if mode == .never || mode == .automatic && plain < Self.leastPayload { return nil }
        let limit = mode == .always ? LZ4.bound(plain) : plain * 9 / 10
        if squeezed.count < limit { squeezed = [UInt8](repeating: 0, count: LZ4.bound(stage.bytes.count)) }
        return LZ4.compress(stage.bytes, plain, into: &squeezed, limit: limit)
    }

    /// Writes the staged payload as a column; `turn` says whether LZ4 is tried.
    mutating func write(
        _ encoding: UInt8, _ details: ColumnDetails, turn: Bool, into w: inout ByteWriter
    ) -> ColumnChoice {
        let start = w.count
        let plain = stage.used
        let length = turn ? squeeze() : nil
        if turn, plain >= Self.leastPayload { luck.failures = length == nil ? luck.failures + 1 : 0 }
        w.put(encoding)
        w.put(length == nil ? UInt8(0) : Encoding.lz4Flag)
        w.put(varint: UInt64(length ?? plain))
        if let length {
            w.put(varint: UInt64(plain))
            w.put(bytes: squeezed[0..<length])
        } else {
            w.put(bytes: stage.bytes[0..<plain])
        }
        return ColumnChoice(
            encoding: encoding, plainBytes: plain, storedBytes: w.count - start, lz4: length != nil, details: details)
    }
}

/// What an encoder remembers of the columns before: a series does not change its nature from block to block.
struct Memory<Plan: Sendable & Equatable>: Sendable {
    private(set) var plan: Plan?
    /// Values of the column that the plan was found on.
    private var count = 0
    /// The most bytes per value of a column that was searched since the last search that was due.
    private var bytesPerValue = 0.0
    /// Columns since then, and after how many everything is searched again: more where that gave the same plan.
    private var age = 0
    private var interval = Self.leastInterval

    static var leastInterval: Int { 16 }
    static var mostInterval: Int { 256 }
    /// The plan to try first, if it is not too old. A short column neither says much nor hears much: a plan that was
    /// found on one does not serve one of twice the length, and one of half the length leads to no new plan.
    mutating func recall(_ count: Int) -> Plan? {
        age += 1
        if count > 2 * self.count { age = interval }
        return age < interval || isShort(count) ? plan : nil
    }

    private func isShort(_ count: Int) -> Bool { 2 * count < self.count }

    /// Whether a column written with the recalled plan is at most 5 % and a quarter of a bit longer per value than
    /// those that were searched.
    func isGood(bytes: Int, count: Int) -> Bool {
        Double(bytes) <= (bytesPerValue * 1.05 + 1 / 32) * Double(count)
    }

    mutating func remember(_ plan: Plan, bytes: Int, count: Int) {
        if self.plan != nil, isShort(count) { return }
        let found = Double(bytes) / Double(max(count, 1))
        if self.plan != nil, age < interval {
            // Before its time, for the column's length: the columns to come may be that long.
            bytesPerValue = max(found, bytesPerValue)
        } else {
            bytesPerValue = found
            interval = plan == self.plan ? min(2 * interval, Self.mostInterval) : Self.leastInterval
            age = 0
        }
        self.plan = plan
        self.count = count
    }
}
