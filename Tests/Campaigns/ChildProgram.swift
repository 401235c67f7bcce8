// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation

/// A child process with a pipe to it and one from it.
///
/// Replaces `Process`, because the campaigns count in milliseconds and a child must start in the mount namespace of the
/// calling thread.
final class ChildProgram {
    let pid: pid_t
    private let input: Int32
    let output: Int32
    private var received: [UInt8] = []
    private(set) var isAtEnd = false
    private var isReaped = false

    /// Writing to a dead child must not end the campaign.
    private static let outlivesChildren: Void = Terminal.reportFailedWrites()

    /// - Parameter mergesErrors: true if the pipe also gets the child's standard error.
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
        // A child whose disk is removed dies at once; a backtrace would hold the pipe and the disk.
        let environment = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
        var settings = unsafe environment.map { unsafe strdup("\($0.key)=\($0.value)") } + [nil]
        defer { unsafe settings.forEach { unsafe free($0) } }
        var child: pid_t = 0
        let error = unsafe posix_spawn(&child, program, &actions, nil, &words, &settings)
        Foundation.close(toChild.read)
        Foundation.close(fromChild.write)
        (pid, input, output) = (child, toChild.write, fromChild.read)
        guard error == 0 else { throw CampaignError("cannot start \(program): error \(error)") }
    }

    /// Writes a line to the child; a dead child is ignored.
    func tell(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = unsafe bytes.withUnsafeBytes { unsafe Foundation.write(input, $0.baseAddress, $0.count) }
    }

    /// Reads available output, waiting for the first piece only. Returns the complete lines.
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

    /// Returns the next line, or nil if none arrives in time.
    func line(within time: Duration) -> Substring? {
        let parts = max(time, .zero).components
        let nanoseconds = parts.seconds * 1_000_000_000 + parts.attoseconds / 1_000_000_000
        guard !ChildProgram.wait(for: [self], nanoseconds: nanoseconds).isEmpty else { return nil }
        return lines().first
    }

    /// Returns the remaining output of a dead child.
    func rest() -> [Substring] {
        var all: [Substring] = []
        while !isAtEnd { all += lines() }
        return all
    }

    /// Kills the child with SIGKILL, as the system does when memory runs out, and waits for its end. Returns its
    /// status.
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

    /// Waits for output of some children. Returns the children with output.
    static func wait(for children: [ChildProgram], nanoseconds: Int64) -> [ChildProgram] {
        let open = children.filter { !$0.isAtEnd }
        var polls = open.map { pollfd(fd: $0.output, events: Int16(POLLIN), revents: 0) }
        let milliseconds = Int32(clamping: max(0, (nanoseconds + 999_999) / 1_000_000))
        guard unsafe poll(&polls, nfds_t(polls.count), milliseconds) > 0 else { return [] }
        return zip(open, polls).filter { $0.1.revents != 0 }.map(\.0)
    }
}

/// The reason why a campaign cannot run.
struct CampaignError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
