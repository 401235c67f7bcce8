// SPDX-License-Identifier: Apache-2.0

/// Streams, windows and sequences of `Docs/Format/Columns.md`, decoded value by value.
extension NaiveReader {
    /// Reads a stream in mini-blocks of 128.
    mutating func stream(_ count: Int) throws -> [Int64] {
        var heads: [(count: Int, width: Int, exceptions: Int, frame: Int64)] = []
        for start in stride(from: 0, to: count, by: 128) {
            let width = Int(try byte())
            let exceptions = Int(try byte())
            guard width <= 64, width < 64 || exceptions == 0 else { throw Refused("width or exceptions") }
            heads.append((min(128, count - start), width, exceptions, try zigzag()))
        }
        var values: [Int64] = []
        values.reserveCapacity(count)
        for head in heads {
            let first = values.count
            for bits in try bits(head.count, head.width) { values.append(head.frame &+ Int64(bitPattern: bits)) }
            var next = 0
            for _ in 0..<head.exceptions {
                let position = Int(try byte())
                let high = try zigzag()
                guard position >= next, position < head.count else { throw Refused("position of an exception") }
                let shifted = high << Int64(head.width)
                guard high != 0, shifted >> Int64(head.width) == high else { throw Refused("high bits") }
                values[first + position] &+= shifted
                next = position + 1
            }
        }
        return values
    }

    /// Reads a stream of windows around one centre.
    mutating func windows(_ count: Int) throws -> [Int64] {
        let centre = try zigzag()
        let shape = Int(try byte())
        let least = Int(try byte())
        let escapes = try varint()
        guard (5...11).contains(shape & 15), shape >> 4 <= 6 else { throw Refused("groups") }
        guard escapes <= UInt64(count) else { throw Refused("more escapes than values") }
        let size = 1 << (shape & 15)
        let groups = (count + size - 1) / size
        let steps = try bits(groups, shape >> 4)
        var far = (escapes > 0 ? try stream(Int(escapes)) : [])[...]
        var values: [Int64] = []
        values.reserveCapacity(count)
        for group in 0..<groups {
            let width = least + Int(steps[group])
            guard width <= 57 else { throw Refused("a window of \(width) bits") }
            let part = min(size, count - group * size)
            if width == 0 {
                for _ in 0..<part { values.append(centre) }
                continue
            }
            let reach = (Int64(1) << Int64(width - 1)) - 1
            for code in try bits(part, width) {
                if code < (1 << UInt64(width)) - 1 {
                    values.append(centre &- reach &+ Int64(code))
                } else {
                    guard let escape = far.popFirst() else { throw Refused("too few escapes") }
                    let beyond = escape >= 0 ? reach &+ 1 &+ escape : escape &- reach
                    values.append(centre &+ beyond)
                }
            }
        }
        guard far.isEmpty else { throw Refused("too many escapes") }
        return values
    }

    /// Reads the body of one of the forms 1 to 5 and 9 to 11.
    mutating func sequence(_ form: UInt8, _ count: Int) throws -> [Int64] {
        switch form {
        case 1:
            let value = try zigzag()
            return [Int64](repeating: value, count: count)
        case 2:
            let first = try zigzag()
            let step = try zigzag()
            return (0..<count).map { first &+ Int64($0) &* step }
        case 3, 4, 5, 9, 10, 11, 12: break
        default: throw Refused("form \(form)")
        }
        let kind = form == 12 ? 5 : form > 5 ? form - 6 : form
        var value = try zigzag()
        var slope = kind == 5 ? try zigzag() : 0
        let unit = Int64(bitPattern: try varint())
        guard unit != 0 else { throw Refused("unit 0") }
        let predict = form == 12 ? try predictor() : nil
        var numbers = form == 12 ? try adaptive(count) : form > 5 ? try windows(count) : try stream(count)
        if let predict { numbers = predict(numbers) }
        let base = value
        return numbers.map { number in
            switch kind {
            case 3: return base &+ unit &* number
            case 4: value &+= unit &* number
            default:
                slope &+= number
                value &+= unit &* slope
            }
            return value
        }
    }

    /// Reads shift and factors; returns the function that adds the predictions to differences.
    private mutating func predictor() throws -> ([Int64]) -> [Int64] {
        let shift = Int64(try byte())
        guard shift >= 1, shift <= 30 else { throw Refused("shift") }
        let factors = [try zigzag(), try zigzag(), try zigzag(), try zigzag()]
        return { differences in
            var all: [Int64] = []
            for difference in differences {
                var sum = Int64(1) << (shift - 1)
                for (back, factor) in factors.enumerated() where back < all.count {
                    sum &+= factor &* all[all.count - 1 - back]
                }
                all.append(difference &+ sum >> shift)
            }
            return all
        }
    }

    /// Reads a form and its body.
    mutating func sequence(_ count: Int) throws -> [Int64] { try sequence(try byte(), count) }
}
