// SPDX-License-Identifier: Apache-2.0

import CKymograph
import Kymograph
import TestSupport
import Testing

extension CInterface {
    @Suite("E-19: loading Arrow streams")
    struct LoadTests {
        private func load(
            _ stream: CStream, into store: CStore, series: Int64 = 0, kind: Int = 0
        ) throws -> kymo_load_report {
            var options = kymo_load_options()
            options.size = MemoryLayout<kymo_load_options>.size
            options.series = series
            options.kind = Int32(kind)
            var report = kymo_load_report()
            report.size = MemoryLayout<kymo_load_report>.size
            try unsafe call { error in unsafe kymo_load(store.handle, &options, stream.stream, &report, error) }
            return report
        }

        @Test(
            "A scan of one store loads into one series of another, and back out bit for bit", arguments: [false, true])
        func oneSeries(hasEnds: Bool) throws {
            let source = try CStore()
            let id = try source.series("pulse")
            let starts = (0..<150_000).map { Int64($0) * 7_919 }
            let values = starts.map { Double($0 % 1_013) / 3 }
            try source.append(id, starts, hasEnds ? starts.map { $0 + 5 } : nil, values)
            let target = try CStore()
            let other = try target.series("copy")
            let scan = try source.snapshot().scan([id])
            let report = try load(scan, into: target, series: other)
            #expect(report.samples == 150_000 && report.new_series == 0 && report.commit > 0)
            let found = try target.snapshot().scan([other]).read().columns
            #expect(found["start"] == .integers(starts))
            #expect(found["end"] == .integers(hasEnds ? starts.map { $0 + 5 } : starts))
            #expect(found["value"] == .doubles(values))
        }

        @Test("A loaded stream is released, also after an error")
        func released() throws {
            let source = try CStore()
            let id = try source.series("pulse")
            try source.append(id, [1], nil, [2])
            let target = try CStore()
            let scan = try source.snapshot().scan([id])
            do throws(any Error) {
                _ = try load(scan, into: target)
                #expect(Bool(false), "a stream without a series was loaded")
            } catch {
                #expect((error as? CallError)?.kind == KYMO_BAD_ARROW)
                #expect((error as? CallError)?.message.contains("series (numbers) or name (texts)") == true)
            }
            #expect(unsafe scan.stream.pointee.release == nil)
            #expect(throws: CallError.self) { try load(scan, into: target, series: 1) }
        }

        @Test("A table of series has a row for each series, and all labels")
        func table() throws {
            let store = try CStore()
            let first = try store.series("pulse")
            var second: Int64 = 0
            try unsafe withLabels(["subject", "7"]) { labels in
                try unsafe call { error in unsafe kymo_series_make(store.handle, "steps", labels, 2, &second, error) }
            }
            try store.append(second, [10, 20], [15, 26], [1, 2])
            let (stream, snapshot) = (CStream(), try store.snapshot())
            try unsafe call { error in
                unsafe kymo_series_table(snapshot.handle, nil, nil, 0, stream.stream, error)
            }
            let found = try stream.read().columns
            #expect(found["series"] == .integers([first, second]))
            #expect(found["name"] == .texts(["pulse", "steps"]))
            #expect(found["kind"] == .texts(["discrete", "cumulative"]))
            #expect(found["subject"] == .texts([nil, "7"]))
            #expect(found["count"] == .integers([0, 2]))
            #expect(found["first"] == .integers([nil, 10]))
            #expect(found["last"] == .integers([nil, 26]))
            var number: Int64 = 0
            try unsafe withLabels(["subject", "7"]) { labels in
                try unsafe call { error in
                    unsafe kymo_series_find(snapshot.handle, "steps", labels, &number, error)
                }
            }
            #expect(number == second)
            #expect(throws: CallError.self) {
                try unsafe call { error in unsafe kymo_series_find(snapshot.handle, "steps", nil, &number, error) }
            }
        }

        @Test("The pages of changes have each sample once, and each deletion")
        func changes() throws {
            let store = try CStore()
            let id = try store.series("pulse")
            var seen = [Int64?]()
            var deletions = [Int64?]()
            var anchor: UnsafeMutablePointer<CChar>?
            defer { unsafe kymo_text_free(anchor) }
            func page(_ limit: Int64) throws -> Bool {
                let (samples, removed) = (CStream(), CStream())
                var next: UnsafeMutablePointer<CChar>?
                var isComplete: Int32 = 0
                try unsafe call { error in
                    unsafe kymo_changes(
                        store.handle, anchor, limit, 0, samples.stream, removed.stream, &next, &isComplete, error)
                }
                unsafe kymo_text_free(anchor)
                unsafe anchor = next
                if case .integers(let starts)? = try samples.read().columns["start"] { seen += starts }
                if case .integers(let starts)? = try removed.read().columns["start"] { deletions += starts }
                return isComplete == 1
            }
            try store.append(id, [1, 2, 3, 4, 5], nil, [1, 2, 3, 4, 5])
            while try !page(2) {}
            #expect(seen == [1, 2, 3, 4, 5])
            #expect(try store.delete(id, 2, 4) == 2)
            try store.append(id, [9], nil, [9])
            while try !page(0) {}
            #expect(seen == [1, 2, 3, 4, 5, 9])
            #expect(deletions == [2])
            #expect(throws: CallError.self) {
                let (samples, removed) = (CStream(), CStream())
                var next: UnsafeMutablePointer<CChar>?
                var isComplete: Int32 = 0
                try unsafe call { error in
                    unsafe kymo_changes(
                        store.handle, "nonsense", 0, 0, samples.stream, removed.stream, &next, &isComplete, error)
                }
            }
        }
    }
}
