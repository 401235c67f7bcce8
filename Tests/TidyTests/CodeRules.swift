// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Rules on code that the compiler does not know: traps, the outside world, SQL outside the catalogs.
enum CodeRules {
    /// Calls that end the process, under `Sources`: what a disk or a caller hands in must never reach one.
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

    /// Types and calls of the outside world that come with Foundation, in rooms that may import it.
    static let outside: Set<String> = [
        "FileManager", "FileHandle", "fopen", "fsync", "fdatasync", "mmap", "munmap", "ftruncate", "pread", "pwrite",
        "unlink", "getenv", "setenv", "usleep", "nanosleep", "fcntl", "ioctl", "fork",
    ]

    /// Under `Sources`, only FileSystem touches files, the environment and processes.
    static func outsideWorld(_ file: TextFile, _ tokens: [Token]) -> [Violation] {
        tokens.indices.compactMap { i in
            guard tokens[i].kind == .word, outside.contains(tokens[i].text) else { return nil }
            if i > 0, [".", "func"].contains(tokens[i - 1].text) { return nil }
            let isType = tokens[i].text.first?.isUppercase == true
            guard isType || i + 1 < tokens.count && tokens[i + 1].text == "(" else { return nil }
            return Violation(
                path: file.path, line: tokens[i].line,
                message: "\(tokens[i].text) is the outside world; go through the FileSystem room")
        }
    }

    /// Beginnings of SQL statements, in the capitals that the catalogs write them in.
    static let statements = [
        "SELECT ", "INSERT INTO ", "INSERT OR ", "DELETE FROM ", "CREATE TABLE ", "CREATE INDEX ", "CREATE UNIQUE ",
        "DROP TABLE ", "ALTER TABLE ", "UPDATE ", "PRAGMA ", "BEGIN IMMEDIATE", "WITH RECURSIVE ",
    ]

    /// SQL in a string, outside the two rooms that speak it.
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
                        message: "SQL (\(statement)...); it lives in Catalog and HealthCatalog"))
            }
        }
        return found
    }
}
