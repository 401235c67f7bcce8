// SPDX-License-Identifier: Apache-2.0

internal import Bytes

/// The frame of a column: encoding, flags, lengths and the payload, through LZ4 where that pays.
struct ColumnFrame {
    /// The payload before LZ4.
    var stage = Stage()
    var mode = LZ4Mode.automatic
    private var squeezed: [UInt8] = []
    /// Columns in a row that LZ4 did not make smaller, and columns since it was last tried.
    private var failures = 0
    private var skipped = 0

    /// After this many failures in a row, LZ4 is tried on one column of as many.
    static let patience = 16
    /// Shorter payloads are not worth it.
    static let leastPayload = 64

    mutating func forget() {
        failures = 0
        skipped = 0
    }

    /// Whether LZ4 is to be tried on the next column; counts the ones that are skipped.
    mutating func turn() -> Bool {
        if mode != .automatic { return mode == .always }
        if failures < Self.patience { return true }
        skipped += 1
        if skipped < Self.patience { return false }
        skipped = 0
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
        if turn, plain >= Self.leastPayload { failures = length == nil ? failures + 1 : 0 }
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
struct Memory<Plan: Sendable>: Sendable {
    private(set) var plan: Plan?
    private var bytesPerValue = 0.0
    private var age = 0

    /// Columns after which everything is searched again.
    static var interval: Int { 16 }

    /// The plan to try first, if it is not too old.
    mutating func recall() -> Plan? {
        age += 1
        return age < Self.interval ? plan : nil
    }

    /// Whether a column written with the recalled plan is at most 5 % longer per value than the one that was searched.
    func isGood(bytes: Int, count: Int) -> Bool {
        Double(bytes) <= bytesPerValue * 1.05 * Double(count)
    }

    mutating func remember(_ plan: Plan, bytes: Int, count: Int) {
        self.plan = plan
        bytesPerValue = Double(bytes) / Double(max(count, 1))
        age = 0
    }
}
