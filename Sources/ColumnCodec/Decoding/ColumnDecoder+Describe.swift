// SPDX-License-Identifier: Apache-2.0

internal import Bytes

/// A description of some bytes of a column.
package struct ByteNote: Sendable, Equatable {
    /// Offsets in the described array; if `inPlain`, offsets in the decompressed payload.
    package let range: Range<Int>
    /// The field's name in `Docs/Format/Columns.md`.
    package let name: String
    /// The field's value.
    package let meaning: String
    /// Whether `range` counts from the start of the decompressed payload.
    package let inPlain: Bool
}

extension ColumnDecoder {
    /// Describes the fields of a column in order, as far as they are readable; a damaged column ends in a note named
    /// "error".
    ///
    /// For inspection; values are not decoded. Accepts any bytes; takes time in proportion to their number.
    package static func describe(_ bytes: [UInt8], at: Int, end: Int, count: Int) -> [ByteNote] {
        var describer = Describer(ByteReader(bytes, at: at, end: end))
        do throws(ByteError) {
            let frame = try frame(bytes, at: at, end: end, count: count, room: .max)
            describer.frame(frame, at: at)
            if frame.lz4 {
                var plain = [UInt8](repeating: 0, count: frame.plain + Encoding.spare)
                guard LZ4.decompress(bytes, frame.payload, into: &plain, count: frame.plain) else {
                    throw ByteError(offset: frame.payload.lowerBound, what: "LZ4 block is damaged")
                }
                describer.add(frame.payload, "payload", "LZ4 block of \(frame.plain) bytes")
                describer.restart(ByteReader(plain, at: 0, end: frame.plain))
            } else {
                describer.restart(ByteReader(bytes, at: frame.payload.lowerBound, end: frame.payload.upperBound), false)
            }
            try describer.payload(frame.encoding, count)
        } catch {
            describer.fail(error)
        }
        return describer.notes
    }
}

/// Describes the fields of a payload one after the other.
private struct Describer {
    private(set) var notes: [ByteNote] = []
    private var reader: ByteReader
    private var inPlain = false

    init(_ reader: ByteReader) { self.reader = reader }

    mutating func restart(_ reader: ByteReader, _ inPlain: Bool = true) {
        self.reader = reader
        self.inPlain = inPlain
    }

    mutating func add(_ range: Range<Int>, _ name: String, _ meaning: String) {
        notes.append(ByteNote(range: range, name: name, meaning: meaning, inPlain: inPlain))
    }

    mutating func fail(_ error: ByteError) {
        add(error.offset..<error.offset, "error", error.what)
    }

    mutating func frame(_ frame: ColumnDecoder.Frame, at: Int) {
        add(at..<(at + 1), "encoding", "\(frame.encoding): \(Encoding.name(frame.encoding))")
        add((at + 1)..<(at + 2), "flags", frame.lz4 ? "LZ4" : "none")
        let lengths = frame.lz4 ? "\(frame.payload.count) stored, \(frame.plain) plain" : "\(frame.plain)"
        add((at + 2)..<frame.payload.lowerBound, "lengths", lengths)
    }

    /// Reads one field and adds a note about it.
    private mutating func field<T>(
        _ name: String, _ read: (inout ByteReader) throws(ByteError) -> T, _ words: (T) -> String
    ) throws(ByteError) -> T {
        let start = reader.offset
        let value = try read(&reader)
        add(start..<reader.offset, name, words(value))
        return value
    }

    private mutating func varint(_ name: String) throws(ByteError) -> UInt64 {
        try field(name, { (r: inout ByteReader) throws(ByteError) in try r.varint() }, { "\($0)" })
    }

    @discardableResult
    private mutating func zigzag(_ name: String) throws(ByteError) -> Int64 {
        try field(name, { (r: inout ByteReader) throws(ByteError) in try r.zigzag() }, { "\($0)" })
    }

    private mutating func byte(_ name: String, _ words: (UInt8) -> String) throws(ByteError) -> UInt8 {
        try field(name, { (r: inout ByteReader) throws(ByteError) in try r.u8() }, words)
    }

