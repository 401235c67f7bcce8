// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Kymograph

@Suite("E-1 E-6 E-20 calls that a caller's closures make to their store")
struct ClosureCallTests {
    /// A named call to a store.
    private typealias Call = (name: String, make: @Sendable () throws -> Void)

    private let test: TestStore
    private let id: SeriesID
    private let appender: RelaxedAppender

    init() throws {
        test = try TestStore()
        id = try test.store.series("a", kind: .discrete).id
        try test.store.load((0..<2_000).map { Sample(start: Int64($0) * second, value: 1) }, to: id)
        try test.store.append((0..<50).map { Sample(start: Int64(3_000 + $0) * second, value: 2) }, to: id)
        appender = try test.store.relaxed()
    }

    /// Calls that need the writer.
    private var writing: [Call] {
        let (store, id, appender) = (test.store, id, appender)
        let one = [Sample(start: 9_000 * second, value: 1)]
        return [
            ("append", { try store.append(to: id, one) }),
            ("append rows", { try store.append(one, to: id) }),
            ("append identified", { try store.append([Self.identified(id)]) }),
            ("delete", { try store.delete(from: id) }),
            ("delete where", { try store.delete(from: id) { _ in true } }),
            ("retain", { try store.retain(.count(1), in: id) }),
            ("series", { try store.series("another", kind: .discrete) }),
            ("bulkLoad", { try store.load(one, to: id) }),
            ("compact", { try store.compact() }),
            ("seal", { _ = try store.seal() }),
            ("verify", { _ = try store.verify() }),
            ("info", { _ = try store.info() }),
            ("write", { try store.write { _ in WriteBatch() } }),
            ("flush", { try appender.flush() }),
            ("wait", { try appender.series(id).append(start: 1, value: 1).wait() }),
        ]
    }

    /// Calls that read, and calls without an effect.
    private var reading: [Call] {
        let (store, id, path) = (test.store, id, test.directory.file("backup"))
        return [
            ("snapshot", { _ = try store.snapshot().all(id) }),
            ("existing series", { try store.series("a", kind: .discrete) }),
            ("refresh", { try store.refresh() }),
            ("changes", { _ = try store.changes(since: nil) { _ in true } }),
            ("backup", { try store.backup(to: path) }),
            ("giveWay", { store.giveWay() }),
            ("observe", { store.observe { _ in }.end() }),
        ]
    }

    private static func identified(_ id: SeriesID) -> IdentifiedSamples {
        IdentifiedSamples(
            series: id, samples: [Sample(start: 9_000 * second, value: 1)],
            identities: [SampleIdentity(high: 7, low: 1)])
    }

    /// Returns the error of a call, or nil.
    private static func error(of call: Call) -> StoreError? {
        do {
            try call.make()
            return nil
        } catch {
            return error as? StoreError ?? StoreError(.inputOutput, "unexpected error: \(error)")
        }
    }

    /// Makes all calls. Calls that need the writer must be refused, and all others must succeed.
    private func makeAll(_ refused: [Call], _ answered: [Call]) {
        for call in refused {
            let error = Self.error(of: call)
            #expect(error?.kind == .invalidArgument, "\(call.name): \(String(describing: error))")
        }
        for call in answered {
            let error = Self.error(of: call)
            #expect(error == nil, "\(call.name): \(String(describing: error))")
        }
    }

    @Test("In a deletion's predicate calls that need the writer are refused, reads succeed, and the deletion continues")
    func predicate() throws {
        var isFirst = true
        let receipt = try test.store.delete(from: id, startingIn: TimeRange(0, 100 * second)) { _ in
            if isFirst { makeAll(writing, reading) }
            isFirst = false
            return true
        }
        #expect(receipt.count == 100)
        #expect(try test.store.snapshot().all(id, over: TimeRange(1 * second, 100 * second)).isEmpty)
        // After the deletion the thread may write again.
        makeAll([], writing.filter { !$0.name.hasPrefix("delete") && $0.name != "retain" })
        #expect(try test.store.verify().isSound)
    }

