// SPDX-License-Identifier: Apache-2.0

internal import CGuard
internal import Glibc

/// The machine, and the resources that this process uses, for reports and cache sizes.
package enum Machine {
    /// Returns the processor's name as the system reports it, or `unknown`.
    package static func processorModel() -> String {
        let lines = text("/proc/cpuinfo").split(separator: "\n")
        for key in ["model name", "Model", "Hardware", "uarch"] {
            if let line = lines.first(where: { $0.hasPrefix(key) }), let value = field(line) { return value }
        }
        return "unknown"
    }

    /// Returns the number of processors that this process may run on, at least 1.
    package static func processorCount() -> Int {
        let count = Int(cg_processor_count())
        return count > 0 ? count : max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    }

    /// Returns the physical memory in bytes; 0 if unknown.
    package static func memoryBytes() -> UInt64 {
        UInt64(max(0, sysconf(Int32(_SC_PHYS_PAGES)))) &* UInt64(pageSize())
    }

    /// Returns the size of a memory page in bytes.
    package static func pageSize() -> Int {
        let size = Int(sysconf(Int32(_SC_PAGESIZE)))
        return size > 0 ? size : 4096
    }

    /// Whether a limit applies to the length of files that this process writes.
    package static var limitsFileSizes: Bool {
        let lines = text("/proc/self/limits").split(separator: "\n")
        let words = lines.first { $0.hasPrefix("Max file size") }?.dropFirst("Max file size".count).split(
            separator: " ")
        return words?.first.map { $0 != "unlimited" } ?? false
    }

    /// The error of opening one more file if the limit of open files is reached, else nil. Takes two system calls.
    package static var shortage: DiskError? {
        do throws(DiskError) { try requireDescriptors(1) } catch { return error }
        return nil
    }

    /// Verifies that `count` more files can be opened. Takes two system calls for each.
    ///
    /// - Throws: `DiskError` if the limit of open files is reached; the error names the limit.
    package static func requireDescriptors(_ count: Int) throws(DiskError) {
        var numbers = [Int32]()
        defer { for number in numbers { _ = close(number) } }
        do throws(DiskError) {
            for _ in 0..<count { numbers.append(try SystemCall.open("/", O_RDONLY | O_DIRECTORY)) }
        } catch {
            if error.isOutOfDescriptors { throw error }
        }
    }

    /// Returns the kernel's name and release, for example `Linux 6.18.0 x86_64`.
    package static func kernel() -> String {
        var about = utsname()
        guard unsafe uname(&about) == 0 else { return "unknown" }
        return [string(about.sysname), string(about.release), string(about.machine)].joined(separator: " ")
    }

    /// Returns the distribution's name and version, for example `Debian GNU/Linux 12 (bookworm)`.
    package static func operatingSystem() -> String {
        let line = text("/etc/os-release").split(separator: "\n").first { $0.hasPrefix("PRETTY_NAME=") }
        guard let line else { return kernel() }
        return line.dropFirst("PRETTY_NAME=".count).trimming("\"")
    }

    /// The resources that this process has used so far.
    package struct Usage: Sendable {
        /// Processor time in user mode, nanoseconds.
        package let userNanoseconds: Int64
        /// Processor time in the kernel, nanoseconds.
        package let systemNanoseconds: Int64
        /// The largest resident memory so far, bytes.
        package let peakResidentBytes: Int64
        /// Page faults that required a disk read.
        package let majorFaults: Int64
    }

    /// Returns the resources that this process has used so far.
    package static func usage() -> Usage {
        var about = rusage()
        _ = unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &about)
        func nanoseconds(_ time: timeval) -> Int64 {
            Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_usec) &* 1000
        }
        return Usage(
            userNanoseconds: nanoseconds(about.ru_utime), systemNanoseconds: nanoseconds(about.ru_stime),
            peakResidentBytes: Int64(about.ru_maxrss) &* 1024, majorFaults: Int64(about.ru_majflt))
    }

    /// Returns the current resident memory in bytes; 0 if unknown.
    package static func residentBytes() -> Int64 {
        let fields = text("/proc/self/statm").split(separator: " ")
        guard fields.count > 1, let pages = Int64(fields[1]) else { return 0 }
        return pages &* Int64(pageSize())
    }

    /// Returns a file of `/proc` as text. Such a file reports no size, so it is read as a stream.
    private static func text(_ path: String) -> String {
        guard let reader = try? FileReader(path) else { return "" }
        var bytes: [UInt8] = []
        guard let count = try? reader.read(into: &bytes, count: 1 << 18) else { return "" }
        return String(decoding: bytes[..<count], as: UTF8.self)
    }

    private static func field(_ line: Substring) -> String? {
        guard let colon = line.firstIndex(of: ":") else { return nil }
        return line[line.index(after: colon)...].trimming(" \t")
    }

    /// Returns the text in a fixed C array.
    /// Forbids core dumps and debuggers of other programs of the user, for a process that has keys in its memory.
    package static func protectMemory() { cg_protect_memory() }

    private static func string<T>(_ array: T) -> String {
        unsafe withUnsafeBytes(of: array) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}

extension Substring {
    /// Removes these characters from both ends.
    fileprivate func trimming(_ characters: String) -> String {
        var part = self
        while let first = part.first, characters.contains(first) { part.removeFirst() }
        while let last = part.last, characters.contains(last) { part.removeLast() }
        return String(part)
    }
}
