// SPDX-License-Identifier: Apache-2.0

import FileSystem
import TestSupport
import Testing

/// The example of `Docs/Internals/FileSystem.md`.
@Suite("E-1 the example of the page on the file system")
struct FileSystemExampleTests {
    private func image() -> MemoryDisk {
        MemoryDisk(directories: ["/store"], files: ["/store/a": [1]])
    }

    /// Replaces a file in the order that the page requires.
    private func replace(_ disk: FaultyDisk) throws {
        try disk.createFile("/store/a.new", [2, 3])
        try disk.rename("/store/a.new", to: "/store/a")
        try disk.syncDirectory("/store")
    }

    private func check(_ found: MemoryDisk) throws {
        let bytes = try found.contents(of: "/store/a", limit: 100)
        #expect(bytes == [1] || bytes == [2, 3])
    }

    @Test("whatever call fails, and whatever a power loss leaves then, a replaced file is the old one or the new one")
    func everyCallFails() throws {
        // example every-call-fails begins
        var nth = 1
        while true {
            let disk = try FaultyDisk(image())
            disk.inject(DiskFault([.write, .sync, .rename, .syncDirectory], nth: nth))
            if (try? replace(disk)) != nil { break }  // nothing failed: there is no n-th call
            for seed in 0..<20 { try check(disk.crash(seed: UInt64(seed))) }
            nth += 1
        }
        // example every-call-fails ends

        #expect(nth == 5)
    }
}
