// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A file system in a file, mounted for this thread and its children only.
///
/// The thread has its own mount namespace, so that the end of the process always removes the mount and frees the loop
/// device.
final class LoopVolume {
    let kind: String
    let path: String
    private let image: String
    private var isMounted = false

    /// Creates the file system.
    ///
    /// - Requires: the thread that called `isolate`, also for all later calls.
    init(_ kind: String, in work: String) throws {
        self.kind = kind
        image = "\(work)/\(kind).image"
        path = "\(work)/\(kind)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        guard FileManager.default.createFile(atPath: image, contents: nil), unsafe truncate(image, Self.bytes) == 0
        else {
            throw CampaignError("no space for an image of \(kind)")
        }
        let quiet = kind == "ext4" ? ["-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0"] : ["-q", "-f"]
        try Self.require("mkfs.\(kind)", quiet + [image])
        try mount()
    }

    /// XFS requires 300 MB; nearly all of it stays a hole in the file.
    private static let bytes = 384 << 20

    /// Gives the calling thread private mounts.
    static func isolate() throws {
        try GNUCalls.ownMounts()
        let flags = UInt(MS_REC | MS_PRIVATE)
        guard unsafe Foundation.mount("none", "/", nil, flags, nil) == 0 else {
            throw CampaignError("cannot make the mount namespace private: error \(errno)")
        }
    }

    /// Returns the reason why a kind of file system cannot be created, or nil.
    static func obstacle(_ kind: String) -> String? {
        if let obstacle = Self.mountObstacle { return obstacle }
        if find("mkfs.\(kind)") == nil { return "mkfs.\(kind) is missing" }
        if !FileManager.default.fileExists(atPath: "/dev/loop-control") { return "loop devices are missing" }
        return nil
    }

    /// Returns the reason why nothing can be mounted, or nil. Root in a container usually may not mount.
    static var mountObstacle: String? {
        if geteuid() != 0 { return "mounting requires root" }
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("CapEff:") }
        let capabilities = line.flatMap { UInt64($0.dropFirst(7).drop { $0 == "\t" }, radix: 16) } ?? 0
        // CAP_SYS_ADMIN.
        if capabilities & 1 << 21 == 0 { return "root may not mount here" }
        return find("mount") == nil ? "mount is missing" : nil
    }

    func mount() throws {
        try Self.require("mount", ["-o", "loop", "-t", kind, image, path])
        isMounted = true
    }

    /// Waits briefly for other users of the file system.
    func unmount() throws {
        guard isMounted else { return }
        for _ in 0..<2_000 {
            if unsafe umount(path) == 0 {
                isMounted = false
                return
            }
            usleep(1_000)
        }
        throw CampaignError("cannot unmount \(path): error \(errno)")
    }

    /// Simulates a power cut: unsynced data no longer reaches the disk, or only the file system's log does.
    func cutPower(flushingLog: Bool) throws {
        let directory = unsafe open(path, O_RDONLY | O_CLOEXEC)
        defer { Foundation.close(directory) }
        var flag: UInt32 = flushingLog ? 1 : 2
        // FS_IOC_SHUTDOWN, _IOR('X', 125, u32).
        guard unsafe ioctl(directory, 0x8004_587D, &flag) == 0 else {
            throw CampaignError("cannot shut down \(kind): error \(errno)")
        }
    }

    deinit { try? unmount() }

    private static func find(_ name: String) -> String? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin"
        let places = path.split(separator: ":").map { String($0) } + ["/usr/sbin", "/sbin"]
        return places.map { "\($0)/\(name)" }.first { unsafe access($0, X_OK) == 0 }
    }

    private static func require(_ name: String, _ arguments: [String]) throws {
        guard let program = find(name) else { throw CampaignError("\(name) is missing") }
        let child = try ChildProgram(program, arguments)
        let text = child.rest().joined(separator: " ")
        guard child.wait() == 0 else { throw CampaignError("\(name) failed \(text)") }
    }
}
