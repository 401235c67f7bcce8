// SPDX-License-Identifier: Apache-2.0

import TestSupport

extension HostileCase {
    /// Names that point elsewhere, and files that share names or bytes.
    static func zipNameCases(_ random: inout SeededGenerator) -> [HostileCase] {
        let sound = SoundArchive(&random)
        let (xml, route) = (sound.xml, sound.route)
        let group = "zip name"
        let unsafe = [
            "../x.gpx", "../../../../../../../../var/escaped.gpx", "a/../../x.gpx", "a/b/..", "..", "/etc/cron.d/x.gpx",
            "//x.gpx", "\\x.gpx", "..\\..\\x.gpx", "a\\..\\x.gpx", "C:\\x.gpx", "C:/x.gpx", "c:x/y.gpx/..", "a\0.gpx",
            "\0", "a\n.gpx", "a\u{1B}[2J.gpx", "a\u{7}.gpx", "/proc/self/mem.gpx", "/dev/full.csv", "../store/LOCK.csv",
            "../store/kymograph.sqlite.json", "./../x.csv",
        ]
        var cases = unsafe.map { name in
            zip(
                group, "\(name.debugDescription)", ZipForge(xml, route.with { $0.name = Array(name.utf8) }),
                good: sound.records, reported: [("unsafeName", 1)])
        }
        for (name, bytes) in [
            ("empty", []), ("of 1,025 bytes", [UInt8](repeating: 0x61, count: 1_021) + Array(".gpx".utf8)),
            ("of 65,535 bytes", [UInt8](repeating: 0x61, count: 65_531) + Array(".gpx".utf8)),
        ] as [(String, [UInt8])] {
            cases.append(
                zip(
                    group, name, ZipForge(xml, route.with { $0.name = bytes }), good: sound.records,
                    reported: [("unsafeName", 1)]))
        }
        for (name, mode) in [("symbolic link", 0xA1FF), ("symbolic link without rights", 0xA000)] as [(String, UInt32)]
        {
            let link = ForgedFile("apple_health_export/link.gpx", Array("/etc/passwd".utf8), stored: true).with {
                $0.madeBy = 3
                $0.attributes = mode << 16
            }
            cases.append(
                zip(group, name, ZipForge(xml, link), good: sound.records, reported: [("unsafeName", 1)]))
            let main = xml.with {
                $0.madeBy = 3
                $0.attributes = mode << 16
            }
            cases.append(refused(group, "XML: \(name)", ZipForge(main, route), "symbolic link"))
        }
        return cases + oddNameCases(sound) + sharedCases(sound)
    }

    /// Unusual but valid names.
    private static func oddNameCases(_ sound: SoundArchive) -> [HostileCase] {
        let group = "zip name"
        let (xml, route) = (sound.xml, sound.route)
        let folder = SoundArchive.folder
        let names = [
            "Exportar.xml", "Exporter.xml", "Exportieren.xml", "导出.xml", "書き出したデータ.xml", "експорт.xml",
            "تصدير.xml", "내보내기.xml", "EXPORT.XML", "export", "e\u{301}xport.xml", "\u{202E}lmx.tropxe.xml", "a b.xml",
            "\u{1F496}.xml", "export.xml.txt", ".xml", "~.xml", "export.xml ", "-rf.xml", "$(id).xml", "%2e%2e.xml",
        ]
        var cases = names.map { name in
            zip(
                group, "XML \(name.debugDescription)",
                ZipForge(xml.with { $0.name = Array((folder + name).utf8) }, route), good: sound.all)
        }
        cases.append(
            zip(
                group, "a name that is not UTF-8",
                ZipForge(xml.with { $0.name = Array(folder.utf8) + [0x82, 0xE9, 0xFF] + Array(".xml".utf8) }, route),
                good: sound.all))
        cases.append(
            refused(
                group, "export.xml is a folder", ZipForge(xml.with { $0.name = Array("export.xml/".utf8) }),
                "without"))
        cases.append(
            zip(
                group, "a folder export.xml beside it",
                ZipForge(ForgedFile("export.xml/", [], stored: true), xml, route), good: sound.all))
        cases.append(
            refused(
                group, "only files left by macOS",
                ZipForge(xml.with { $0.name = Array("__MACOSX/export.xml".utf8) }), "without"))
        return cases
    }

