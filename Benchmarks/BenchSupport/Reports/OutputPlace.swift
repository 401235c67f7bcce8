// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation

/// The destination of a report, checked before the measurement: a file, a device or pipe, or standard output.
package struct OutputPlace: Sendable, Equatable {
    /// The kind of destination.
    package enum Kind: Sendable, Equatable {
        /// A regular file, or a path that does not exist yet, after following links. The file is replaced atomically.
        case file(String)
        /// A device or a pipe: written as it is.
        case stream(String)
        /// An open descriptor of this process; 1 is standard output.
        case descriptor(Int32)
    }

    /// The path as given.
    package let name: String
    package let kind: Kind

    /// Checks a path without writing to it; `-` is standard output.
    ///
    /// - Throws: `BenchError` if the path cannot be written: a directory, a missing parent, no permission.
    package init(_ path: String) throws {
        name = path
        kind = path == "-" ? .descriptor(1) : try Self.kind(of: path)
    }

    private init(descriptor: Int32, name: String) {
        self.name = name
        kind = .descriptor(descriptor)
    }

    package static let standardOutput = OutputPlace(descriptor: 1, name: "standard output")

    package var isStandardOutput: Bool { kind == .descriptor(1) }

    private static func kind(of path: String) throws -> Kind {
        if path.isEmpty { throw BenchError("a report cannot be written to a file without a name") }
        let disk = RealDisk()
        var target = path
        for _ in 0..<40 {
            if let number = descriptor(target) {
                guard try disk.exists("/proc/self/fd/\(number)") else {
                    throw BenchError("\(path) cannot be written: it is not open")
                }
                return .descriptor(number)
            }
            switch try disk.kind(of: target) {
            case .symbolicLink:
                let next = try FileManager.default.destinationOfSymbolicLink(atPath: target)
                target = next.hasPrefix("/") ? next : directory(of: target) + "/" + next
            case .directory: throw BenchError("\(path) is a directory; give a file")
            case .other:
                let type = try FileManager.default.attributesOfItem(atPath: target)[.type] as? FileAttributeType
                if type == .typeBlockSpecial || type == .typeSocket {
                    throw BenchError("\(path) is a disk or a socket; give a file")
                }
                try require(FileManager.default.isWritableFile(atPath: target), path, "permission denied")
                return .stream(target)
            case .file:
                try require(FileManager.default.isWritableFile(atPath: target), path, "permission denied")
                try requireDirectory(directory(of: target), path)
                return .file(target)
            case nil:
                try require(!target.hasSuffix("/"), path, "no such directory")
                try requireDirectory(directory(of: target), path)
                return .file(target)
            }
        }
        throw BenchError("\(path) cannot be written: its symbolic links form a cycle")
    }

    /// Returns the number of an open descriptor from its path; nil for any other path.
    private static func descriptor(_ path: String) -> Int32? {
        let named: [String: Int32] = ["/dev/stdout": 1, "/dev/stderr": 2]
        if let number = named[path] { return number }
        for prefix in ["/dev/fd/", "/proc/self/fd/"] where path.hasPrefix(prefix) {
            return Int32(path.dropFirst(prefix.count))
        }
        return nil
    }

    private static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func require(_ condition: Bool, _ path: String, _ reason: String) throws {
        if !condition { throw BenchError("\(path) cannot be written: \(reason)") }
    }

    /// Throws if no file can be created in a directory.
    private static func requireDirectory(_ directory: String, _ path: String) throws {
        try require(
            try RealDisk().kind(of: directory + "/.") == .directory, path, "no directory \(directory)")
        try require(
            FileManager.default.isWritableFile(atPath: directory), path, "no permission to write in \(directory)")
    }

    /// Checks that a directory exists or can be created, and that files can be created in it.
    ///
    /// - Throws: `BenchError` if it cannot be used.
    package static func checkDirectory(_ path: String) throws {
        if path.isEmpty || path == "-" { throw BenchError("plots are several files: give a directory") }
        if try RealDisk().kind(of: path + "/.") == .directory { return try requireDirectory(path, path) }
        try require(try RealDisk().kind(of: path) == nil, path, "it is not a directory")
        var bare = path
        while bare.hasSuffix("/") { bare.removeLast() }
        try requireDirectory(directory(of: bare), path)
    }
}

extension OutputPlace {
    /// Writes a report. A file is written under a temporary name, synced and renamed: after an error it is unchanged,
    /// and the temporary file is removed. A closed reader of standard output is not an error.
    package func write(_ text: String) throws {
        do {
            switch kind {
            case .descriptor(let number):
                let handle = FileHandle(fileDescriptor: number, closeOnDealloc: false)
                try handle.write(contentsOf: Data(text.utf8))
            case .stream(let path):
                let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
                try handle.write(contentsOf: Data(text.utf8))
                try handle.close()
            case .file(let path): try Self.replace(path, Array(text.utf8))
            }
        } catch let error as DiskError {
            throw BenchError("\(name) cannot be written: \(error)")
        } catch {
            let code = Self.code(error)
            if isStandardOutput, code == EPIPE { return }
            let reason = code.map { DiskError("write", name, $0).message } ?? "\(error)"
            throw BenchError("\(name == "-" ? Self.standardOutput.name : name) cannot be written: \(reason)")
        }
    }

    private static func replace(_ path: String, _ bytes: [UInt8]) throws {
        let disk = RealDisk()
        let folder = directory(of: path)
        let random = String(UInt32.random(in: .min ... .max), radix: 36)
        let beside = "\(folder)/.kymo-bench-\(Environment.processIdentifier)-\(random)"
        try Interruption.protecting(beside) {
            do {
                try disk.createFile(beside, bytes)
                if let old = try? FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] {
                    try FileManager.default.setAttributes([.posixPermissions: old], ofItemAtPath: beside)
                }
                try disk.rename(beside, to: path)
            } catch {
                try? disk.remove(beside)
                throw error
            }
        }
        // Ignores errors: some file systems cannot sync directories.
        try? disk.syncDirectory(folder)
    }

    /// Returns the system's error number; nil if there is none.
    private static func code(_ error: any Error) -> Int32? {
        let error = error as NSError
        if error.domain == NSPOSIXErrorDomain { return Int32(error.code) }
        return (error.userInfo[NSUnderlyingErrorKey] as? any Error).flatMap(code)
    }
}
