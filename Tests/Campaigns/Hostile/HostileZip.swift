// SPDX-License-Identifier: Apache-2.0

import TestSupport

/// A valid export archive to start from: the XML and a route, and the lines of content of both.
struct SoundArchive: Sendable {
    let export: HostileExport
    var xml: ForgedFile
    var route: ForgedFile
    static let folder = "apple_health_export/"
    static let routePath = "/workout-routes/route_2023-11-14_10.13pm.gpx"

    init(_ random: inout SeededGenerator, stored: Bool = false) {
        var export = HostileExport(first: random.below(16))
        export.records(6 + random.below(30))
        self.export = export
        xml = ForgedFile(Self.folder + "export.xml", export.finished, stored: stored)
        let points = (0..<(4 + random.below(40))).map { "<trkpt lat=\"47.\($0)\" lon=\"8.\(random.below(9_999))\"/>" }
        let gpx = "<?xml version=\"1.0\"?><gpx>" + points.joined() + "</gpx>"
        route = ForgedFile(Self.folder + Self.routePath.dropFirst(), Array(gpx.utf8), stored: stored)
    }

    var forge: ZipForge { ZipForge(xml, route) }
    /// The good content without the route.
    var records: [String: Int] { export.good }
    /// The good content with the route.
    var all: [String: Int] { records.merging([document: 1]) { $1 } }
    var document: String { HostileContent.document(Self.routePath, route.data) }
}

extension HostileCase {
    /// Returns a case that stores some content. `reported` has the reason of each issue and the number of its file.
    static func zip(
        _ group: String, _ name: String, _ forge: ZipForge, good: [String: Int], reported: [(String, Int)] = [],
        complete: Bool? = true, exact: Bool = true
    ) -> HostileCase {
        let (bytes, places) = forge.buildWithPlaces()
        let planted = reported.map { reason, file in
            Planted(reason: reason, place: places.files[file], isInArchive: true)
        }
        let expected = HostileExpectation(
            outcome: .kept, good: good, planted: planted, isExact: exact, complete: complete)
        return HostileCase(group, name, file: "export.zip", bytes: bytes, expected)
    }

    /// Returns a case of bytes whose readable content may be stored.
    static func either(
        _ group: String, _ name: String, file: String = "export.zip", _ bytes: [UInt8], good: [String: Int]
    ) -> HostileCase {
        HostileCase(group, name, file: file, bytes: bytes, HostileExpectation(outcome: .either, good: good))
    }

    /// Returns a case of bytes whose change a checksum detects: the content read is stored and reported as damaged.
    static func damaged(_ group: String, _ name: String, _ bytes: [UInt8], good: [String: Int]) -> HostileCase {
        HostileCase(
            group, name, file: "export.zip", bytes: bytes, HostileExpectation(outcome: .damaged, good: good))
    }

    static func refused(_ group: String, _ name: String, _ forge: ZipForge, _ texts: String...) -> HostileCase {
        HostileCase(
            group, name, file: "export.zip", bytes: forge.build(), HostileExpectation(outcome: .refused(texts)))
    }