    private mutating func skip(_ count: Int, _ name: String, _ meaning: String) throws(ByteError) {
        if count == 0 { return }
        _ = try field(name, { (r: inout ByteReader) throws(ByteError) in try r.skip(count) }, { meaning })
    }

    mutating func payload(_ encoding: UInt8, _ count: Int) throws(ByteError) {
        switch encoding {
        case Encoding.runLength:
            let runs = try entryCount("runs", count)
            try nested("values", runs)
            try nested("run lengths", runs)
        case Encoding.dictionary:
            let entries = try entryCount("entries", count)
            try nested("entry values", entries)
            try codes(count)
        case Encoding.clock:
            try zigzag("second")
            try nested("ticks", count)
        case Encoding.realRunLength:
            let runs = try entryCount("runs", count)
            try nestedScalars(runs)
            try nested("run lengths", runs)
        case Encoding.realDictionary:
            let entries = try entryCount("entries", count)
            try nestedScalars(entries)
            try codes(count)
        case _ where Encoding.isForm(encoding):
            try sequence(encoding, count)
        default:
            try scalars(encoding, count)
        }
        if reader.remaining > 0 { add(reader.offset..<reader.end, "error", "bytes left over") }
    }

    private mutating func entryCount(_ name: String, _ most: Int) throws(ByteError) -> Int {
        let entries = try varint(name)
        guard entries <= UInt64(most) else { throw ByteError(offset: reader.offset, what: "too many \(name)") }
        return Int(entries)
    }

    private mutating func nested(_ name: String, _ count: Int) throws(ByteError) {
        let form = try byte("form", { "\(name): \($0), \(Encoding.name($0))" })
        guard Encoding.isForm(form) else { throw ByteError(offset: reader.offset, what: "unknown form") }
        try sequence(form, count)
    }

    private mutating func nestedScalars(_ count: Int) throws(ByteError) {
        let encoding = try byte("encoding", { "values: \($0), \(Encoding.name($0))" })
        let allowed = Encoding.decimal...Encoding.ordered
        guard allowed.contains(encoding) || encoding == Encoding.raw else {
            throw ByteError(offset: reader.offset, what: "unknown encoding \(encoding)")
        }
        try scalars(encoding, count)
    }

    private mutating func codes(_ count: Int) throws(ByteError) {
        let width = try byte("width", { "codes of \($0) bits" })
        try skip((count * Int(width) + 7) / 8, "codes", "\(count) codes")
    }

    private mutating func sequence(_ form: UInt8, _ count: Int) throws(ByteError) {
        switch form {
        case Encoding.constant:
            try zigzag("value")
        case Encoding.linear:
            try zigzag("first")
            try zigzag("step")
        default:
            guard Encoding.isForm(form) else {
                throw ByteError(offset: reader.offset, what: "unknown encoding \(form)")
            }
            let kind = Encoding.base(form)
            try zigzag("base")
            if kind == Encoding.deltaOfDelta { try zigzag("slope") }
            _ = try varint("unit")
            if form == Encoding.predicted {
                _ = try byte("shift", { "\($0) bits" })
                for place in 1...4 { try zigzag("factor \(place)") }
                try adaptive(count)
            } else if kind == form {
                try stream(count)
            } else {
                try windows(count)
            }
        }
    }

    private mutating func adaptive(_ count: Int) throws(ByteError) {
        _ = try byte("start", { "length of the first numbers: \(Double($0) / 4) bits" })
        let (choices, plain) = (try varint("choices"), try varint("plain bits"))
        guard choices <= UInt64(reader.remaining), plain <= UInt64(reader.remaining) - choices else {
            throw ByteError(offset: reader.offset, what: "choices run past the end")
        }
        try skip(Int(choices), "choices", "\(count) numbers")
        try skip(Int(plain), "plain bits", "\(plain) bytes")
    }

