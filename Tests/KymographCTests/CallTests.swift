// SPDX-License-Identifier: Apache-2.0

import CKymograph
import Kymograph
import TestSupport
import Testing

extension CInterface {
    @Suite("E-19: calls of the C interface")
    struct CallTests {
        @Test("The numbers of kinds are those of the engine's errors")
        func kinds() {
            let numbers = [
                KYMO_NOT_A_STORE, KYMO_IS_BACKUP, KYMO_ALREADY_EXISTS, KYMO_NEWER_FORMAT, KYMO_LOCKED, KYMO_READ_ONLY,
                KYMO_CORRUPT, KYMO_ROLLED_BACK, KYMO_DISK_FULL, KYMO_INPUT_OUTPUT, KYMO_OUTCOME_UNKNOWN,
                KYMO_WRITER_FAILED, KYMO_INVALID_SAMPLE, KYMO_IDENTITY_TAKEN, KYMO_INVALID_ARGUMENT,
                KYMO_UNKNOWN_SERIES,
                KYMO_KIND_MISMATCH, KYMO_CLOSED, KYMO_CANCELLED, KYMO_OVERLOADED, KYMO_ANCHOR_EXPIRED,
                KYMO_NOT_RETAINED,
                KYMO_SNAPSHOT_EXPIRED, KYMO_FORKED, KYMO_NEEDS_KEY, KYMO_WRONG_KEY, KYMO_NOT_ENCRYPTED, KYMO_FORGED,
            ].map { Int($0.rawValue) }
            #expect(numbers == StoreError.Kind.allCases.map(\.rawValue))
        }

        @Test("A missing store is an error with its path")
        func missing() throws {
            let directory = try TemporaryDirectory()
            var error: OpaquePointer?
            var store: OpaquePointer?
            let kind = unsafe kymo_store_open(directory.file("none"), nil, &store, &error)
            #expect(kind == KYMO_NOT_A_STORE)
            #expect(unsafe store == nil)
            #expect(unsafe String(cString: kymo_error_path(error)).contains("none"))
            #expect(unsafe kymo_error_offset(error) == -1)
            unsafe kymo_error_free(error)
            #expect(unsafe kymo_store_open(directory.file("none"), nil, &store, nil) == KYMO_NOT_A_STORE)
        }