    /// Directories and end records with false fields.
    static func zipDirectoryCases(_ random: inout SeededGenerator) -> [HostileCase] {
        let sound = SoundArchive(&random)
        let forge = sound.forge
        let group = "zip directory"
        let end = [UInt8](forge.build().suffix(22))
        var cases: [HostileCase] = [
            zip(group, "sound, to begin with", forge, good: sound.all),
            refused(group, "no files", ZipForge([]), "without an XML"),
            refused(group, "one part of several", forge.with { $0.disk = 3 }, "one part of several"),
            refused(group, "directory on another disk", forge.with { $0.directoryDisk = 1 }, "one part of several"),
            refused(group, "directory too long", forge.with { $0.directorySize = 1 << 24 }, "does not fit"),
            refused(group, "directory after the end", forge.with { $0.directoryOffset = 1 << 30 }, "does not fit"),
            refused(group, "directory at -1", forge.with { $0.directoryOffset = .max }, "does not fit"),
            refused(group, "directory of no length", forge.with { $0.directorySize = 0 }),
            zip(group, "bytes after the archive", forge.with { $0.suffix = [0, 1, 2, 3] }, good: sound.all),
            zip(
                group, "bytes before it, not counted",
                forge.with { $0.prefix = [0x50, 0x4B, 3, 4] + Array("sh\n".utf8) }, good: sound.all),
            zip(
                group, "bytes before it, counted",
                forge.with {
                    $0.prefix = [0x50, 0x4B, 3, 4] + Array("sh\n".utf8)
                    $0.countsPrefix = true
                }, good: sound.all),
            either(
                group, "a script before it",
                forge.with { $0.prefix = Array("#!/bin/sh\nrm -rf /\n".utf8) }.build(), good: sound.all),
            zip(
                group, "a comment of 65,535 bytes",
                forge.with { $0.comment = [UInt8](repeating: 0x50, count: 65_535) }, good: sound.all),
            zip(
                group, "a comment with a truncated end record",
                forge.with { $0.comment = [0x50, 0x4B, 5, 6] + [UInt8](repeating: 0xFF, count: 10) }, good: sound.all),
            either(
                group, "a comment of 65,535 bytes with an end record that fits",
                forge.with { $0.comment = [UInt8](repeating: 0x20, count: 65_513) + end }.build(), good: sound.all),
            either(
                group, "a comment with an end record of no files",
                forge.with {
                    $0.comment = [0x50, 0x4B, 5, 6] + [UInt8](repeating: 0, count: 18)
                }.build(), good: sound.all),
            zip(
                group, "a comment with a smaller stated length", forge.with { $0.commentLength = 0 }, good: sound.all),
            refused(group, "a comment with a larger stated length", forge.with { $0.commentLength = 999 }, "cut off"),
        ]
        for count in [0, 1, 3, 255, 65_534] as [UInt16] {
            cases.append(
                refused(group, "\(count) files stated at the end", forge.with { $0.count = count }, "holds 2 files"))
        }
        for change in [-46, -1, 1, 4] {
            let length = forge.buildWithPlaces().places.directory.count + change
            cases.append(
                refused(
                    group, "directory of \(change) more bytes", forge.with { $0.directorySize = UInt32(length) }))
        }
        return cases + longDirectoryCases(sound)
    }

    /// The records of zip64.
    private static func longDirectoryCases(_ sound: SoundArchive) -> [HostileCase] {
        let group = "zip directory"
        func long(_ change: (inout ZipForge.Long) -> Void) -> ZipForge {
            var long = ZipForge.Long()
            change(&long)
            return sound.forge.with { $0.long = long }
        }
        var cases: [HostileCase] = [
            zip(group, "zip64, sound", long { _ in }, good: sound.all),
            refused(group, "zip64 record with another signature", long { $0.signature = 0 }, "zip64 record"),
            refused(group, "zip64 directory longer than the file", long { $0.size = 1 << 40 }, "does not fit"),
            refused(group, "zip64 directory of 2^64 - 1 bytes", long { $0.size = .max }, "does not fit"),
            refused(group, "zip64 directory at 2^64 - 1", long { $0.offset = .max }, "does not fit"),
            refused(group, "zip64 directory at 2^63", long { $0.offset = 1 << 63 }, "does not fit"),
            refused(group, "zip64 with 2^64 - 1 files", long { $0.count = .max }, "holds 2 files"),
        ]
        for place in [0, 7, 1 << 31, 1 << 63, .max - 55, .max] as [UInt64] {
            cases.append(refused(group, "zip64 record at \(place)", long { $0.place = place }))
        }
        // Zip64 fields that the directory refers to and that are false or missing.
        let values: [(String, [UInt8])] = [
            ("no field", []),
            ("a field of no bytes", [1, 0, 0, 0]),
            ("a field of 4 bytes", [1, 0, 4, 0, 1, 2, 3, 4]),
            ("a field longer than its space", [1, 0, 0xFF, 0xFF, 1]),
            ("2^64 - 1 in all", [1, 0, 24, 0] + [UInt8](repeating: 0xFF, count: 24)),
            (
                "2^63 in all",
                [1, 0, 24, 0] + littleEndian(UInt64(1) << 63) + littleEndian(UInt64(1) << 63) + [
                    0, 0, 0, 0, 0, 0, 0, 0x80,
                ]
            ),
        ]
        for (name, extra) in values {
            let route = sound.route.with {
                ($0.size, $0.packedSize, $0.offset) = (.max, .max, .max)
                $0.extra = extra
            }
            cases.append(refused(group, "zip64 entry: \(name)", ZipForge(sound.xml, route)))
        }
        return cases
    }

