// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The processes that hold locks on a file, as far as the system shows them.
///
/// The system does not name the owner of a conflicting lock of an open file description. But it shows the open files
/// and locks of each process to processes of the same user.
package enum LockHolders {
    /// Returns the processes that hold locks, including this one, with the first byte of each lock. Processes of other
    /// users are missing. O(open files of the user's processes).
    package static func of(_ path: String) -> [(process: Int32, byte: Int64)] {
        guard let file = try? RealDisk.openRegular(path, writable: false),
            let inode = try? file.use(
                "stat", { number throws(DiskError) in try SystemCall.status(number, path).st_ino })
        else { return [] }
        let disk = RealDisk()
        var found: [(process: Int32, byte: Int64)] = []
        for process in (try? disk.list("/proc")) ?? [] {
            guard let number = Int32(process) else { continue }
            let pages = "/proc/\(process)/fdinfo"
            for descriptor in (try? disk.list(pages)) ?? [] {
                found += bytes("\(pages)/\(descriptor)", of: UInt64(inode)).map { (number, $0) }
            }
        }
        return found
    }

    /// Returns the first bytes of the locks listed in a descriptor's file under `/proc`.
    private static func bytes(_ page: String, of inode: UInt64) -> [Int64] {
        var text: [UInt8] = []
        guard let reader = try? FileReader(page), let count = try? reader.read(into: &text, count: 65_536) else {
            return []
        }
        return parse(String(decoding: text[0..<count], as: UTF8.self), of: inode)
    }

    /// Returns the first byte of each lock on `inode`, from lines such as `lock: 1: OFDLCK ADVISORY READ 123 00:2b:77
    /// 4294967300 4294967300`: number, kind, mode, type, process, file, first and last byte.
    static func parse(_ text: String, of inode: UInt64) -> [Int64] {
        text.split(separator: "\n").compactMap { line in
            let fields = line.split { $0 == " " || $0 == "\t" }
            guard fields.count >= 5, fields[0] == "lock:", fields.contains("OFDLCK"),
                fields[fields.count - 3].hasSuffix(":\(inode)")
            else { return nil }
            return Int64(fields[fields.count - 2])
        }
    }
}
