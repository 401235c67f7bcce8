// SPDX-License-Identifier: Apache-2.0

import Bytes
import ColumnCodec

/// The alternatives for coding integer columns; each has its own encoder state.
enum Candidate: Int {
    case start, duration, gap, createdAbsolute, createdFromStart, createdFromEnd
    case provenance, metadata, identityHigh, identityLow, born
    static let count = 11
}

extension BlockEncoder {
    mutating func encodeColumns(_ buffer: BlockBuffer, _ header: inout BlockHeader, _ writer: inout ByteWriter) {
        let count = buffer.count
        put(buffer.starts, 0..<count, .start, .start, &header, &writer)
        encodeEnds(buffer, &header, &writer)
        choices.append(("value", values.encode(buffer.values, 0..<count, into: &writer)))
        encodeCreated(buffer, &header, &writer)
        put(buffer.provenance, count, .provenance, .provenance, &header, &writer)
        put(buffer.metadata, count, .metadata, .metadata, &header, &writer)
        put(buffer.identityHigh, count, .identityHigh, .identityHigh, &header, &writer)
        put(buffer.identityLow, count, .identityLow, .identityLow, &header, &writer)
        put(buffer.born, count, .born, .born, &header, &writer)
    }

    /// Encodes a column of any shape.
    private mutating func put(
        _ column: IntColumn, _ count: Int, _ name: IntegerColumn, _ candidate: Candidate, _ header: inout BlockHeader,
        _ writer: inout ByteWriter
    ) {
        if case .values(let array) = column {
            put(array, 0..<count, name, candidate, &header, &writer)
        } else {
            putShape(column, name, &header, &writer)
        }
    }

    /// Encodes an array as constant or sequence if possible, else with the codec.
    private mutating func put(
        _ array: [Int64], _ range: Range<Int>, _ name: IntegerColumn, _ candidate: Candidate,
        _ header: inout BlockHeader, _ writer: inout ByteWriter
    ) {
        if let shape = IntColumn.shape(of: array, range) {
            putShape(shape, name, &header, &writer)
        } else {
            header.setForm(.coded, of: name)
            choices.append((name.name, integers[candidate.rawValue].encode(array, range, into: &writer)))
        }
    }

    /// Encodes a column that is one number.
    private mutating func putShape(
        _ column: IntColumn, _ name: IntegerColumn, _ header: inout BlockHeader, _ writer: inout ByteWriter
    ) {
        let start = writer.count
        switch column {
        case .absent, .values: return
        case .constant(let value):
            header.setForm(.constant, of: name)
            writer.put(zigzag: value)
        case .sequence(let first):
            header.setForm(.sequence, of: name)
            writer.put(zigzag: first)
        }
        let form = header.form(of: name)
        choices.append((name.name, .ofBlock(form, storedBytes: writer.count - start)))
    }

    // Ends and creation times: the encoder tries several alternatives and keeps the shortest.

    private mutating func encodeEnds(
        _ buffer: BlockBuffer, _ header: inout BlockHeader, _ writer: inout ByteWriter
    ) {
        let count = buffer.count
        guard buffer.hasEnds else { return }
        ColumnLoop.subtract(buffer.ends, buffer.starts, into: &scratch[0], count: count)
        if let shape = IntColumn.shape(of: scratch[0], 0..<count) {
            // If all samples are points, the column is absent and costs nothing.
            if case .constant(0) = shape { return }
            return putShape(shape, .end, &header, &writer)
        }
        // The durations are not constant, so there are at least two samples.
        ColumnLoop.gaps(buffer.ends, buffer.starts, into: &scratch[1], count: count)
        let last = scratch[0][count - 1]
        if let shape = IntColumn.shape(of: scratch[1], 0..<count - 1) {
            header.endFromNextStart = true
            writer.put(zigzag: last)
            return putShape(shape, .end, &header, &writer)
        }
        header.setForm(.coded, of: .end)
        trials[0].bytes.removeAll(keepingCapacity: true)
        trials[1].bytes.removeAll(keepingCapacity: true)
        let byDuration = integers[Candidate.duration.rawValue].encode(scratch[0], 0..<count, into: &trials[0])
        trials[1].put(zigzag: last)
        let byGap = integers[Candidate.gap.rawValue].encode(scratch[1], 0..<count - 1, into: &trials[1])
        if trials[1].count < trials[0].count {
            header.endFromNextStart = true
            writer.put(bytes: trials[1].bytes)
            choices.append(("end", byGap))
        } else {
            writer.put(bytes: trials[0].bytes)
            choices.append(("end", byDuration))
        }
    }

    private mutating func encodeCreated(
        _ buffer: BlockBuffer, _ header: inout BlockHeader, _ writer: inout ByteWriter
    ) {
        let count = buffer.count
        guard case .values(let created) = buffer.created.expanded(count) else { return }
        // The first alternative that needs only one number is used: no other can be much shorter.
        ColumnLoop.subtract(created, buffer.starts, into: &scratch[0], count: count)
        if let shape = IntColumn.shape(of: scratch[0], 0..<count) {
            header.createdBase = .start
            return putShape(shape, .created, &header, &writer)
        }
        let related = buffer.hasEnds && header.form(of: .end) != .absent
        if related {
            ColumnLoop.subtract(created, buffer.ends, into: &scratch[1], count: count)
            if let shape = IntColumn.shape(of: scratch[1], 0..<count) {
                header.createdBase = .end
                return putShape(shape, .created, &header, &writer)
            }
        }
        if let shape = IntColumn.shape(of: created, 0..<count) {
            return putShape(shape, .created, &header, &writer)
        }
        header.setForm(.coded, of: .created)
        for index in trials.indices { trials[index].bytes.removeAll(keepingCapacity: true) }
        var best = CreatedBase.start
        var choice = integers[Candidate.createdFromStart.rawValue].encode(scratch[0], 0..<count, into: &trials[1])
        if related {
            let other = integers[Candidate.createdFromEnd.rawValue].encode(scratch[1], 0..<count, into: &trials[2])
            if trials[2].count < trials[1].count { (best, choice) = (.end, other) }
        }
        let plain = integers[Candidate.createdAbsolute.rawValue].encode(created, 0..<count, into: &trials[0])
        if trials[0].count < trials[Int(best.rawValue)].count { (best, choice) = (.absolute, plain) }
        header.createdBase = best
        writer.put(bytes: trials[Int(best.rawValue)].bytes)
        choices.append(("created", choice))
    }
}

extension IntColumn {
    /// Returns the same column as values; an absent column stays absent.
    func expanded(_ count: Int) -> IntColumn {
        switch self {
        case .absent, .values: return self
        case .constant(let value): return .values([Int64](repeating: value, count: count))
        case .sequence(let first): return .values((0..<Int64(count)).map { first &+ $0 })
        }
    }
}

extension ColumnChoice {
    /// Returns the choice for a column that the block stores as one number, without the codec.
    static func ofBlock(_ form: ColumnForm, storedBytes: Int) -> ColumnChoice {
        ColumnChoice(
            encoding: form == .constant ? Encoding.constant : Encoding.linear, plainBytes: storedBytes,
            storedBytes: storedBytes, lz4: false)
    }
}