    /// Entries with false fields, and archives inside archives.
    static func zipContentCases(_ random: inout SeededGenerator) -> [HostileCase] {
        let sound = SoundArchive(&random)
        let (xml, route) = (sound.xml, sound.route)
        let group = "zip entry"
        var cases: [HostileCase] = []
        func lie(_ name: String, _ reason: String, _ change: (inout ForgedFile) -> Void) {
            cases.append(
                zip(
                    group, "route: \(name)", ZipForge(xml, route.with(change)), good: sound.records,
                    reported: [(reason, 1)]))
        }
        lie("wrong checksum", "damagedFile") { $0.crc = 0xDEAD_BEEF }
        lie("encrypted", "encryptedFile") { $0.flags = 1 }
        lie("strongly encrypted", "encryptedFile") { $0.flags = 0x41 }
        lie("masked headers", "encryptedFile") { $0.flags = 0x2000 }
        lie("encrypted in the local header only", "damagedFile") { $0.localFlags = 1 }
        for method in [1, 6, 9, 12, 14, 93, 95, 98, 99, 0xFFFF] as [UInt16] {
            lie("method \(method)", "unsupportedMethod") { $0.method = method }
        }
        lie("another method in the local header", "damagedFile") { $0.localMethod = 0 }
        lie("another name in the local header", "damagedFile") { $0.localName = $0.name.map { $0 == 0x72 ? 0x2E : $0 } }
        lie("no local header", "damagedFile") { $0.localSignature = 0x0403_4B51 }
        lie("longer than stated", "damagedFile") { $0.size = 9 }
        lie("shorter than stated", "damagedFile") { $0.size = UInt64($0.data.count) + 1 }
        lie("stated as 0 bytes", "damagedFile") { $0.size = 0 }
        lie("stated packed size one too small", "damagedFile") { $0.packedSize = UInt64($0.packed.count) - 1 }
        lie("stated packed size 0", "damagedFile") { $0.packedSize = 0 }
        lie("stored with two lengths", "damagedFile") {
            $0.method = 0
            $0.packed = $0.data
            $0.size = 3
        }
        lie("stated as 4 GB", "oversizedFile") { $0.size = 0xFFFF_FFFE }
        for (name, crc) in [("wrong", 1), ("zero", 0)] as [(String, UInt32)] {
            cases.append(
                zip(
                    group, "XML: \(name) checksum", ZipForge(xml.with { $0.crc = crc }, route), good: sound.all,
                    complete: false, exact: false))
        }
        cases.append(refused(group, "XML encrypted", ZipForge(xml.with { $0.flags = 1 }, route), "encrypted"))
        cases.append(refused(group, "XML by method 93", ZipForge(xml.with { $0.method = 93 }), "method 93"))
        let inner = sound.forge.build()
        cases.append(refused(group, "an archive in an archive", ZipForge(ForgedFile("export.zip", inner)), "without"))
        cases.append(
            refused(group, "an archive named export.xml", ZipForge(ForgedFile("a/export.xml", inner)), "without"))
        cases.append(
            refused(
                group, "an archive stored in an archive",
                ZipForge(ForgedFile("a/export.xml", [UInt8](repeating: 0x41, count: 99_000) + inner, stored: true))))
        cases.append(
            zip(
                group, "an archive beside it", ZipForge(xml, ForgedFile("b.zip", inner)), good: sound.records,
                reported: [("ignoredFile", 1)]))
        return cases + descriptorCases(sound)
    }

    /// Sizes after the data: true, false or missing.
    private static func descriptorCases(_ sound: SoundArchive) -> [HostileCase] {
        let group = "zip entry"
        let (xml, route) = (sound.xml, sound.route)
        let variants: [(String, [UInt8])] = [
            ("signed", route.descriptor(signed: true)), ("unsigned", route.descriptor(signed: false)),
            ("with another checksum", route.descriptor(signed: true, crc: 7)),
            ("with other sizes", route.descriptor(signed: true, packed: 1, size: 1 << 30)),
            ("with random bytes", [1, 2, 3]),
            ("that is a local header", littleEndian(UInt32(0x0403_4B50)) + [UInt8](repeating: 0, count: 26)),
        ]
        // Only the directory counts.
        var cases = variants.map { name, bytes in
            zip(
                group, "a descriptor \(name)",
                ZipForge(xml.with { $0.behind = xml.descriptor(signed: true) }, route.with { $0.behind = bytes }),
                good: sound.all)
        }
        cases.append(
            zip(
                group, "a missing descriptor", ZipForge(xml, route.with { $0.flags = 8 }), good: sound.all))
        return cases
    }
}