    private mutating func windows(_ count: Int) throws(ByteError) {
        try zigzag("centre")
        let shape = try byte("groups", { "of 2^\($0 & 15), steps of \($0 >> 4) bits" })
        let least = try byte("least width", { "\($0) bits" })
        let escapes = try varint("escapes")
        guard Encoding.groups ~= shape & 15, shape >> 4 <= 6, escapes <= UInt64(count) else {
            throw ByteError(offset: reader.offset, what: "unknown groups")
        }
        let (size, bits) = (1 << Int(shape & 15), Int(shape >> 4))
        let groups = (count + size - 1) / size
        var steps: [UInt8] = []
        for _ in 0..<(groups * bits + 7) / 8 {
            steps.append(try byte("widths", { "\(bits) bits each above the least: \(String($0, radix: 2))" }))
        }
        if escapes > 0 { try stream(Int(escapes)) }
        for group in 0..<groups {
            let width = Int(least) + Self.number(group, bits, in: steps)
            let values = min(size, count - group * size)
            try skip((values * width + 7) / 8, "codes", "group \(group): \(values) values of \(width) bits")
        }
    }

    /// Returns number `index` of an array of numbers of `bits` bits each.
    private static func number(_ index: Int, _ bits: Int, in bytes: [UInt8]) -> Int {
        (0..<bits).reduce(0) { number, bit in
            let place = index * bits + bit
            return number | Int(bytes[place / 8] >> UInt8(place % 8) & 1) << bit
        }
    }

    private mutating func stream(_ count: Int) throws(ByteError) {
        var minis: [(count: Int, width: Int, exceptions: Int)] = []
        for start in stride(from: 0, to: count, by: Encoding.miniBlock) {
            let number = "mini-block \(minis.count)"
            let width = try byte("width", { "\(number): \($0) bits" })
            let exceptions = try byte("exceptions", { "\(number): \($0)" })
            try zigzag("frame")
            minis.append((min(count - start, Encoding.miniBlock), Int(width), Int(exceptions)))
        }
        for (number, mini) in minis.enumerated() {
            let words = "mini-block \(number): \(mini.count) values of \(mini.width) bits"
            try skip((mini.count * mini.width + 7) / 8, "bits", words)
            for _ in 0..<mini.exceptions {
                _ = try byte("position", { "mini-block \(number): value \($0)" })
                try zigzag("high bits")
            }
        }
    }

    private mutating func scalars(_ encoding: UInt8, _ count: Int) throws(ByteError) {
        switch encoding {
        case Encoding.realConstant:
            try double("value")
        case Encoding.decimal:
            _ = try byte("exponent", { "k / 10^\($0)" })
            try exceptions(count)
            try nested("integers", count)
        case Encoding.ratio:
            let words = { (number: UInt8) in
                Encoding.divisors.indices.contains(Int(number)) ? "k / \(Encoding.divisors[Int(number)])" : "unknown"
            }
            _ = try byte("divisor", words)
            try exceptions(count)
            try nested("integers", count)
        case Encoding.float32:
            try exceptions(count)
            try nested("ordered floats", count)
        case Encoding.ordered:
            try nested("ordered patterns", count)
        case Encoding.xor, Encoding.shuffled:
            if encoding == Encoding.xor { try double("first") }
            let mask = try byte("planes", { "bits \(String($0, radix: 2))" })
            for plane in 0..<8 where mask >> plane & 1 == 1 { try skip(count, "plane", "byte \(plane) of each value") }
        case Encoding.raw:
            try skip(8 * count, "values", "\(count) doubles")
        case Encoding.scaled:
            try double("divisor")
            try double("offset")
            try nested("numbers", count)
            try nested("corrections", count)
        default:
            throw ByteError(offset: reader.offset, what: "unknown encoding \(encoding)")
        }
    }

    private mutating func double(_ name: String) throws(ByteError) {
        _ = try field(name, { (r: inout ByteReader) throws(ByteError) in try r.double() }, { "\($0)" })
    }

    private mutating func exceptions(_ count: Int) throws(ByteError) {
        let number = try varint("exceptions")
        guard number <= UInt64(count) else { throw ByteError(offset: reader.offset, what: "too many exceptions") }
        for _ in 0..<number { _ = try varint("gap") }
        for _ in 0..<number { try double("exception") }
    }
}
