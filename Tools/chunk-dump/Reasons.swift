// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import ColumnCodec

/// The reason for a column's encoding: all possible encodings with their sizes.
struct Reason {
    let column: String
    /// The chosen encoding; `bytes` is its size.
    let chosen: String
    let bytes: Int
    /// The other possible encodings, smallest first.
    let others: [(name: String, bytes: Int)]

    var text: String {
        var lines = "    \(column): \(chosen), \(bytes) bytes\n"
        for other in others {
            let more = bytes == 0 ? "" : " (" + Reason.percent(other.bytes, bytes) + ")"
            lines += "      \(other.name): \(other.bytes) bytes\(more)\n"
        }
        return lines
    }

    private static func percent(_ other: Int, _ chosen: Int) -> String {
        let difference = Double(other - chosen) * 100 / Double(chosen)
        return (difference < 0 ? "" : "+") + Text.fixed(difference, 0) + "%"
    }

    var json: JSON {
        let list = others.map { JSON.object([("name", .string($0.name)), ("bytes", .int($0.bytes))]) }
        return .object([
            ("column", .string(column)), ("chosen", .string(chosen)), ("bytes", .int(bytes)), ("others", .array(list)),
        ])
    }
}

extension SegmentImage {
    /// Returns the reasons for all columns of an intact block by encoding it again, without the encoder's state from
    /// other blocks.
    func reasons(_ block: BlockInfo, _ anatomy: BlockAnatomy) -> [Reason] {
        var decoder = BlockDecoder()
        let buffer = BlockBuffer()
        if let error = decode(block, &decoder, buffer) {
            return [Reason(column: "block", chosen: "\(error)", bytes: 0, others: [])]
        }
        return anatomy.columns.map { place in
            Reason(
                column: place.name, chosen: place.encodingName(self.bytes, anatomy.header), bytes: place.range.count,
                others: alternatives(place, buffer))
        }
    }

    private func alternatives(_ place: ColumnPlace, _ buffer: BlockBuffer) -> [(name: String, bytes: Int)] {
        let all = 0..<buffer.count
        var found: [(name: String, bytes: Int)] = []
        guard let column = place.column else {
            return RealColumnEncoder.candidates(buffer.values, all).map { (name($0), $0.storedBytes) }
        }
        let starts = Array(buffer.starts[all])
        let ends = all.map { buffer.end(at: $0) }
        let numbers = all.map { buffer.value(of: column, at: $0) ?? 0 }
        func add(_ values: [Int64], _ suffix: String, extra: Int = 0) {
            if let first = values.first, values.allSatisfy({ $0 == first }) {
                found.append(("one value\(suffix)", extra + varintBytes(first)))
                return
            }
            for choice in IntegerColumnEncoder.candidates(values, 0..<values.count) {
                found.append((name(choice) + suffix, choice.storedBytes + extra))
            }
        }
        switch column {
        case .end:
            let durations = zip(ends, starts).map { $0 &- $1 }
            add(durations, " from start")
            if ends.count > 1 {
                let gaps = zip(ends, starts.dropFirst()).map { $0 &- $1 }
                add(gaps, " from next start", extra: varintBytes(durations[durations.count - 1]))
            }
        case .created:
            add(numbers, "")
            add(zip(numbers, starts).map { $0 &- $1 }, " from start")
            if buffer.hasEnds { add(zip(numbers, ends).map { $0 &- $1 }, " from end") }
        default: add(numbers, "")
        }
        return found.sorted { ($0.bytes, $0.name) < ($1.bytes, $1.name) }
    }

    private func name(_ choice: ColumnChoice) -> String {
        let note = choice.note.isEmpty ? "" : " [\(choice.note)]"
        return choice.name + (choice.lz4 ? "+lz4" : "") + note
    }

    private func varintBytes(_ value: Int64) -> Int {
        var rest = UInt64(bitPattern: (value << 1) ^ (value >> 63))
        var count = 1
        while rest >= 0x80 { (rest, count) = (rest >> 7, count + 1) }
        return count
    }
}
