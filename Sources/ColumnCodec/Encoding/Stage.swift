// SPDX-License-Identifier: Apache-2.0

internal import Bytes

/// The buffer for assembling a payload before the choice of compression; reused for every column.
struct Stage {
    /// The payload is in the first `used` bytes.
    var bytes: [UInt8] = []
    private(set) var used = 0

    /// Discards the payload and reserves space for a column of `count` values.
    mutating func reset(_ count: Int) {
        used = 0
        let room = Encoding.maximumPayload(count) + ColumnKernels.windowsBound(count)
        if bytes.count < room { bytes = [UInt8](repeating: 0, count: room) }
    }

    /// Truncates the payload to `length` bytes.
    mutating func rewind(to length: Int) {
        used = min(used, length)
    }

    mutating func put(_ value: UInt8) {
        bytes[used] = value
        used += 1
    }

    mutating func put(_ value: UInt64) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) { put(UInt8(truncatingIfNeeded: value >> shift)) }
    }

    mutating func put(varint value: UInt64) {
        Varint.write(value) { put($0) }
    }

    mutating func put(zigzag value: Int64) {
        put(varint: Zigzag.encode(value))
    }

    mutating func put(stream values: [Int64], _ count: Int, wholeBytes: Bool) {
        used += ColumnKernels.encodeStream(values, count, wholeBytes: wholeBytes, into: &bytes, at: used)
    }

    mutating func put(windows values: [Int64], _ count: Int, group: UInt8) {
        var group = group
        used += ColumnKernels.encodeWindows(values, count, group: &group, into: &bytes, at: used)
    }

    mutating func put(adaptive values: [Int64], _ count: Int, scratch: inout [UInt8]) {
        let room = used + ColumnKernels.adaptiveBound(count)
        if bytes.count < room { bytes += [UInt8](repeating: 0, count: room - bytes.count) }
        used += ColumnKernels.encodeAdaptive(values, count, into: &bytes, at: used, scratch: &scratch)
    }

    mutating func put(codes: [UInt64], _ count: Int, width: Int) {
        used += ColumnKernels.pack(codes, count, width: width, into: &bytes, at: used)
    }

    /// Writes the mask of the planes, then the planes.
    mutating func put(planes values: [Double], _ count: Int, withPrevious: Bool) {
        let result = ColumnKernels.shuffle(values, count, withPrevious: withPrevious, into: &bytes, at: used + 1)
        bytes[used] = result.mask
        used += 1 + result.used
    }
}
