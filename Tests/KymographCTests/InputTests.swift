// SPDX-License-Identifier: Apache-2.0

import CKymograph
import Kymograph
import TestSupport
import Testing

extension CInterface {
    @Suite("E-19: types, nulls and faults of loaded Arrow streams")
    struct InputTests {
        private static let times: [Int64] = [1_000_000_000, 2_000_000_000, 3_000_000_000]

        /// Loads a stream into a new store. Returns the store; throws the error of the load.
        private func load(
            _ columns: [HandMadeColumn], failure: Int32 = 0, change: @escaping (inout ArrowArray) -> Void = { _ in }
        ) throws -> CStore {
            let store = try CStore()
            let source = HandMadeStream(columns)
            source.failure = failure
            source.change = change
            let stream = source.stream()
            defer {
                #expect(unsafe stream.stream.pointee.release == nil)
                // The stream and its batch.
                #expect(source.released == (source.isGiven ? 2 : 1))
            }
            try unsafe call { error in unsafe kymo_load(store.handle, nil, stream.stream, nil, error) }
            #expect(source.released == 2)
            return store
        }

        /// Returns the message of a load that must fail because of its columns, and requires that nothing was stored.
        private func refusal(_ columns: [HandMadeColumn]) throws -> String {
            do throws(any Error) {
                _ = try load(columns)
                Issue.record("the stream was loaded")
                return ""
            } catch {
                let found = try #require(error as? CallError)
                #expect(found.kind == KYMO_BAD_ARROW)
                return found.message
            }
        }

        private func found(_ store: CStore) throws -> [String: CColumn] { try store.snapshot().scan().read().columns }

        private var start: HandMadeColumn { HandMadeColumn("start", "tsn:UTC", Self.times) }
        private var value: HandMadeColumn { HandMadeColumn("value", "g", [1.5, 2.5, 3.5]) }
        private var name: HandMadeColumn { HandMadeColumn("name", texts: ["pulse", "pulse", "pulse"]) }

        @Test("Times of every unit and dates become nanoseconds")
        func times() throws {
            let seconds: [Int64] = [1, 2, 3]
            let columns = [
                HandMadeColumn("start", "tss:", seconds),
                HandMadeColumn("start", "tsm:UTC", seconds.map { $0 * 1_000 }),
                HandMadeColumn("start", "tsu:Europe/Zurich", seconds.map { $0 * 1_000_000 }),
                start, HandMadeColumn("start", "l", Self.times),
                HandMadeColumn("start", "L", Self.times.map { UInt64($0) }),
            ]
            for column in columns {
                #expect(try found(load([column, value, name]))["start"] == .integers(Self.times))
            }
            let days = try found(load([HandMadeColumn("start", "tdD", [Int32(0), 1, 2]), value, name]))
            #expect(days["start"] == .integers([0, 86_400_000_000_000, 172_800_000_000_000]))
        }

        @Test("Values of every type of number become doubles, or are refused")
        func numbers() throws {
            let columns = [
                HandMadeColumn("value", "f", [Float(1), 2, 3]), HandMadeColumn("value", "c", [Int8(1), 2, 3]),
                HandMadeColumn("value", "C", [UInt8(1), 2, 3]), HandMadeColumn("value", "s", [Int16(1), 2, 3]),
                HandMadeColumn("value", "S", [UInt16(1), 2, 3]), HandMadeColumn("value", "i", [Int32(1), 2, 3]),
                HandMadeColumn("value", "I", [UInt32(1), 2, 3]), HandMadeColumn("value", "l", [Int64(1), 2, 3]),
            ]
            for column in columns {
                #expect(try found(load([start, column, name]))["value"] == .doubles([1, 2, 3]))
            }
            let long = HandMadeColumn("value", "l", [Int64(1), 1 << 53 + 1, 3])
            #expect(try refusal([start, long, name]).contains("row 1: 9007199254740993 has more digits"))
            let large = HandMadeColumn("start", "L", [UInt64(1), 2, .max])
            #expect(try refusal([large, value, name]).contains("larger than a signed integer"))
            #expect(try refusal([start, HandMadeColumn("value", texts: ["1", "2", "3"]), name]).contains("not texts"))
            #expect(try refusal([HandMadeColumn("start", "tss:", [Int64.max, 1, 2]), value, name]).contains("1678"))
        }

        @Test("Names and labels of every layout of texts make series, and a null label is none")
        func texts() throws {
            let long = "a name that is longer than twelve bytes"
            let columns = ["u", "U", "vu"].map { HandMadeColumn("subject", texts: [long, nil, "x"], format: $0) }
            for column in columns {
                let store = try load([start, value, name, column])
                let stream = CStream()
                let snapshot = try store.snapshot()
                try unsafe call { error in
                    unsafe kymo_series_table(snapshot.handle, "pulse", nil, 0, stream.stream, error)
                }
                #expect(try stream.read().columns["subject"] == .texts([long, nil, "x"]))
                #expect(try found(store)["value"] == .doubles([1.5, 2.5, 3.5]))
            }
            for format in ["c", "C", "s", "S", "i", "I", "l", "L"] {
                let codes: HandMadeColumn
                switch format {
                case "c", "C": codes = HandMadeColumn("name", format, [UInt8(1), 0, 1], into: ["a", "b"])
                case "s", "S": codes = HandMadeColumn("name", format, [UInt16(1), 0, 1], into: ["a", "b"])
                case "i", "I": codes = HandMadeColumn("name", format, [UInt32(1), 0, 1], into: ["a", "b"])
                default: codes = HandMadeColumn("name", format, [UInt64(1), 0, 1], into: ["a", "b"])
                }
                let found = try found(load([start, value, codes]))
                #expect(found["series"] == .integers([1, 1, 2]))
                #expect(found["value"] == .doubles([1.5, 3.5, 2.5]))
            }
        }

