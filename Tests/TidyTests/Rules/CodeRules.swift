// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Code rules that the compiler does not check: traps, access to the outside world, SQL outside of the catalogs.
enum CodeRules {
    /// Finds calls under `Sources` that end the process. Invalid files and arguments must give an error, never a trap.
    static func traps(_ file: TextFile, _ tokens: [Token]) -> [Violation] {
        tokens.indices.dropLast().compactMap { i in
            let pair = (tokens[i].text, tokens[i + 1].text)
            let adjoining = tokens[i].range.upperBound == tokens[i + 1].range.lowerBound
            let what: String
            switch pair {
            case ("try", "!") where adjoining: what = "try!"
            case ("as", "!") where adjoining: what = "as!"
            case ("fatalError", "("): what = "fatalError"
            default: return nil
            }
            return Violation(path: file.path, line: tokens[i].line, message: "\(what) traps; throw a typed error")
        }
    }

    /// Types and functions of the outside world that Foundation provides, forbidden in rooms that may import
    /// Foundation.
    static let outside: Set<String> = [
        "FileManager", "FileHandle", "fopen", "fsync", "fdatasync", "mmap", "munmap", "ftruncate", "pread", "pwrite",
        "unlink", "getenv", "setenv", "usleep", "nanosleep", "sleep", "kill", "fcntl", "ioctl", "fork",
    ]

    /// Finds access to files, the environment and processes under `Sources` outside of FileSystem.
    static func outsideWorld(_ file: TextFile, _ tokens: [Token]) -> [Violation] {
        tokens.indices.compactMap { i in
            guard tokens[i].kind == .word, outside.contains(tokens[i].text) else { return nil }
            if i > 0, [".", "func"].contains(tokens[i - 1].text) { return nil }
            let isType = tokens[i].text.first?.isUppercase == true
            guard isType || i + 1 < tokens.count && tokens[i + 1].text == "(" else { return nil }
            return Violation(
                path: file.path, line: tokens[i].line,
                message: "\(tokens[i].text) accesses the outside world; use the FileSystem room")
        }
    }

    /// First words of SQL statements, in capitals as the catalogs write them.
    static let statements = [
        "SELECT ", "INSERT INTO ", "INSERT OR ", "DELETE FROM ", "CREATE TABLE ", "CREATE INDEX ", "CREATE UNIQUE ",
        "DROP TABLE ", "ALTER TABLE ", "UPDATE ", "PRAGMA ", "BEGIN IMMEDIATE", "WITH RECURSIVE ",
    ]

    /// Finds SQL in strings outside of the two catalog rooms.
    static func sql(_ file: TextFile, _ tokens: [Token]) -> [Violation] {
        var found: [Violation] = []
        for statement in statements {
            for offset in file.bytes.offsets(of: statement) {
                guard let token = tokens.first(where: { $0.kind == .string && $0.range.contains(offset) }) else {
                    continue
                }
                found.append(
                    Violation(
                        path: file.path, line: token.line,
                        message: "SQL (\(statement)...); move it to Catalog or HealthCatalog"))
            }
        }
        return found
    }
}
