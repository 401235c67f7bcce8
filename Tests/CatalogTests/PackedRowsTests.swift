// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Catalog

@Suite("E-2 rows of many series take little memory")
struct PackedRowsTests {
    private static func run(_ dice: inout Dice) -> RunRow {
        var words: [UInt64] = []
        for _ in 0..<dice.below(30) {
            switch dice.below(6) {
            case 0: words.append(0)
            case 1: words.append(words.last ?? 1)
            case 2: words.append(words.dropLast().last ?? 2)
            case 3: words.append(dice.next() >> UInt64(dice.below(64)))
            case 4: words.append(dice.next() << UInt64(dice.below(64)))
            default: words.append(dice.next())
            }
        }
        var summary = words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * UInt64($0))) } }
        summary += dice.bytes(dice.below(8))
        return RunRow(
            series: Int64(dice.next() >> 1), rootOffset: Int64(dice.next() >> UInt64(1 + dice.below(60))),
            rootLength: Int64(dice.below(1 << 30)), levels: dice.below(256),
            blocks: Int64(dice.next() >> UInt64(1 + dice.below(60))), summary: summary)
    }

    private static func isCanonical(_ text: String) -> Bool { Labels.isCanonical(text.utf8.span) }

    @Test("Runs round-trip byte for byte, for any content of their summaries", arguments: 0..<50)
    func runs(_ seed: Int) {
        var dice = Dice(seed: UInt64(seed))
        let rows = (0..<dice.below(200)).map { _ in Self.run(&dice) }
        var packed = RunRows(rows)
        #expect(Array(packed) == rows)
        packed.shrink()
        // Appends after shrinking.
        let more = rows.last.map { [$0] } ?? []
        for row in more { packed.append(row) }
        #expect(Array(packed) == rows + more)
        packed = RunRows(rows)
        packed.shrink()
        #expect(Array(packed) == rows && packed.series == rows.map(\.series))
        #expect(packed == RunRows(rows))
        guard !rows.isEmpty else { return }
        let (place, other) = (dice.below(rows.count), Self.run(&dice))
        packed[place] = other
        var changed = rows
        changed[place] = other
        #expect(Array(packed) == changed)
    }

    @Test("A typical run takes less than half of its bytes")
    func size() {
        let words: [UInt64] = [
            10, 0x4090_0000_0000_0000, 0, 0x4100_0000_0000_0000, 0, 5, 5, 1_700_000_000_000_000_000,
        ]
        func pack(_ known: PackedWords, like model: [UInt64]) -> PackedWords {
            var packed = known
            var packer = WordPacker(like: model)
            for place in stride(from: 0, to: words.count, by: 2) {
                packer.put(words[place], words[place + 1], into: &packed)
            }
            return packed
        }
        let packed = pack(PackedWords(), like: [])
        #expect(packed.count < 8 * words.count / 2)
        // Words equal to those of the model take half a byte each.
        let both = pack(packed, like: words)
        #expect(both.count == packed.count + words.count / 2)
        var second = WordUnpacker(both, at: packed.count, like: words)
        #expect(words.map { _ in second.next() } == words)
        // Reads after the end return zeros and stay within the bytes.
        var unpacker = WordUnpacker(packed, at: packed.count - 1, like: [])
        for _ in 0..<10 { _ = unpacker.next() }
        #expect(unpacker.next() == 0)
    }

    @Test("Series are found by id, in any order of insertion and with gaps", arguments: 0..<30)
    func series(_ seed: Int) {
        var dice = Dice(seed: UInt64(seed))
        var known: [Int64: SeriesRow] = [:]
        var rows = SeriesRows()
        let most = seed % 3 == 0 ? 20 : 2_000
        for _ in 0..<dice.below(300) {
            var labels: [String: String] = [:]
            for _ in 0..<dice.below(3) { labels[dice.text()] = dice.text() }
            let row = SeriesRow(
                id: Int64(1 + dice.below(most)), name: dice.text(), labels: labels, kind: UInt8(dice.below(256)))
            known[row.id] = row
            rows.put(id: row.id, kind: row.kind, name: row.name, labels: Labels.encode(row.labels))
        }
        let sorted = known.values.sorted { $0.id < $1.id }
        #expect(Array(rows) == sorted && rows.ids == sorted.map(\.id))
        for id in -1...Int64(most) + 1 {
            #expect(rows.place(of: id).map { rows[$0] } == known[id])
        }
        #expect(rows.place(of: .min) == nil && rows.place(of: .max) == nil)
        let odd = rows.filtered { $0 % 2 == 1 }
        #expect(Array(odd) == sorted.filter { $0.id % 2 == 1 })
    }

    @Test("Segment lengths whose sum overflows are refused")
    func lengths() throws {
        var dice = Dice(seed: 3)
        let scratch = try Scratch()
        defer { withExtendedLifetime(scratch) {} }
        let writer = try scratch.writer()
        let rows = (1...4_097 as ClosedRange<Int64>).map {
            SegmentRow(id: $0, uuid: dice.bytes(16), bytes: 1 << 50, checksum: 0, born: 1, runs: [])
        }
        try writer.commit(CatalogCommit(seq: 1, segments: rows))
        let error = #expect(throws: CatalogError.self) { try writer.load() }
        #expect(error?.kind == .corrupt && error?.message.contains("bytes together") == true)
        try writer.close()
    }

    @Test("Rows that do not ascend, as in a hostile catalog, are refused")
    func order() throws {
        let scratch = try Scratch()
        defer { withExtendedLifetime(scratch) {} }
        let writer = try scratch.writer()
        func read(_ sql: String, _ body: @escaping (RowReader) throws -> Void) -> CatalogError? {
            do {
                try writer.read { rows in try rows.scan(sql) { try body($0) } }
                return nil
            } catch {
                return error
            }
        }
        for (first, second) in [(10, 5), (7, 7), (0, 1), (-3, 2)] {
            var (series, runs) = (SeriesRows(), RunRows())
            let one = read(
                "SELECT \(first),1,'a','{}' UNION ALL SELECT \(second),1,'b','{}'", { try $0.series(to: &series) })
            let two = read(
                "SELECT \(first),0,0,0,0,x'' UNION ALL SELECT \(second),0,0,0,0,x''",
                { try $0.run(from: 0, to: &runs) })
            #expect(one?.kind == .corrupt && two?.kind == .corrupt, "\(first), \(second)")
        }
        var series = SeriesRows()
        #expect(
            read("SELECT 5,1,'a','{}' UNION ALL SELECT 10,1,'b','{}'", { try $0.series(to: &series) }) == nil
                && series.ids == [5, 10])
        try writer.close()
    }

    @Test(
        "A text of labels is accepted without decoding exactly if decoding accepts it",
        arguments: [
            "{}", "{", "}", "", "{}x", "{\"a\":\"b\"}", "{\"a\":\"b\",\"c\":\"d\"}", "{\"c\":\"b\",\"a\":\"d\"}",
            "{\"a\":\"b\",\"a\":\"d\"}", "{\"a\":\"b\",}", "{,}", "{\"a\"}", "{\"a\":}", "{\"a\":\"b}",
            "{\"a\":\"b\" }",
            "{\"\":\"\"}", "{\"\":\"\",\"a\":\"\"}", "{\"a\":\"\",\"\":\"\"}", "{\"a\":\"é\"}", "{\"a\":\"\\\"\"}",
            "{\"a\":\"\\u0000\"}", "{\"a\":\"\\n\"}", "{\"a\":\"b\"}}", "{{\"a\":\"b\"}", "{\"ab\":\"\",\"a\":\"\"}",
            "{\"a\":\"\",\"ab\":\"\"}", "{\"a\":\"\u{7f}\"}", "{\"a\":\"\t\"}", "{\"a\":\"b\"", "\"a\":\"b\"}",
            "{\"a\"\"b\"}", "{a:b}", "{\"a\":\"b\"\"c\":\"d\"}",
        ])
    func labels(_ text: String) {
        #expect(Self.isCanonical(text) == (Labels.decode(text) != nil))
    }

    @Test("Valid and damaged random texts of labels are classified like by decoding", arguments: 0..<20)
    func randomLabels(_ seed: Int) {
        var dice = Dice(seed: UInt64(seed))
        for _ in 0..<500 {
            var labels: [String: String] = [:]
            for _ in 0..<dice.below(4) { labels[dice.text()] = dice.text() }
            let text = Labels.encode(labels)
            #expect(Self.isCanonical(text))
            var bytes = Array(text.utf8)
            bytes[dice.below(bytes.count)] = UInt8(dice.below(128))
            let hurt = String(decoding: bytes, as: UTF8.self)
            #expect(Self.isCanonical(hurt) == (Labels.decode(hurt) != nil), "\(hurt)")
        }
    }
}