        @Test("A slice with an offset loads its rows alone; rows of series in turn come out by series")
        func slices() throws {
            var columns = [
                HandMadeColumn("start", "tsn:", (0..<100).map { Int64($0) }),
                HandMadeColumn("end", "tsn:", (0..<100).map { Int64($0) + 1 }),
                HandMadeColumn("value", "g", (0..<100).map { Double($0) }),
                HandMadeColumn("name", texts: (0..<100).map { $0 % 2 == 0 ? "even" : "odd" }),
            ]
            for i in columns.indices { columns[i].offset = 90 }
            let found = try found(load(columns))
            #expect(found["start"] == .integers([90, 92, 94, 96, 98, 91, 93, 95, 97, 99]))
            #expect(found["end"] == .integers([91, 93, 95, 97, 99, 92, 94, 96, 98, 100]))
        }

        @Test("Nulls, missing buffers and inconsistent numbers are errors that name the column")
        func faults() throws {
            var null = value
            null.nulls = 1
            null.buffers[0] = [0b101]
            #expect(try refusal([start, null, name]) == "column \"value\" of batch 1, row 1: the value is null")
            var short = value
            short.length = 2
            #expect(try refusal([start, short, name]).contains("it has 2 rows, fewer than the batch"))
            var missing = value
            missing.buffers[1] = nil
            #expect(try refusal([start, missing, name]).contains("buffer 1 is missing"))
            var fewer = value
            fewer.buffers = [nil]
            #expect(try refusal([start, fewer, name]).contains("it has 1 buffers"))
            var negative = value
            negative.offset = -1
            #expect(try refusal([start, negative, name]).contains("fewer than the batch"))
            var falling = name
            falling.buffers[1] = HandMadeColumn.bytes([Int32(0), 9, 4, 15])
            #expect(try refusal([start, value, falling]).contains("do not ascend"))
            var invalid = name
            invalid.buffers[2] = [UInt8](repeating: 0xFF, count: 15)
            #expect(try refusal([start, value, invalid]).contains("not valid UTF-8"))
            let outside = HandMadeColumn("name", "i", [Int32(0), 2, -1], into: ["a", "b"])
            #expect(try refusal([start, value, outside]).contains("row 1: number 2 is not in the dictionary"))
            var view = HandMadeColumn("name", texts: ["short", "a text of more than twelve", "x"], format: "vu")
            view.buffers[3] = HandMadeColumn.bytes([Int64(5)])
            #expect(try refusal([start, value, view]).contains("ends after the 5 bytes"))
            #expect(try refusal([start, value, HandMadeColumn("name", texts: ["a", nil, "b"])]).contains("null"))
        }

        @Test("Missing, doubled, unknown and unsuitable columns are errors")
        func columns() throws {
            #expect(try refusal([value, name]).contains("needs the columns start and value; it has: value, name"))
            #expect(try refusal([start, value, value, name]).contains("two columns \"value\""))
            #expect(try refusal([start, value]).contains("a column series (numbers) or name (texts)"))
            let series = HandMadeColumn("series", "l", [Int64(1), 1, 1])
            #expect(try refusal([start, value, series, HandMadeColumn("x", "l", [Int64(1), 1, 1])]).contains("\"x\""))
            #expect(try refusal([start, HandMadeColumn("value", "+l", [Int64(1), 1, 1]), name]).contains("\"+l\""))
        }

        @Test("A batch with impossible numbers is refused and released once")
        func refusedBatch() throws {
            let faults: [(String, (inout ArrowArray) -> Void)] = [
                ("impossible number of rows", { unsafe $0.length = -1 }),
                ("impossible number of rows", { unsafe $0.length = 1 << 40 }),
                ("impossible number of rows", { unsafe $0.offset = -1 }),
                ("has 2 columns, and the schema has 3", { unsafe $0.n_children = 2 }),
                ("no list of columns", { unsafe $0.children = nil }),
                ("null rows", { unsafe $0.null_count = 1 }),
            ]
            for (text, change) in faults {
                let error = #expect(throws: CallError.self) { try load([start, value, name], change: change) }
                #expect(error?.kind == KYMO_BAD_ARROW && error?.message.contains(text) == true, "\(text)")
            }
        }

        @Test("A dictionary with an impossible length or offset is refused")
        func refusedDictionary() throws {
            var codes = HandMadeColumn("name", "i", [Int32(0), 1, 0], into: ["a", "b"])
            for offset in [-1, 1 << 40, Int64.max] {
                codes.dictionaryOffset = offset
                #expect(try refusal([start, value, codes]).contains("impossible length or offset"), "\(offset)")
            }
            codes.dictionaryOffset = 0
            for length in [-1, 1 << 32, Int64.max] {
                codes.dictionary?.length = length
                #expect(try refusal([start, value, codes]).contains("impossible length or offset"), "\(length)")
            }
        }

        @Test("A stream that fails after its first batch stores nothing")
        func failingSource() throws {
            let error = #expect(throws: CallError.self) { try load([start, value, name], failure: 5) }
            #expect(error?.message == "the input stream failed: the source failed")
        }

        @Test("A sample that the engine refuses stores nothing, and its error has the engine's kind")
        func refusedSample() throws {
            let error = #expect(throws: CallError.self) {
                try load([start, HandMadeColumn("value", "g", [1, Double.nan, 2]), name])
            }
            #expect(error?.kind == KYMO_INVALID_SAMPLE)
        }
    }
}
