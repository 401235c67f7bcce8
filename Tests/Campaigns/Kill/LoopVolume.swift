// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A file system of its own in a file, mounted where only this thread and its children see it.
///
/// The thread has a mount namespace of its own, so that whatever ends the process, however it ends, also ends the mount
/// and frees the loop device.
final class LoopVolume {
    let kind: String
    let path: String
    private let image: String
    private var isMounted = false

    /// Makes the file system. Call it, and all that follows, on the thread that called `isolate`.
    init(_ kind: String, in work: String) throws {
        self.kind = kind
        image = "\(work)/\(kind).image"
        path = "\(work)/\(kind)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        guard FileManager.default.createFile(atPath: image, contents: nil), unsafe truncate(image, Self.bytes) == 0
        else {
            throw CampaignError("no room for an image of \(kind)")
        }
        let quiet = kind == "ext4" ? ["-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0"] : ["-q", "-f"]
        try Self.require("mkfs.\(kind)", quiet + [image])
        try mount()
    }

    /// XFS wants 300 MB; nearly all of it stays a hole in the file.
    private static let bytes = 384 << 20

    /// Gives the calling thread mounts that nobody else sees.
    static func isolate() throws {
        try GNUCalls.ownMounts()
        let flags = UInt(MS_REC | MS_PRIVATE)
        guard unsafe Foundation.mount("none", "/", nil, flags, nil) == 0 else {
            throw CampaignError("the mount namespace cannot be made private: error \(errno)")
        }
    }

    /// Why no file system of a kind can be made here, or nil.
    static func obstacle(_ kind: String) -> String? {
        if let obstacle = Self.mountObstacle { return obstacle }
        if find("mkfs.\(kind)") == nil { return "there is no mkfs.\(kind)" }
        if !FileManager.default.fileExists(atPath: "/dev/loop-control") { return "there are no loop devices" }
        return nil
    }

    /// Why nothing can be mounted here, or nil. Root of a container may not mount, as a rule.
    static var mountObstacle: String? {
        if geteuid() != 0 { return "that needs root" }
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("CapEff:") }
        let capabilities = line.flatMap { UInt64($0.dropFirst(7).drop { $0 == "\t" }, radix: 16) } ?? 0
        // CAP_SYS_ADMIN.
        if capabilities & 1 << 21 == 0 { return "root may not mount here" }
        return find("mount") == nil ? "there is no mount" : nil
    }

    func mount() throws {
        try Self.require("mount", ["-o", "loop", "-t", kind, image, path])
        isMounted = true
    }

    /// Waits a little for whoever still uses it.
    func unmount() throws {
        guard isMounted else { return }
        for _ in 0..<2_000 {
            if unsafe umount(path) == 0 {
                isMounted = false
                return
            }
            usleep(1_000)
        }
        throw CampaignError("\(path) cannot be unmounted: error \(errno)")
    }

    /// What a power cut does: nothing that was not synced gets to the disk any more, or its log only.
    func cutPower(flushingLog: Bool) throws {
        let directory = unsafe open(path, O_RDONLY | O_CLOEXEC)
        defer { Foundation.close(directory) }
        var flag: UInt32 = flushingLog ? 1 : 2
        // FS_IOC_SHUTDOWN, _IOR('X', 125, u32).
        guard unsafe ioctl(directory, 0x8004_587D, &flag) == 0 else {
            throw CampaignError("\(kind) cannot be shut down: error \(errno)")
        }
    }

    deinit { try? unmount() }

    private static func find(_ name: String) -> String? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin"
        let places = path.split(separator: ":").map { String($0) } + ["/usr/sbin", "/sbin"]
        return places.map { "\($0)/\(name)" }.first { unsafe access($0, X_OK) == 0 }
    }

    private static func require(_ name: String, _ arguments: [String]) throws {
        guard let program = find(name) else { throw CampaignError("there is no \(name)") }
        let child = try ChildProgram(program, arguments)
        let text = child.rest().joined(separator: " ")
        guard child.wait() == 0 else { throw CampaignError("\(name) failed \(text)") }
    }
}
