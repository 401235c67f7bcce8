// SPDX-License-Identifier: Apache-2.0

internal import Bytes

/// The frame of a column: encoding, flags, lengths and the payload, compressed with LZ4 if that saves enough.
struct ColumnFrame {
    /// The payload before compression.
    var stage = Stage()
    var mode = LZ4Mode.automatic
    private var squeezed: [UInt8] = []
    /// LZ4's success on previous columns.
    var luck = Luck()

    struct Luck: Sendable {
        /// Consecutive columns that LZ4 did not shrink, and columns since LZ4 was last tried.
        fileprivate var failures = 0
        fileprivate var skipped = 0
    }

    /// After this many consecutive failures, LZ4 is tried on every sixteenth column only.
    static let patience = 16
    /// Minimum payload size for LZ4, in bytes.
    static let leastPayload = 64

    /// Returns whether to try LZ4 on the next column, and counts skipped columns.
    mutating func turn() -> Bool {
        if mode != .automatic { return mode == .always }
        if luck.failures < Self.patience { return true }
        luck.skipped += 1
        if luck.skipped < Self.patience { return false }
        luck.skipped = 0
        return true
    }

    /// Compresses the staged payload; returns its compressed length, or nil if compression does not save enough.
    mutating func squeeze() -> Int? {
        let plain = stage.used
        if mode == .never || mode == .automatic && plain < Self.leastPayload { return nil }
        let limit = mode == .always ? LZ4.bound(plain) : plain * 9 / 10
        if squeezed.count < limit { squeezed = [UInt8](repeating: 0, count: LZ4.bound(stage.bytes.count)) }
        return LZ4.compress(stage.bytes, plain, into: &squeezed, limit: limit)
    }

    /// Writes the staged payload as a column.
    ///
    /// - Parameter turn: whether to try LZ4.
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

/// The plan that suited previous columns: the data of a series changes little between blocks.
struct Memory<Plan: Sendable & Equatable>: Sendable {
    private(set) var plan: Plan?
    /// Number of values in the column for which the plan was found.
    private var count = 0
    /// The largest number of bytes per value among the columns searched since the last regular search.
    private var bytesPerValue = 0.0
    /// Columns since the last regular search, and the interval between searches, which doubles while the plan stays.
    private var age = 0
    private var interval = Self.leastInterval

    static var leastInterval: Int { 16 }
    static var mostInterval: Int { 256 }
    /// Returns the plan to try first, unless a search is due. Columns of very different lengths do not share plans: a
    /// plan found on a column does not serve one of more than twice its length, and a column of less than half the
    /// length does not trigger a search.
    mutating func recall(_ count: Int) -> Plan? {
        age += 1
        if count > 2 * self.count { age = interval }
        return age < interval || isShort(count) ? plan : nil
    }

    private func isShort(_ count: Int) -> Bool { 2 * count < self.count }

    /// Whether a column written with the recalled plan takes at most 5 % and 1/32 byte more per value than the columns
    /// that were searched.
    func isGood(bytes: Int, count: Int) -> Bool {
        Double(bytes) <= (bytesPerValue * 1.05 + 1 / 32) * Double(count)
    }

    mutating func remember(_ plan: Plan, bytes: Int, count: Int) {
        if self.plan != nil, isShort(count) { return }
        let found = Double(bytes) / Double(max(count, 1))
        if self.plan != nil, age < interval {
            // An early search, because this column is longer; later columns may be as long.
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
