// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation

/// A child process of this program's own kind, with a pipe to it and one from it.
///
/// Not `Process`: the campaigns count in milliseconds, and a child has to start in the mount namespace of the thread
/// that asks for it.
final class ChildProgram {
    let pid: pid_t
    private let input: Int32
    let output: Int32
    private var received: [UInt8] = []
    private(set) var isAtEnd = false
    private var isReaped = false

    /// A child may be gone before it is told something; that must not end the campaign.
    private static let outlivesChildren: Void = Terminal.reportFailedWrites()

    /// - Parameter mergesErrors: whether what it writes to standard error comes through the pipe, too.
    init(_ program: String, _ arguments: [String], mergesErrors: Bool = false) throws {
        _ = Self.outlivesChildren
        let toChild = try GNUCalls.closedPipe()
        let fromChild = try GNUCalls.closedPipe()
        var actions = unsafe posix_spawn_file_actions_t()
        _ = unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe _ = posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, toChild.read, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, fromChild.write, 1)
        if mergesErrors { unsafe posix_spawn_file_actions_adddup2(&actions, fromChild.write, 2) }
        var words = unsafe ([program] + arguments).map { unsafe strdup($0) } + [nil]
        defer { unsafe words.forEach { unsafe free($0) } }
        // A child whose disk is gone dies of it at once; a backtrace would hold the pipe and the disk.
        let environment = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
        var settings = unsafe environment.map { unsafe strdup("\($0.key)=\($0.value)") } + [nil]
        defer { unsafe settings.forEach { unsafe free($0) } }
        var child: pid_t = 0
        let error = unsafe posix_spawn(&child, program, &actions, nil, &words, &settings)
        Foundation.close(toChild.read)
        Foundation.close(fromChild.write)
        (pid, input, output) = (child, toChild.write, fromChild.read)
        guard error == 0 else { throw CampaignError("\(program) cannot be started: error \(error)") }
    }

    /// Writes a line to the child; one that is gone does not hear it.
    func tell(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = unsafe bytes.withUnsafeBytes { unsafe Foundation.write(input, $0.baseAddress, $0.count) }
    }

    /// Takes what has arrived, waiting for nothing beyond the first piece; the lines that are complete.
    func lines() -> [Substring] {
        var piece = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe piece.withUnsafeMutableBytes { unsafe Foundation.read(output, $0.baseAddress, $0.count) }
        if count <= 0 {
            isAtEnd = true
            return []
        }
        received += piece[..<count]
        guard let last = received.lastIndex(of: 0x0A) else { return [] }
        let text = String(decoding: received[...last], as: UTF8.self)
        received.removeSubrange(...last)
        return text.split(separator: "\n")
    }

    /// The next line, if one arrives in time.
    func line(within time: Duration) -> Substring? {
        let parts = max(time, .zero).components
        let nanoseconds = parts.seconds * 1_000_000_000 + parts.attoseconds / 1_000_000_000
        guard !ChildProgram.wait(for: [self], nanoseconds: nanoseconds).isEmpty else { return nil }
        return lines().first
    }

    /// What has arrived since the child died.
    func rest() -> [Substring] {
        var all: [Substring] = []
        while !isAtEnd { all += lines() }
        return all
    }

    /// Kills it as the system does when it has no memory left, and waits until it is gone; how it ended.
    @discardableResult
    func kill() -> Int32 {
        if isReaped { return 0 }
        Foundation.kill(pid, SIGKILL)
        return wait()
    }

    @discardableResult
    func wait() -> Int32 {
        var status: Int32 = 0
        if !isReaped { while unsafe waitpid(pid, &status, 0) < 0, errno == EINTR {} }
        isReaped = true
        return status
    }

    deinit {
        kill()
        Foundation.close(input)
        Foundation.close(output)
    }

    /// Waits for something to arrive from one of some children; those it arrived from.
    static func wait(for children: [ChildProgram], nanoseconds: Int64) -> [ChildProgram] {
        let open = children.filter { !$0.isAtEnd }
        var polls = open.map { pollfd(fd: $0.output, events: Int16(POLLIN), revents: 0) }
        let milliseconds = Int32(clamping: max(0, (nanoseconds + 999_999) / 1_000_000))
        guard unsafe poll(&polls, nfds_t(polls.count), milliseconds) > 0 else { return [] }
        return zip(open, polls).filter { $0.1.revents != 0 }.map(\.0)
    }
}

/// Why a campaign cannot be carried out.
struct CampaignError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
