// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

extension HostileCase {
    /// Files of other formats.
    static func fileKindCases(_ random: inout SeededGenerator) -> [HostileCase] {
        let group = "file"
        let noise = random.bytes(2_000)
        let kinds: [(String, [UInt8])] = [
            ("nothing", []), ("PDF", Array("%PDF-1.7\n".utf8)), ("gzip", [0x1F, 0x8B, 8, 0]),
            ("PNG", [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]), ("7-Zip", [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C]),
            ("RAR", [0x52, 0x61, 0x72, 0x21, 0x1A, 7]), ("bzip2", Array("BZh9".utf8)),
            ("xz", [0xFD, 0x37, 0x7A, 0x58, 0x5A]),
            ("a database", Array("SQLite format 3\0".utf8)), ("a property list", Array("bplist00".utf8)),
            ("a program", [0x7F, 0x45, 0x4C, 0x46]), ("a class", [0xCA, 0xFE, 0xBA, 0xBE]),
            ("JPEG", [0xFF, 0xD8, 0xFF]),
            ("JSON", Array("{\"records\": [".utf8)), ("CSV", Array("type,value\n".utf8)),
            ("a part of a zip", [0x50, 0x4B, 7, 8]),
            ("a tar", Array("export.xml".utf8) + [UInt8](repeating: 0, count: 90) + Array("0000644".utf8)),
            ("zeros", [UInt8](repeating: 0, count: 4_096)), ("noise", []),
        ]
        var cases = kinds.map { name, head in
            refused(group, name, file: "export.zip", name == "nothing" ? [] : head + noise)
        }
        for count in [1, 21, 22] {
            for byte in [0, 0x20, 0x3C, 0x50] as [UInt8] {
                cases.append(
                    refused(group, "\(count) bytes \(byte)", file: "export.zip", [UInt8](repeating: byte, count: count))
                )
            }
        }
        let end = [0x50, 0x4B, 5, 6] + [UInt8](repeating: 0, count: 18)
        cases.append(refused(group, "an end record alone", file: "export.zip", end, "without an XML"))
        cases.append(refused(group, "a truncated end record", file: "export.zip", Array(end.dropLast()), "cut off"))
        return cases
    }

    /// Paths that are not a file, or have odd names.
    static func pathCases(_ random: inout SeededGenerator) -> [HostileCase] {
        let group = "path"
        let first = random.below(16)
        var sound = HostileExport(first: first)
        sound.records(5)
        let bytes = sound.finished
        func refusal(
            _ name: String, _ texts: String..., make: @escaping @Sendable (HostileFolder) throws -> String
        ) -> HostileCase {
            var one = HostileCase(group, name, HostileExpectation(outcome: .refused(texts)), make: make)
            one.needsProgram = true
            return one
        }
        @Sendable func link(_ folder: HostileFolder, _ target: String) throws -> String {
            try FileManager.default.createSymbolicLink(atPath: folder.path + "/link", withDestinationPath: target)
            return folder.path + "/link"
        }
        var cases: [HostileCase] = [
            refusal("a folder", "a folder") { $0.path + "/temporary" },
            refusal("a missing file", "No such file") { $0.path + "/none.zip" },
            refusal("a pipe", "not a regular file") { $0.pipe },
            refusal("an empty path") { _ in "" },
            refusal("/dev/zero", "not a regular file") { _ in "/dev/zero" },
            refusal("/dev/full", "not a regular file") { _ in "/dev/full" },
            refusal("/dev/null", "not a regular file") { _ in "/dev/null" },
            refusal("/dev/tty") { _ in "/dev/tty" },
            refusal("/etc/passwd") { _ in "/etc/passwd" },
            refusal("/proc/self/mem") { _ in "/proc/self/mem" },
            refusal("/proc/self/environ") { _ in "/proc/self/environ" },
            refusal("a link to a missing file", "No such file") { try link($0, "/none") },
            refusal("a link to itself", "Too many levels") { try link($0, "link") },
            refusal("a link to a folder") { try link($0, "/etc") },
            refusal("a link to /etc/passwd") { try link($0, "/etc/passwd") },
            refusal("a link to a device", "not a regular file") { try link($0, "/dev/zero") },
            refusal("a link to a pipe", "not a regular file") { try link($0, $0.pipe) },
            refusal("a path through a file", "Not a directory") { $0.secret + "/export.xml" },
            refusal("a name of 300 bytes", "name too long") { $0.path + "/" + String(repeating: "n", count: 300) },
            refusal("a path of 5,000 bytes", "name too long") { $0.path + String(repeating: "/n", count: 2_500) },
            refusal("a file of the store") { $0.store + "/kymograph.sqlite" },
            refusal("the store") { $0.store },
            refusal("a sparse file of 1 TB") { folder in
                let path = folder.path + "/sparse.xml"
                try Data().write(to: URL(fileURLWithPath: path))
                guard unsafe truncate(path, 1 << 40) == 0 else { throw CampaignError("no sparse file: error \(errno)") }
                return path
            },
        ]
        let names = [
            " ", "a b.xml", "-rf", "--store", "\u{1F496}.zip", "a\nb.xml", "\u{1B}[31m.xml", "%s%n.xml",
            "'\"`$(id).xml",
            "e\u{301}.xml", "*.xml", "\\.xml", "\u{202E}lmx.xml", "con.zip", "export.zip", ".xml", "...",
            String(repeating: "n", count: 250) + ".xml",
        ]
        for name in names {
            var one = HostileCase(
                group, "the name \(name.debugDescription)", file: name, bytes: bytes,
                HostileExpectation(outcome: .kept, good: sound.good, isExact: true, complete: true))
            one.needsProgram = true
            cases.append(one)
        }
        var linked = HostileCase(
            group, "a link to an export", HostileExpectation(outcome: .kept, good: sound.good, complete: true)
        ) { folder in
            _ = try folder.write(bytes, to: "real.xml")
            return try link(folder, "real.xml")
        }
        linked.needsProgram = true
        return cases + [linked]
    }
}