        @Test("NULL, closed handles, handles of another kind and wrong sizes are errors")
        func misuse() throws {
            let store = try CStore()
            let id = try store.series("pulse")
            let snapshot = try store.snapshot()
            var commit: Int64 = 0
            func kind(_ body: (UnsafeMutablePointer<OpaquePointer?>) -> kymo_kind) -> kymo_kind? {
                do throws(CallError) {
                    try unsafe call(body)
                    return nil
                } catch { return error.kind }
            }
            #expect(unsafe kind { unsafe kymo_store_refresh(nil, nil, $0) } == KYMO_INVALID_ARGUMENT)
            #expect(unsafe kind { unsafe kymo_store_refresh(snapshot.handle, nil, $0) } == KYMO_INVALID_ARGUMENT)
            #expect(
                unsafe kind { unsafe kymo_append(store.handle, id, nil, nil, nil, 3, nil, $0) } == KYMO_INVALID_ARGUMENT
            )
            #expect(
                unsafe kind { unsafe kymo_append(store.handle, 99, [1], nil, [2], 1, nil, $0) } == KYMO_UNKNOWN_SERIES)
            #expect(
                unsafe kind { unsafe kymo_append(store.handle, id, [1], [0], [2], 1, nil, $0) } == KYMO_INVALID_SAMPLE)
            #expect(
                unsafe kind { unsafe kymo_series_make(store.handle, "pulse", nil, 7, &commit, $0) }
                    == KYMO_INVALID_ARGUMENT)
            #expect(
                unsafe kind { unsafe kymo_series_make(store.handle, "pulse", nil, 2, &commit, $0) }
                    == KYMO_KIND_MISMATCH)
            var statistics = kymo_statistics()
            #expect(
                unsafe kind { unsafe kymo_aggregate(snapshot.handle, [id], 1, 0, 9, 0, &statistics, $0) }
                    == KYMO_INVALID_ARGUMENT)
            #expect(throws: CallError.self) { try snapshot.scan([id]) { unsafe $0.size = 3 } }
            #expect(throws: CallError.self) { try snapshot.scan([id]) { unsafe $0.flags = 1 << 20 } }
            #expect(throws: CallError.self) { try snapshot.scan([id]) { unsafe $0.columns = 1 << 20 } }
            #expect(throws: CallError.self) { try snapshot.scan([id]) { unsafe $0.time_unit = 9 } }
            #expect(throws: CallError.self) { try snapshot.scan([99]) }
            #expect(throws: CallError.self) { try snapshot.buckets([id]) { unsafe $0.count = 0 } }
            #expect(throws: CallError.self) {
                try snapshot.buckets([id]) {
                    unsafe $0.has_range = 1
                    unsafe $0.end = 5
                    unsafe $0.unit = Int32(KYMO_DAYS)
                    unsafe $0.zone = nil
                    unsafe $0.anchor = .max
                }
            }
            store.close()
            #expect(unsafe kind { unsafe kymo_store_refresh(store.handle, nil, $0) } == KYMO_CLOSED)
            #expect(unsafe kymo_snapshot_commit(store.handle) == -1)
            #expect(unsafe kymo_snapshot_commit(snapshot.handle) >= 0)
        }

        @Test("Statistics, quantiles, days and points of a ramp of 100 values")
        func statistics() throws {
            let store = try CStore()
            let id = try store.series("pulse")
            let starts = (0..<200_000).map { Int64($0) * 1_000_000_000 }
            try store.append(id, starts, nil, starts.map { Double($0 / 1_000_000_000 % 100) })
            let snapshot = try store.snapshot()
            var whole = kymo_statistics()
            whole.size = MemoryLayout<kymo_statistics>.size
            try unsafe call { error in
                unsafe kymo_aggregate(snapshot.handle, [id], 1, .min, .max, UInt32(KYMO_STDDEV), &whole, error)
            }
            #expect(whole.count == 200_000 && whole.mean == 49.5 && whole.min == 0 && whole.max == 99)
            #expect(abs(whole.standard_deviation - 28.866) < 0.001)
            #expect(whole.time_weighted_mean.isNaN)
            var median = 0.0
            try unsafe call { error in
                unsafe kymo_quantiles(snapshot.handle, [id], 1, .min, .max, [0.5], 1, &median, nil, error)
            }
            #expect(median == 49 || median == 50)
            let days = try snapshot.buckets([id]) {
                unsafe $0.unit = Int32(KYMO_DAYS)
                unsafe $0.stats = UInt32(KYMO_COUNT | KYMO_SUM)
            }
            #expect(days.schema() == ["series l", "start tsn:UTC", "end tsn:UTC", "count l", "sum g"])
            #expect(try days.read().columns["count"] == .integers([86_400, 86_400, 27_200]))
            let points = CStream()
            try unsafe call { error in
                unsafe kymo_downsample(snapshot.handle, [id], 1, .min, .max, 100, 0, 1, points.stream, error)
            }
            guard case .integers(let times)? = try points.read().columns["start"] else { return #expect(Bool(false)) }
            #expect(times.count == 100 && times.first == 0)
        }

        @Test("An empty bucket has a count of 0 and null statistics, or no row")
        func emptyBuckets() throws {
            let store = try CStore()
            let id = try store.series("pulse")
            try store.append(id, [0, 10], nil, [1, 2])
            let snapshot = try store.snapshot()
            for skips in [false, true] {
                let found = try snapshot.buckets([id]) {
                    unsafe $0.count = 5
                    unsafe $0.has_range = 1
                    unsafe $0.end = 15
                    unsafe $0.flags = skips ? UInt32(KYMO_SKIP_EMPTY) : 0
                }.read().columns
                #expect(found["count"] == .integers(skips ? [1, 1] : [1, 0, 1]))
                #expect(found["max"] == .doubles(skips ? [1, 2] : [1, nil, 2]))
            }
        }
    }
}
