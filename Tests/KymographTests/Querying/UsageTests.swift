// SPDX-License-Identifier: Apache-2.0

import FileSystem
import TestSupport
import Testing

@testable import Kymograph

@Suite("E-17 statistics of a store: size by series and column, encodings, counters")
struct UsageTests {
    @Test("Columns add up to blocks and blocks to segments, for each series and including the tail")
    func sizes() throws {
        let test = try TestStore()
        let pulse = try test.store.series("pulse", kind: .discrete).id
        let steps = try test.store.series("steps", kind: .cumulative).id
        try test.store.load(
            (0..<20_000).map { Sample(start: Int64($0) * second, value: Double(60 + $0 % 7)) }, to: pulse)
        try test.store.load(
            (0..<9_000).map { (i: Int) -> Sample in
                Sample(start: Int64(i) * 60 * second, end: Int64(i + 1) * 60 * second, value: Double(i % 200))
            }, to: steps)
        try test.store.append([Sample(start: 30_000 * second, value: 61)], to: pulse)
        let usage = try test.store.usage()
        #expect(usage.map(\.series.name) == ["pulse", "steps"])
        #expect(usage.map(\.samples) == [20_001, 9_000])
        for one in usage {
            #expect(one.columns.reduce(0) { $0 + $1.bytes } == one.bytes)
            #expect(one.columns.filter { $0.column == "value" }.reduce(0) { $0 + $1.samples } == one.samples)
            #expect(one.columns.filter { $0.column == "(block)" }.reduce(0) { $0 + $1.blocks } == one.blocks)
            #expect(one.columns.allSatisfy { !$0.encoding.isEmpty && $0.encoding != "?" })
        }
        // Points have no ends.
        #expect(!usage[0].columns.contains { $0.column == "end" })
        #expect(usage[1].columns.contains { $0.column == "end" })
        let info = try test.store.info()
        #expect(usage.reduce(0) { $0 + $1.blocks } == info.blocks + 1)
        let inBlocks = usage.reduce(0) { $0 + $1.bytes }
        #expect(inBlocks < Int(info.segmentBytes) && inBlocks > Int(info.segmentBytes) * 6 / 10)
    }

    @Test("Counters of commits and index pages start at zero with each opening")
    func counters() throws {
        let test = try TestStore()
        let id = try test.store.series("a", kind: .discrete).id
        let before = test.store.counters.commits
        try test.store.append([Sample(start: 0, value: 1)], to: id)
        try test.store.append([Sample(start: 1, value: 2)], to: id)
        #expect(test.store.counters.commits == before + 2)
        try test.store.load((0..<300_000).map { Sample(start: Int64($0) * second, value: 1) }, to: id)
        #expect(test.store.counters.commits == before + 3)
        try test.reopen()
        #expect(test.store.counters.commits == 0 && test.store.counters.indexPagesRead == 0)
        _ = try test.store.snapshot().buckets(of: id, .fixed(nanoseconds: hour))
        let read = test.store.counters.indexPagesRead
        #expect(read > 1 && test.store.counters.indexPagesInMemory == read)
        _ = try test.store.snapshot().buckets(of: id, .fixed(nanoseconds: hour))
        #expect(test.store.counters.indexPagesRead == read, "pages in memory are not read again")
    }

    @Test("A damaged block is an error that names the file and the offset")
    func damage() throws {
        let test = try TestStore()
        let id = try test.store.series("a", kind: .discrete).id
        try test.store.load((0..<5_000).map { Sample(start: Int64($0) * second, value: 1) }, to: id)
        test.store.close()
        let disk = RealDisk()
        let name = try #require(try disk.list(test.path + "/segments").first)
        let path = test.path + "/segments/" + name
        var bytes = try disk.contents(of: path, limit: 1 << 24)
        bytes[200] ^= 1
        try disk.remove(path)
        try disk.createFile(path, bytes)
        try test.reopen()
        #expect { try test.store.usage() } throws: { error in
            guard let error = error as? StoreError else { return false }
            return error.kind == .corrupt && error.path?.hasSuffix(name) == true && error.offset != nil
        }
    }
}
