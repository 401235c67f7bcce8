// SPDX-License-Identifier: Apache-2.0

internal import CGuard
internal import Glibc

/// Arguments, environment variables and identifiers of the process.
package enum Environment {
    /// Asks a child process to end: its process group, or the child alone if it has no group of its own. Children of a
    /// shell outside of the group would not receive a Ctrl-C.
    package static func terminate(child: Int32) {
        if kill(-child, SIGTERM) != 0 { kill(child, SIGTERM) }
    }

    /// Returns the value of an environment variable; nil if it is not set.
    package static func value(_ name: String) -> String? {
        guard let text = unsafe getenv(name) else { return nil }
        return unsafe String(cString: text)
    }

    /// The first argument of the process that is not UTF-8, with invalid bytes replaced. Such a path would be a wrong
    /// path.
    package static var oddArgument: String? {
        for number in 1..<max(1, Int(CommandLine.argc)) {
            guard let text = unsafe CommandLine.unsafeArgv[number] else { break }
            if unsafe String(validatingCString: text) == nil { return unsafe String(cString: text) }
        }
        return nil
    }

    /// The identifier of this process. It changes with a fork, so do not store it.
    package static var processIdentifier: Int32 { getpid() }

    /// The identifier of the calling thread, never 0. The system may reuse it after the thread ends.
    package static var threadIdentifier: UInt { UInt(pthread_self()) }

    /// Returns the identifier of the local time zone: `TZ`, else the target of `/etc/localtime`, else `/etc/timezone`,
    /// else `UTC`. Takes a few system calls.
    package static func timeZoneIdentifier() -> String {
        if var name = value("TZ"), !name.isEmpty {
            if name.hasPrefix(":") { name.removeFirst() }
            return zoneName(inPath: name) ?? name
        }
        if let link = symbolicLink("/etc/localtime"), let name = zoneName(inPath: link) { return name }
        if let bytes = try? RealDisk().contents(of: "/etc/timezone", limit: 4096) {
            let name = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace).first
            if let name { return String(name) }
        }
        return "UTC"
    }

    /// Returns the part of a path after `zoneinfo/`; nil if there is none.
    private static func zoneName(inPath path: String) -> String? {
        let marker = "zoneinfo/"
        var rest = Substring(path)
        while !rest.isEmpty {
            if rest.hasPrefix(marker) { return String(rest.dropFirst(marker.count)) }
            rest = rest.dropFirst()
        }
        return nil
    }

    private static func symbolicLink(_ path: String) -> String? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = unsafe buffer.withUnsafeMutableBytes { memory in
            guard let base = memory.baseAddress else { return 0 }
            return unsafe readlink(path, base.assumingMemoryBound(to: CChar.self), memory.count)
        }
        return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
    }
}

/// The identity of this process, which forked children do not share.
///
/// A forked child has a copy of every handle of its parent, but not its threads, and must not use its locks. A handle
/// stores the mark of its process and compares it with `current`, which costs one load from memory.
@frozen
@usableFromInline
package struct ProcessMark: Hashable, Sendable {
    @usableFromInline let number: UInt64

    @inline(__always)
    package static var current: ProcessMark { ProcessMark(number: cg_process_mark()) }
}
