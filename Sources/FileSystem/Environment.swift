// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// What the process was told from outside.
package enum Environment {
    /// The value of an environment variable; nil if it is not set.
    package static func value(_ name: String) -> String? {
        guard let text = unsafe getenv(name) else { return nil }
        return unsafe String(cString: text)
    }

    /// The first argument of the process that is no UTF-8, with what is odd replaced; such a path would be another one.
    package static var oddArgument: String? {
        for number in 1..<max(1, Int(CommandLine.argc)) {
            guard let text = unsafe CommandLine.unsafeArgv[number] else { break }
            if unsafe String(validatingCString: text) == nil { return unsafe String(cString: text) }
        }
        return nil
    }

    /// The number of this process. Changes by a fork, so do not keep it.
    package static var processIdentifier: Int32 { getpid() }

    /// The number of the calling thread, which is not 0. Another thread may get it after this one has ended.
    package static var threadIdentifier: UInt { UInt(pthread_self()) }

    /// The identifier of the local time zone: `TZ`, else the target of `/etc/localtime`, else `/etc/timezone`, else
    /// `UTC`. Costs a few system calls.
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

    /// The part of a path after `zoneinfo/`.
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