    /// Two files of one name, two exports, and files that share bytes.
    private static func sharedCases(_ sound: SoundArchive) -> [HostileCase] {
        let group = "zip name"
        let (xml, route) = (sound.xml, sound.route)
        var small = HostileExport(first: 900)
        small.records(1)
        let other = ForgedFile("b/export.xml", small.finished)
        var cases: [HostileCase] = [
            zip(
                group, "two routes with one name", ZipForge(xml, route, route), good: sound.all,
                reported: [("damagedFile", 2)]),
            zip(
                group, "two names that differ only in slashes",
                ZipForge(xml, route, route.with { $0.name = $0.name.map { $0 == 0x2F ? 0x5C : $0 } }), good: sound.all,
                reported: [("damagedFile", 2)]),
            zip(group, "two exports", ZipForge(xml, other, route), good: sound.all, reported: [("secondExport", 1)]),
            zip(
                group, "two exports, the smaller one first", ZipForge(other, route, xml), good: sound.all,
                reported: [("secondExport", 0)]),
            zip(
                group, "an export with a stated size that is too large",
                ZipForge(xml, other.with { $0.size = 99_000 }, route), good: [:], complete: nil, exact: false
            )
            .orElse(good: small.good.merging(sound.all) { $0 + $1 }),
        ]
        // Bombs with many names for one run of bytes, in several ways.
        for copies in [2, 300, 20_000] {
            let many = (0..<copies).map { number in
                route.with {
                    $0.name = Array("r\(number).gpx".utf8)
                    if number > 0 { ($0.packed, $0.offset) = ([], 0) }
                    $0.packedSize = UInt64(route.packed.count)
                }
            }
            cases.append(refused(group, "\(copies) names for the same bytes", ZipForge(many), "share bytes"))
        }
        let quoting = route.with { $0.packed = ZipForge(route).build() }
        cases.append(
            refused(
                group, "a file that quotes the header of the next",
                ZipForge(xml, quoting, route.with { $0.offset = UInt64(30 + xml.name.count + xml.packed.count + 60) })))
        cases.append(
            refused(
                group, "a file inside the directory",
                ZipForge(
                    xml,
                    route.with {
                        $0.offset = UInt64(sound.forge.buildWithPlaces().places.directory.lowerBound)
                    })))
        cases.append(
            refused(group, "a file after the end", ZipForge(xml, route.with { $0.offset = 0x7FFF_FFFF }), "not fit"))
        return cases
    }

    /// Returns the same bytes, with any truly reported outcome.
    private func orElse(good: [String: Int]) -> HostileCase {
        var copy = self
        copy.expected = HostileExpectation(outcome: .damaged, good: good)
        return copy
    }

    /// Truncated archives, and archives with changed bytes.
    static func zipCutCases(_ random: inout SeededGenerator) -> [HostileCase] {
        let sound = SoundArchive(&random)
        let (bytes, places) = sound.forge.buildWithPlaces()
        let group = "zip cut"
        var cuts = [0, 1, 3, 4, 21, 22, 29, 30, bytes.count - 1, bytes.count - 21, bytes.count - 22]
        cuts += [places.data[0].lowerBound, places.data[0].upperBound, places.directory.lowerBound]
        cuts += [places.directory.upperBound - 1]
        for _ in 0..<10 { cuts.append(random.below(bytes.count)) }
        var cases = Set(cuts).sorted().map { cut in
            refused(group, "to \(cut) of \(bytes.count) bytes", file: "export.zip", Array(bytes[..<cut]))
        }
        for cut in [1, 2, 4, 21, 30, random.below(bytes.count)] {
            cases.append(either(group, "the first \(cut) bytes", Array(bytes[cut...]), good: sound.all))
        }
        let parts: [(String, Range<Int>)] = [
            ("local header", places.files[0].lowerBound..<places.data[0].lowerBound), ("XML", places.data[0]),
            ("route", places.data[1]), ("directory", places.directory), ("end record", places.end),
        ]
        for (name, range) in parts {
            for _ in 0..<5 {
                let place = range.lowerBound + random.below(range.count)
                var changed = bytes
                changed[place] ^= UInt8(1 << random.below(8))
                cases.append(damaged(group, "a bit of the \(name) at byte \(place)", changed, good: sound.all))
            }
            var swept = bytes
            for at in range.prefix(64) { swept[at] = 0 }
            cases.append(damaged(group, "zeros in the \(name)", swept, good: sound.all))
        }
        return cases
    }
}
