// SPDX-License-Identifier: Apache-2.0

// TidyTests check the repository's own files: layout, imports, pages and counts.

import Foundation

/// A finding: its place, and the problem or what to do.
struct Violation: CustomStringConvertible, Comparable {
    let path: String
    let line: Int
    let message: String

    var description: String { "\(path):\(line): \(message)" }

    static func < (a: Violation, b: Violation) -> Bool {
        (a.path, a.line, a.message) < (b.path, b.line, b.message)
    }
}

/// A text file of the repository, with its path from the root.
struct TextFile {
    let path: String
    let bytes: [UInt8]

    init(_ path: String, _ bytes: [UInt8]) {
        self.path = path
        self.bytes = bytes
    }

    /// Creates a file that exists only in a test of the rules.
    init(_ path: String, _ text: String) {
        self.init(path, Array(text.utf8))
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }
    var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }

    /// `swift`, `c`, `md` ...; for a script without an extension, `py` or `sh` by its first line.
    var kind: String {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        if let dot = name.lastIndex(of: "."), dot != name.startIndex {
            return String(name[name.index(after: dot)...])
        }
        let first = bytes.prefix { $0 != 0x0A }
        guard first.starts(with: Array("#!".utf8)) else { return "" }
        return String(decoding: first, as: UTF8.self).contains("python") ? "py" : "sh"
    }

    /// Returns the line of the byte at `offset`, counted from 1.
    func line(at offset: Int) -> Int {
        var line = 1
        for byte in bytes[..<offset] where byte == 0x0A { line += 1 }
        return line
    }
}

/// The files of the repository, read once.
struct Repository {
    let root: String
    /// The path of every file from the root, sorted.
    let paths: [String]
    /// Every folder with files.
    let folders: Set<String>
    /// The files that the rules read: sources, scripts, pages.
    let texts: [TextFile]

    /// The repository that this test was built from.
    static let here = Repository(root: defaultRoot())

    static let textKinds: Set<String> = ["swift", "c", "h", "py", "sh", "md", "yml", "modulemap"]

    init(root: String) {
        self.root = root
        var paths: [String] = []
        Repository.walk(root, prefix: "", into: &paths)
        self.paths = paths.sorted()
        var folders: Set<String> = []
        for path in paths {
            var parts = path.split(separator: "/").dropLast()
            while !parts.isEmpty, folders.insert(parts.joined(separator: "/")).inserted { parts = parts.dropLast() }
        }
        self.folders = folders
        texts = self.paths.compactMap { path in
            let name = path.split(separator: "/").last ?? ""
            let dot = name.dropFirst().lastIndex(of: ".")
            if let dot, !Repository.textKinds.contains(String(name[name.index(after: dot)...])) { return nil }
            guard let data = FileManager.default.contents(atPath: root + "/" + path) else { return nil }
            let file = TextFile(path, [UInt8](data))
            return Repository.textKinds.contains(file.kind) ? file : nil
        }
    }

    struct Missing: Error { let path: String }

    /// Returns a file that a rule needs. (Not with `#require`, whose failure would print every file's bytes.)
    func file(_ path: String) throws -> TextFile {
        guard let file = texts.first(where: { $0.path == path }) else { throw Missing(path: path) }
        return file
    }

    /// Returns the text files under `folder` of the given kinds.
    func files(under folder: String, _ kinds: Set<String>) -> [TextFile] {
        texts.filter { $0.path.hasPrefix(folder + "/") && kinds.contains($0.kind) }
    }

    /// The root of the repository. Symbolic links are resolved once, for packages that link to these sources.
    private static func defaultRoot() -> String {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().resolvingSymlinksInPath()
        return file.deletingLastPathComponent().deletingLastPathComponent().path
    }

    private static func walk(_ folder: String, prefix: String, into paths: inout [String]) {
        let skipped = [".git", ".swiftpm", "__pycache__", "Package.resolved", ".DS_Store"]
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        for name in names where !name.hasPrefix(".build") && !skipped.contains(name) {
            // The target of a link is read at its own place.
            if (try? FileManager.default.destinationOfSymbolicLink(atPath: folder + "/" + name)) != nil { continue }
            var isFolder: ObjCBool = false
            guard unsafe FileManager.default.fileExists(atPath: folder + "/" + name, isDirectory: &isFolder) else {
                continue
            }
            if isFolder.boolValue {
                walk(folder + "/" + name, prefix: prefix + name + "/", into: &paths)
            } else {
                paths.append(prefix + name)
            }
        }
    }
}
