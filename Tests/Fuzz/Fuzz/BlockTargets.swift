// SPDX-License-Identifier: Apache-2.0

import Bytes
import ColumnCodec
import Kernels

@testable import ChunkFormat

enum BlockTargets {
    static let all = [
        Target(
            name: "block", maximumLength: 4096,
            asserts: "every level and any choice of columns gives the samples of the naive decoder, or both refuse",
            seeds: { files in
                files.units(.block).map(\.bytes).filter { $0.count < 4000 } + BlockSeeds.blocks
            },
            run: { decode(Sealing.block($0, Sealing.identity())) }),
        Target(
            name: "block-round-trip", maximumLength: 4096,
            asserts: "a block of any samples is refused or decoded to the same bits, by the naive decoder too",
            seeds: { _ in BlockSeeds.samples }, run: roundTrip),
    ]

    // MARK: decoding

    static func decode(_ bytes: [UInt8]) {
        let expected: Result<NaiveBlock?, any Error> = Result { try NaiveBlock(bytes, series: Sealing.series) }
        // Nil where the two may differ.
        var whole = (try? expected.get()) ?? nil
        let padded = bytes + [UInt8](repeating: 0xA5, count: SegmentFormat.spareBytes)
        var decoder = BlockDecoder()
        let buffer = BlockBuffer()
        defer { Kernel.force(level: -1) }
        for level in 0...Kernel.highestLevel {
            Kernel.force(level: level)
            let found = samples(&decoder, level == 1 ? bytes : padded, bytes.count, buffer, .all)
            switch (found, expected) {
            case (.failure, .failure), (.failure, .success(nil)): break
            case (.success, .success(nil)): finding("LZ4 that the naive decoder refuses")
            case (.success, .failure(let why)): finding("decoded what the page refuses: \(why)")
            case (.failure(let error), .success) where NaiveLZ4.isRefusal(error.what): whole = nil
            case (.failure(let error), .success): finding("refused what the page allows: \(error)")
            case (.success(let a), .success(let b)): require(a == b, "level \(level): other samples")
            }
        }
        Kernel.force(level: -1)
        parts(&decoder, padded, bytes.count, buffer, whole)
        sink(&decoder, padded, bytes.count, whole)
        _ = try? BlockAnatomy(bytes, at: 0)
    }

    private static func samples(
        _ decoder: inout BlockDecoder, _ bytes: [UInt8], _ length: Int, _ buffer: BlockBuffer, _ columns: ColumnSet
    ) -> Result<NaiveBlock, FormatError> {
        do throws(FormatError) {
            try decoder.decode(
                bytes, at: 0, length: length, identity: Sealing.identity(), columns: columns, into: buffer)
        } catch {
            require(buffer.count == 0, "samples after an error")
            return .failure(error)
        }
        return .success(NaiveBlock(buffer))
    }

    /// Some of the columns: what all of them together are, they are alone.
    private static func parts(
        _ decoder: inout BlockDecoder, _ bytes: [UInt8], _ length: Int, _ buffer: BlockBuffer, _ whole: NaiveBlock?
    ) {
        let sets: [ColumnSet] = [
            [.starts], [.values], [.starts, .values], [.starts, .ends, .values], [.created], [.ends, .born],
            [.identity, .metadata],
        ]
        for columns in sets {
            let part = samples(&decoder, bytes, length, buffer, columns)
            guard let whole else { continue }
            guard case .success(let found) = part else { finding("refused a part of a sound block") }
            let decoded = buffer.decoded
            require(decoded.isSuperset(of: columns), "columns were not decoded")
            let same =
                (!decoded.contains(.starts) || found.starts == whole.starts)
                && (!decoded.contains(.ends) || found.ends == whole.ends)
                && (!decoded.contains(.values) || found.values == whole.values)
                && (!decoded.contains(.created) || found.sides[0] == whole.sides[0])
                && (!decoded.contains(.metadata) || found.sides[2] == whole.sides[2])
                && (!decoded.contains(.identity) || found.sides[3...4] == whole.sides[3...4])
                && (!decoded.contains(.born) || found.sides[5] == whole.sides[5])
            require(same, "columns \(columns.rawValue) alone are others")
        }
    }

    /// Samples straight into arrays, all of them and those of a range.
    private static func sink(_ decoder: inout BlockDecoder, _ bytes: [UInt8], _ length: Int, _ whole: NaiveBlock?) {
        guard let whole, let middle = whole.starts.dropFirst(whole.starts.count / 2).first
        else { return }
        for range in [Int64.min..<Int64.max, middle..<Int64.max] {
            var (starts, values) = ([Int64](), [Double]())
            do throws(FormatError) {
                try SampleSink.append(whole.starts.count, to: &starts, &values) { (sink) throws(FormatError) in
                    try decoder.decode(
                        bytes, at: 0, length: length, identity: Sealing.identity(), startingIn: range,
                        most: whole.starts.count, into: sink, row: 0)
                }
            } catch { finding("a sound block does not go into arrays: \(error)") }
            let rows = whole.starts.indices.filter { range.contains(whole.starts[$0]) }
            require(
                starts == rows.map { whole.starts[$0] } && values.map(\.bitPattern) == rows.map { whole.values[$0] },
                "other samples in arrays")
        }
    }

    // MARK: round trip

    private static func roundTrip(_ bytes: [UInt8]) {
        var input = Input(bytes)
        var encoder = BlockEncoder()
        var isSecond = false
        repeat {
            let buffer = BlockSeeds.buffer(&input)
            var writer = ByteWriter()
            var isRefused = false
            do { _ = try encoder.encode(buffer, identity: Sealing.identity(), into: &writer) } catch {
                require(error.kind == .misuse && writer.count == 0, "refused with \(error)")
                isRefused = true
            }
            let given = NaiveBlock(buffer)
            let sound =
                zip(given.starts, given.starts.dropFirst()).allSatisfy { $0 <= $1 }
                && zip(given.starts, given.ends).allSatisfy { $0 <= $1 }
                && given.values.allSatisfy { Double(bitPattern: $0).isFinite }
                && (given.sides[3] == nil) == (given.sides[4] == nil)
            require(sound == !isRefused, "sound \(sound), refused \(isRefused)")
            if !isRefused {
                decode(writer.bytes)
                let naive = try? NaiveBlock(writer.bytes, series: Sealing.series)
                require(naive == given, "other samples came back")
            }
            if isSecond { return }
            isSecond = true
        } while !input.isEmpty
    }
}

extension NaiveBlock {
    /// What a buffer holds.
    init(_ buffer: BlockBuffer) {
        let rows = 0..<buffer.count
        starts = Array(buffer.starts[rows])
        ends = rows.map { buffer.end(at: $0) }
        values = buffer.values[rows].map(\.bitPattern)
        let columns: [IntegerColumn] = [.created, .provenance, .metadata, .identityHigh, .identityLow, .born]
        sides = columns.map { column in
            let values = rows.compactMap { buffer.value(of: column, at: $0) }
            return values.count == rows.count && !rows.isEmpty ? values : nil
        }
    }
}
