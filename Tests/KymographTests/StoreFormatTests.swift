// SPDX-License-Identifier: Apache-2.0

import Bytes
import FileSystem
import Foundation
import Kernels
import TestSupport
import Testing

@testable import Kymograph

@Suite("E-18 format of the store's directory: the pages describe the bytes")
struct StoreFormatTests {
    /// The cells of a page's table whose first column is a field's name.
    private func table(_ page: String) throws -> [String: [String]] {
        var url = URL(fileURLWithPath: #filePath)
        for _ in 0..<3 { url.deleteLastPathComponent() }
        let text = try String(contentsOf: url.appendingPathComponent("Docs/Format/\(page)"), encoding: .utf8)
        var rows = [String: [String]]()
        for line in text.split(separator: "\n") where line.hasPrefix("| ") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            rows[cells[0]] = Array(cells.dropFirst())
        }
        return rows
    }

    @Test("Store.md describes WITNESS", .ofPlainStores)
    func witness() throws {
        let test = try TestStore()
        try test.store.series("a", kind: .discrete)
        let bytes = try test.store.disk.contents(of: test.path + "/WITNESS", limit: 1_000)
        let page = try table("Store.md")
        func field(_ name: String) throws -> Range<Int> {
            let cells = try #require(page[name])
            let offset = try #require(Int(cells[0]))
            return offset..<offset + (try #require(Int(cells[1])))
        }
        #expect(bytes.count == Witness.size * Witness.copies)
        #expect(try field("checksum").upperBound == Witness.size)
        #expect(try String(decoding: bytes[field("magic")], as: UTF8.self) == "KYMOWITN")
        #expect(try Array(bytes[field("store")]) == test.store.context.storeID)
        var reader = ByteReader(bytes, at: try field("commit").lowerBound)
        #expect(try reader.i64() == 1)
        #expect(try reader.u32() == Kernel.crc32c(bytes, 0..<field("checksum").lowerBound))
    }

    @Test("Tail.md describes a row of the tail")
    func tail() throws {
        let page = try table("Tail.md")
        #expect(page["version"]?.last?.hasPrefix("\(TailCodec.version);") == true)
        var rows = SampleRows()
        rows.starts = [1, 2, 3]
        rows.values = [4, 5, 6]
        var codec = TailCodec(store: [UInt8](repeating: 7, count: 16))
        let draft = try TailEncoders().draft([(series: 300, rows: rows), (series: 301, rows: rows)])
        let (body, made) = try codec.close([draft], seq: 9)
        var reader = ByteReader(body)
        #expect(try reader.u8() == 1)
        for series in [300, 301] {
            #expect(try reader.varint() == UInt64(series))
            let length = Int(try reader.varint())
            #expect(try reader.bytes(length).first == 0xB1)
        }
        #expect(reader.remaining == 0)
        let blocks = try codec.decode(body, seq: 9)
        #expect(blocks.map(\.series) == [300, 301] && blocks.allSatisfy { $0.summary.count == 3 })
        // The writer's values in memory equal the values that a reader decodes from the row.
        #expect(made.map(\.series) == blocks.map(\.series) && made.map(\.ordinal) == blocks.map(\.ordinal))
        #expect(made.map(\.summary) == blocks.map(\.summary) && made.map(\.seq) == blocks.map(\.seq))
        #expect(made.map(\.bytes) == blocks.map(\.bytes) && made.map(\.length) == blocks.map(\.length))
        // The row is bound to its number and store: another number or store does not verify.
        #expect(throws: StoreError.self) { try codec.decode(body, seq: 10) }
        var other = TailCodec(store: [UInt8](repeating: 8, count: 16))
        #expect(throws: StoreError.self) { try other.decode(body, seq: 9) }
        for i in body.indices {
            var flipped = body
            flipped[i] ^= 0x10
            #expect(throws: StoreError.self, "byte \(i)") { try codec.decode(flipped, seq: 9) }
        }
    }

    @Test("An impossible summary of a run is refused, even with a right checksum")
    func runSummary() throws {
        let samples = (0..<3).map { Int64($0) }
        let sound = Kernel.summarize(
            starts: samples, ends: nil, values: [1, 2, 3], range: 0..<3, minBorn: 1, maxBorn: 1)
        let segment = [UInt8](repeating: 9, count: 16)
        func read(_ change: (inout Summary) -> Void) throws -> Summary {
            var summary = sound
            change(&summary)
            return try RunSummary.decode(
                RunSummary.encode(summary, segment: segment, series: 1), segment: segment, series: 1)
        }
        #expect(try read { _ in } == sound)
        // The sum of two of these counts would overflow.
        #expect(throws: ByteError.self) { try read { $0.count = .max } }
        #expect(throws: ByteError.self) { try read { $0.count = -1 } }
        #expect(throws: ByteError.self) { try read { $0.maxEnd = 1 } }
        #expect(throws: ByteError.self) { try read { $0.min = 4 } }
    }
}
