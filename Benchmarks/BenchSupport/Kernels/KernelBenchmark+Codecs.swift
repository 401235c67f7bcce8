// SPDX-License-Identifier: Apache-2.0

import Bytes
import ChunkFormat
import ColumnCodec

extension KernelBenchmark {
    /// Consecutive encoded columns, followed by the spare bytes that decoders may read.
    private struct Encoded {
        var writer = ByteWriter()
        var starts: [Int] = []

        mutating func finish() {
            starts.append(writer.count)
            for _ in 0..<Encoding.spare { writer.put(UInt8(0)) }
        }
    }

    private var values: Int { columns * KernelColumns.count }
    private var column: Range<Int> { 0..<KernelColumns.count }

    /// Measures encoding and decoding of integer columns with each encoding.
    func integers(_ level: String) throws -> [BenchResult] {
        try KernelColumns.integers.flatMap { name, encoding in
            let data = (0..<columns).map { KernelColumns.integers(name, $0) }
            var encoder = IntegerColumnEncoder()
            encoder.forced = encoding
            encoder.lz4 = name.hasSuffix("LZ4") ? .always : .never
            var encoded = Encoded()
            for one in data {
                encoded.starts.append(encoded.writer.count)
                let choice = encoder.encode(one, column, into: &encoded.writer)
                guard choice.encoding == encoding else { throw BenchError("integers do not fit \(name)") }
            }
            encoded.finish()
            var decoder = ColumnDecoder()
            var out = [Int64](repeating: 0, count: KernelColumns.count + Encoding.spare)
            func decode(_ i: Int) throws {
                _ = try decoder.integers(
                    encoded.writer.bytes, at: encoded.starts[i], end: encoded.starts[columns],
                    count: KernelColumns.count, into: &out)
            }
            for i in 0..<columns {
                try decode(i)
                guard out[column].elementsEqual(data[i]) else { throw BenchError("integers, \(name): decoded wrong") }
            }
            let hash = Self.hash(encoded.writer.bytes)
            var writer = ByteWriter(capacity: encoded.writer.count)
            var plain = IntegerColumnEncoder()
            return [
                try row("decode", "integers, \(name)", level, values: values, hash, "columns of 1,024 integers") {
                    for i in 0..<columns { try decode(i) }
                },
                row("encode", "integers, \(name)", level, values: values, hash, "including encoding selection") {
                    writer.bytes.removeAll(keepingCapacity: true)
                    plain.forget()
                    for one in data { _ = plain.encode(one, column, into: &writer) }
                },
            ]
        }
    }

    /// Measures the same with reals.
    func reals(_ level: String) throws -> [BenchResult] {
        try KernelColumns.reals.flatMap { name, encoding in
            let data = (0..<columns).map { KernelColumns.reals(name, $0) }
            var encoder = RealColumnEncoder()
            encoder.forced = encoding
            encoder.lz4 = .never
            var encoded = Encoded()
            for one in data {
                encoded.starts.append(encoded.writer.count)
                let choice = encoder.encode(one, column, into: &encoded.writer)
                guard choice.encoding == encoding else { throw BenchError("reals do not fit \(name)") }
            }
            encoded.finish()
            var decoder = ColumnDecoder()
            var out = [Double](repeating: 0, count: KernelColumns.count + Encoding.spare)
            func decode(_ i: Int) throws {
                _ = try decoder.reals(
                    encoded.writer.bytes, at: encoded.starts[i], end: encoded.starts[columns],
                    count: KernelColumns.count, into: &out)
            }
            for i in 0..<columns {
                try decode(i)
                guard out[column].elementsEqual(data[i]) else { throw BenchError("reals, \(name): decoded wrong") }
            }
            let hash = Self.hash(encoded.writer.bytes)
            var writer = ByteWriter(capacity: encoded.writer.count)
            var plain = RealColumnEncoder()
            return [
                try row("decode", "reals, \(name)", level, values: values, hash, "columns of 1,024 reals") {
                    for i in 0..<columns { try decode(i) }
                },
                row("encode", "reals, \(name)", level, values: values, hash, "including encoding selection") {
                    writer.bytes.removeAll(keepingCapacity: true)
                    plain.forget()
                    for one in data { _ = plain.encode(one, column, into: &writer) }
                },
            ]
        }
    }

    /// Measures complete blocks: times in milliseconds, decimals, checksum and summary.
    func blocks(_ level: String) throws -> [BenchResult] {
        let id = [UInt8](repeating: 1, count: SegmentFormat.idBytes)
        let buffers = (0..<columns).map { index in
            let buffer = BlockBuffer()
            buffer.count = KernelColumns.count
            buffer.starts.replaceSubrange(column, with: KernelColumns.integers("delta", index))
            buffer.values.replaceSubrange(column, with: KernelColumns.reals("decimal", index))
            return buffer
        }
        var encoder = BlockEncoder()
        var encoded = Encoded()
        func encode() throws {
            encoded.writer.bytes.removeAll(keepingCapacity: true)
            encoded.starts.removeAll(keepingCapacity: true)
            encoder.forget()
            for (i, buffer) in buffers.enumerated() {
                encoded.starts.append(encoded.writer.count)
                let identity = BlockIdentity(store: id, segment: id, series: 1, position: UInt64(i))
                _ = try encoder.encode(buffer, identity: identity, into: &encoded.writer)
            }
            encoded.finish()
        }
        try encode()
        let hash = Self.hash(encoded.writer.bytes)
        var rows = [
            try row("encode", "block", level, values: values * 2, hash, "times, values, checksum and summary", encode)
        ]
        var decoder = BlockDecoder()
        let buffer = BlockBuffer()
        func decode(_ i: Int) throws {
            let identity = BlockIdentity(store: id, segment: id, series: 1, position: UInt64(i))
            try decoder.decode(
                encoded.writer.bytes, at: encoded.starts[i], length: encoded.starts[i + 1] - encoded.starts[i],
                identity: identity, columns: [.starts, .values], into: buffer)
        }
        for i in 0..<columns {
            try decode(i)
            guard buffer.starts[column].elementsEqual(buffers[i].starts[column]),
                buffer.values[column].elementsEqual(buffers[i].values[column])
            else { throw BenchError("a block was decoded wrong") }
        }
        rows.append(
            try row("decode", "block", level, values: values * 2, hash, "times and values, checksum verified") {
                for i in 0..<columns { try decode(i) }
            })
        return rows
    }

    private static func hash(_ bytes: [UInt8]) -> AnswerHash {
        var hash = AnswerHash()
        for byte in bytes { hash.add(UInt64(byte)) }
        return hash
    }
}