    @Test("If a predicate rethrows the error of a refused call, the deletion throws it and deletes nothing")
    func thrown() throws {
        let (store, id) = (test.store, id)
        let error = #expect(throws: StoreError.self) {
            try store.delete(from: id) { _ in
                try store.delete(from: id)
                return true
            }
        }
        #expect(error?.kind == .invalidArgument && store.snapshot().count(of: id) == 2_050)
    }

    @Test("In a batch's closure the same calls are refused on the leader's thread and on any other")
    func decision() throws {
        let calls = Mutex(0)
        let wrong = Mutex([String]())
        let (refused, answered) = (writing, reading)
        let store = test.store
        let outcomes = onThreads(4) { _ -> Bool in
            let made = try? store.write { _ in
                let number = calls.withLock { calls in
                    calls += 1
                    return calls
                }
                if number > 1 { return WriteBatch() }
                var found = refused.filter { Self.error(of: $0)?.kind != .invalidArgument }.map(\.name)
                found += answered.filter { Self.error(of: $0) != nil }.map(\.name)
                let all = found
                wrong.withLock { $0 += all }
                return WriteBatch()
            }
            return made != nil
        }
        #expect(outcomes.allSatisfy { $0 } && calls.withLock { $0 } >= 4)
        #expect(wrong.withLock { $0 } == [])
    }

    @Test("In a predicate a relaxed append without space is refused at once, and earlier samples are committed")
    func relaxed() throws {
        let (store, id) = (test.store, id)
        let appender = try store.relaxed(interval: .seconds(3_600), capacity: 64 << 10)
        let series = try appender.series(id)
        let clock = ContinuousClock()
        let begin = clock.now
        var taken = 0
        var errors = [StoreError?]()
        try store.delete(from: id, startingIn: TimeRange(0, second)) { _ in
            while errors.isEmpty, taken < 100_000 {
                let start = Int64(10_000 + taken) * second
                let error = Self.error(of: ("single", { try series.append(start: start, value: 1) }))
                if error == nil { taken += 1 } else { errors.append(error) }
            }
            let (starts, values) = ([Int64](repeating: 1, count: 2_000), [Double](repeating: 1, count: 2_000))
            errors.append(
                Self.error(of: ("columns", { try series.append(starts: starts.span, values: values.span) })))
            return true
        }
        #expect(errors.map(\.?.kind) == [.invalidArgument, .invalidArgument])
        #expect(clock.now - begin < .seconds(8))
        try appender.flush()
        #expect(store.snapshot().count(of: id) == 2_049 + taken)
    }

    @Test("In a predicate seal and compact are refused at once, even while another thread seals")
    func sealing() throws {
        let (store, held, end, state) = (test.store, DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), Flag())
        DispatchQueue.global().async {
            store.sealer.sealing.withLock { _ in
                held.signal()
                _ = end.wait(timeout: .now() + 3)
                state.isOver.withLock { $0 = true }
            }
        }
        held.wait()
        let calls = writing.filter { ["seal", "compact"].contains($0.name) }
        var isFirst = true
        let receipt = try store.delete(from: id, startingIn: TimeRange(0, 10 * second)) { _ in
            if isFirst { makeAll(calls, []) }
            isFirst = false
            return true
        }
        let hasWaited = state.isOver.withLock { $0 }
        #expect(!hasWaited, "the predicate waited for the other thread")
        end.signal()
        #expect(receipt.count == 10 && calls.count == 2)
    }

    private final class Flag: Sendable { let isOver = Mutex(false) }

    /// Appends samples with a relaxed appender, which closing commits.
    private func leaveSamples() throws {
        for i in 0..<3 as Range<Int64> { try appender.series(id).append(start: (9_000 + i) * second, value: 1) }
    }

    /// Expects that the store is closed: another opening can write and has this many samples.
    private func expectClosed(_ count: Int) throws {
        let (store, id) = (test.store, id)
        let error = Self.error(of: ("append", { try store.append(to: id, [Sample(start: 1, value: 1)]) }))
        #expect(error?.kind == .closed, "\(String(describing: error))")
        let next = try TimeSeriesStore.open(at: test.path)
        defer { next.close() }
        #expect(next.snapshot().count(of: id) == count)
    }

    @Test("A store that is closed in a predicate is closed when the deletion returns", arguments: [true, false])
    func closing(throwing: Bool) throws {
        let (store, id) = (test.store, id)
        try leaveSamples()
        struct Stop: Error {}
        do {
            let receipt = try store.delete(from: id, startingIn: TimeRange(0, 10 * second)) { _ in
                store.close()
                if throwing { throw Stop() }
                return true
            }
            #expect(receipt.count == 10 && !throwing)
        } catch is Stop {
            #expect(throwing)
        }
        try expectClosed(throwing ? 2_053 : 2_043)
    }

    @Test("A store that is closed in the decision of a batch is closed when the batch's call returns")
    func closingBatch() throws {
        let store = test.store
        try leaveSamples()
        let found = onThreads(4) { thread -> String? in
            do {
                try store.write { _ in
                    if thread == 2 { store.close() }
                    return WriteBatch()
                }
                if thread != 2 { return nil }
            } catch {
                // Other threads may come too late.
                return thread != 2 && (error as? StoreError)?.kind == .closed ? nil : "\(error)"
            }
            do throws(StoreError) { try store.seal() } catch { return error.kind == .closed ? nil : "\(error)" }
            return "the store is open after the call"
        }
        #expect(found.compactMap { $0 } == [])
        try expectClosed(2_053)
    }

    @Test("A store that is closed in the decision of a batch with a load is closed when the call returns")
    func closingLoad() throws {
        let store = test.store
        try leaveSamples()
        try store.write(loading: { _ in true }) { _ in
            store.close()
            return WriteBatch()
        }
        try expectClosed(2_053)
    }

    @Test("A closure may write to another store")
    func others() throws {
        let other = try TestStore()
        let second = try other.store.series("b", kind: .discrete).id
        try test.store.delete(from: id, startingIn: TimeRange(0, 1)) { _ in
            try other.store.append(to: second, [Sample(start: 1, value: 1)])
            try other.store.delete(from: second) { _ in true }
            try other.store.compact()
            return true
        }
        #expect(other.store.snapshot().count(of: second) == 0)
    }

    @Test("The progress callback of a merge may make every call except another merge")
    func merging() throws {
        try test.store.load((0..<2_000).map { Sample(start: Int64($0) * second + 1, value: 1) }, to: id)
        var isFirst = true
        let compacting: Set = ["compact"]
        let other = try TestStore()
        try test.store.compact { _ in
            if isFirst {
                isFirst = false
                makeAll(
                    writing.filter { compacting.contains($0.name) },
                    writing.filter { !compacting.contains($0.name) } + reading)
                #expect((try? other.store.compact()) != nil)
            }
            return true
        }
        #expect(!isFirst)
        #expect(try test.store.verify().isSound)
    }

    @Test("Bodies of bulk loads, readers' closures, change feeds and observers may make every call")
    func free() throws {
        let (store, id) = (test.store, id)
        let all = (writing + reading).filter { !$0.name.hasPrefix("delete") && $0.name != "retain" }
        try store.bulkLoad { loader in
            makeAll([], all)
            let (starts, values) = ([77 * second], [1.0])
            try loader.append(to: id, starts: starts.span, values: values.span)
        }
        var isFirst = true
        try store.snapshot().scan(id) { _ in
            if isFirst {
                isFirst = false
                makeAll([], all)
                _ = try store.snapshot().all(id)
            }
            return true
        }
        #expect(!isFirst)
        isFirst = true
        _ = try store.changes(since: nil) { _ in
            if isFirst {
                isFirst = false
                makeAll([], all)
            }
            return true
        }
        #expect(!isFirst)
        let done = Mutex(false)
        let observation = store.observe { _ in
            let isFirst = done.withLock { done in
                defer { done = true }
                return !done
            }
            if !isFirst { return }
            for call in all { if let error = Self.error(of: call) { Issue.record("\(call.name): \(error)") } }
        }
        try store.load([Sample(start: 88 * second, value: 1)], to: id)
        store.context.telemetry.drain()
        #expect(done.withLock { $0 })
        observation.end()
    }

    @Test("The progress callback of a backup may make every call except a backup to the same place")
    func backingUp() throws {
        let place = test.directory.file("progress")
        let store = test.store
        var isFirst = true
        let all = (writing + reading).filter { !$0.name.hasPrefix("delete") && $0.name != "retain" }
        try store.backup(to: place) { _ in
            if isFirst {
                isFirst = false
                makeAll([], all)
                let error = Self.error(of: ("same place", { try store.backup(to: place) }))
                #expect(error?.kind == .locked, "\(String(describing: error))")
            }
            return true
        }
        #expect(!isFirst)
        #expect(try TimeSeriesStore.verifyBackup(at: place).isSound)
    }
}
