// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import TestSupport
import Testing

@Suite("E-1 the operating system's disk")
struct RealDiskTests {
    @Test("Files are 0600, directories 0700, descriptors are not inherited")
    func modes() throws {
        let bench = try Bench(.realGuarded)
        let file = try bench.disk.create(bench.path("a"))
        try bench.disk.createDirectory(bench.path("d"))
        func mode(_ name: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: bench.path(name))[.posixPermissions] as? Int
        }
        #expect(try mode("a") == 0o600 && mode("d") == 0o700)
        let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0) }
        let ours = open.filter {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == bench.path("a")
        }
        #expect(ours.count == 1 && ours.allSatisfy { fcntl($0, F_GETFD) & FD_CLOEXEC != 0 })
        try file.close()
    }

    @Test("Symbolic links are not followed to create, write or lock; pipes are refused without waiting")
    func links() throws {
        let bench = try Bench(.realGuarded)
        try bench.make("target", [1, 2, 3])
        let made = unsafe [
            symlink(bench.path("target"), bench.path("link")), symlink(bench.path("nowhere"), bench.path("dangling")),
            mkfifo(bench.path("pipe"), 0o600),
        ]
        #expect(made == [0, 0, 0])
        #expect(throws: DiskError.self) { try bench.disk.create(bench.path("dangling")) }
        #expect(throws: DiskError.self) { try bench.disk.open(bench.path("link"), writable: true) }
        #expect(throws: DiskError.self) { try bench.disk.lock(bench.path("link"), exclusive: true, byte: 0) }
        #expect(throws: DiskError.self) { try bench.disk.open(bench.path("pipe"), writable: false) }
        #expect(throws: DiskError.self) { try bench.disk.map(bench.path("pipe"), length: 0) }
        #expect(throws: DiskError.self) { try bench.disk.open("/dev/zero", writable: false) }
        #expect(try bench.disk.kind(of: bench.path("link")) == .symbolicLink)
        #expect(try bench.disk.kind(of: bench.path("pipe")) == .other)
        #expect(try bench.content("link") == [1, 2, 3])
        #expect(try bench.disk.exists(bench.path("dangling")) && !bench.disk.exists(bench.path("nowhere")))
        try bench.disk.remove(bench.path("link"))
        #expect(try bench.content("target") == [1, 2, 3])
    }

    @Test("A write without space throws isFull with the bytes written, and the rest stays readable")
    func full() async {
        await #expect(processExitsWith: .success) {
            // A limit on the file size fails like a full disk and needs no separate disk.
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit(rlim_cur: 5000, rlim_max: 5000)
            if unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) != 0 { exit(2) }
            let directory = try TemporaryDirectory()
            let file = try RealDisk().create(directory.file("a"))
            do throws(DiskError) {
                try file.write([UInt8](repeating: 5, count: 8192), at: 0)
                exit(3)
            } catch {
                if !error.isFull || !error.message.contains("after 5000 of 8192 bytes at offset 0") { exit(4) }
            }
            try file.sync()
            if try RealDisk().contents(of: directory.file("a"), limit: 9000) != [UInt8](repeating: 5, count: 5000) {
                exit(5)
            }
        }
        #expect(DiskError("write", "a", ENOSPC).isFull && !DiskError("write", "a", ENOSPC).isDamage)
    }

    @Test("Errors name the operation, the path and the reason")
    func errors() {
        let error = #expect(throws: DiskError.self) { try RealDisk().open("/nonexistent/kymograph", writable: false) }
        #expect(error?.description == "open /nonexistent/kymograph: No such file or directory")
        #expect(error?.isMissing == true && error?.errno == ENOENT)
        #expect(throws: DiskError.self) { try RealDisk().open("/etc/passwd\0.txt", writable: false) }
        #expect(DiskError("x", "y", -5).message == "unknown error")
    }

    @Test("Errors caused by a system limit name the limit and how to raise it")
    func limits() {
        func text(_ number: Int32, _ operation: String = "write") -> String {
            DiskError(operation, "a", number).description
        }
        #expect(text(EMFILE).contains("ulimit -n") && text(ENFILE).contains("fs.file-max"))
        #expect(text(EFBIG).contains("ulimit -f") && text(ENOSPC).hasSuffix("; free some space"))
        #expect(text(EDQUOT).contains("quota"))
        // A read of a file that is too large is not a full disk.
        #expect(DiskError("write", "a", EFBIG).isFull && !DiskError("read", "a", EFBIG).isFull)
        #expect(!text(EFBIG, "read").contains("ulimit"))
        #expect(DiskError("open", "a", EMFILE).isOutOfDescriptors && Machine.shortage == nil)
    }

    @Test("Closing waits for other readers and never closes another file's descriptor")
    func concurrentClose() throws {
        let bench = try Bench(.realGuarded)
        try bench.make("a", [UInt8](repeating: 7, count: 4096))
        for _ in 0..<50 {
            let file = try bench.disk.open(bench.path("a"), writable: false)
            let wrong = onThreads(4) { index in
                if index == 3 {
                    try? file.close()
                    // Reuses the freed number at once, for another file.
                    let other = try? FileReader("/dev/zero")
                    return withExtendedLifetime(other) { 0 }
                }
                return Self.readUntilClosed(file)
            }
            #expect(wrong.reduce(0, +) == 0)
        }
    }

    @Test("A descriptor closed during a call stays open until the call ends, and no longer")
    func closeDuringCall() throws {
        let bench = try Bench(.realGuarded)
        try bench.make("a", [1])
        let path = bench.path("a")
        let descriptor = try RealDisk.openRegular(path, writable: false)
        func target(_ number: Int32) -> String? {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
        }
        let number = try descriptor.use("test") { (number) throws(DiskError) in
            try descriptor.close()
            #expect(target(number) == path)
            #expect(throws: DiskError.self) { try descriptor.use("test") { _ in } }
            #expect(target(number) == path)
            return number
        }
        #expect(target(number) != path)
        #expect(throws: DiskError.self) { try descriptor.use("test") { _ in } }
        try descriptor.close()
    }

    private static func readUntilClosed(_ file: any DiskFile) -> Int {
        var wrong = 0
        while true {
            var buffer = [UInt8](repeating: 0, count: 4096)
            guard let n = try? file.read(at: 0, count: 4096, into: &buffer, offset: 0) else { return wrong }
            if n != 4096 || buffer.contains(where: { $0 != 7 }) { wrong += 1 }
        }
    }

    @Test("A directory inside another one is recognised through links and dots")
    func inside() throws {
        let directory = try TemporaryDirectory()
        let disk = RealDisk()
        for name in ["a", "a/b", "a/b/c", "d"] { try disk.createDirectory(directory.file(name)) }
        try FileManager.default.createSymbolicLink(atPath: directory.file("link"), withDestinationPath: "a/b")
        for inner in ["a", "a/b", "a/b/c", "link", "link/c", "link/..", "d/../a/./b"] {
            #expect(try disk.isDirectory(directory.file(inner), in: directory.file("a")), "\(inner)")
        }
        for outer in ["d", ".", "link/../..", "a/.."] {
            #expect(try !disk.isDirectory(directory.file(outer), in: directory.file("a")), "\(outer)")
        }
        #expect(try disk.isDirectory(directory.file("link/c"), in: "/"))
        #expect(throws: DiskError.self) { try disk.isDirectory(directory.file("none"), in: directory.file("a")) }
    }

    @Test("Files and maps release their descriptors")
    func descriptors() throws {
        let bench = try Bench(.realGuarded)
        try bench.make("a", [1])
        func ours() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").filter { name in
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")) == bench.path("a")
            }.count
        }
        for disk in [RealDisk(mapping: .guarded), RealDisk(mapping: .pread)] {
            for _ in 0..<20 {
                _ = try disk.open(bench.path("a"), writable: true)
                _ = try disk.map(bench.path("a"), length: 1)
                _ = try disk.lock(bench.path("a"), exclusive: true, byte: 0)
                _ = try? disk.map(bench.path("a"), length: 2)
            }
        }
        #expect(try ours() == 0)
    }
}
