// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import Testing

@Suite("E-7 large pages for memory that will be filled")
struct FreshMemoryTests {
    private static let large = 2 << 20

    /// Returns the ranges of this process's memory with advice for large pages.
    private func preferred() throws -> [Range<UInt>] {
        var found = [Range<UInt>]()
        var current: Range<UInt>?
        for line in try String(contentsOfFile: "/proc/self/smaps", encoding: .utf8).split(separator: "\n") {
            let words = line.split(separator: " ")
            let ends = words[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            if ends.count == 2, !words[0].hasSuffix(":") { current = ends[0]..<ends[1] }
            if words[0] == "VmFlags:", words.contains("hg"), let current { found.append(current) }
        }
        return found
    }

    @Test("The advice applies to the pages of the range only, and changes no byte")
    func reach() throws {
        let length = 8 * Self.large
        let memory = unsafe mmap(nil, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let base = unsafe memory, unsafe base != MAP_FAILED else {
            Issue.record("no memory")
            return
        }
        defer { unsafe munmap(base, length) }
        unsafe base.storeBytes(of: 77, toByteOffset: Self.large + 5, as: UInt8.self)
        let start = UInt(bitPattern: base)
        let page = UInt(Machine.pageSize())
        func inside(_ ranges: [Range<UInt>]) -> [Range<UInt>] {
            ranges.filter { $0.overlaps(start..<start + UInt(length)) }
        }
        // Short ranges are not advised.
        FreshMemory.preferLargePages(at: start, count: Self.large)
        FreshMemory.preferLargePages(at: start, count: 0)
        FreshMemory.preferLargePages(at: start, count: -1)
        FreshMemory.preferLargePages(at: .max, count: .max)
        FreshMemory.preferLargePages(at: 3, count: 8 * Self.large)
        #expect(inside(try preferred()).isEmpty)
        // A range that starts and ends within a page.
        let first = start + UInt(Self.large) + 100
        FreshMemory.preferLargePages(at: first, count: 4 * Self.large)
        let found = inside(try preferred())
        // A kernel without large pages does not show the flag.
        if found.isEmpty { return }
        let low = start + UInt(Self.large) + page
        #expect(found == [low..<start + UInt(5 * Self.large)])
        #expect(unsafe base.load(fromByteOffset: Self.large + 5, as: UInt8.self) == 77)
        #expect(unsafe base.load(fromByteOffset: 3 * Self.large, as: UInt8.self) == 0)
    }

    @Test("A capacity holds the words, ends at a large page, and is little larger")
    func capacity() {
        for count in [-1, 0, 1, 1_000_000, 2_000_000, 2_097_151] {
            #expect(FreshMemory.capacity(forWords: count) == count)
        }
        for count in [2_097_152, 2_097_153, 2_359_287, 2_359_288, 2_359_289, 10_000_000, 1 << 40] {
            let capacity = FreshMemory.capacity(forWords: count)
            #expect(capacity >= count && capacity - count <= Self.large / 8)
            #expect((8 * capacity + 64) % Self.large == 0)
        }
        #expect(FreshMemory.capacity(forWords: .max) == .max)
    }
}
