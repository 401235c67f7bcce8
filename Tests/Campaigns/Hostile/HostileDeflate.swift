// SPDX-License-Identifier: Apache-2.0

import TestSupport

extension HostileCase {
    /// Streams that zlib must refuse, or that never end.
    static func deflateCases(_ random: inout SeededGenerator) -> [HostileCase] {
        let sound = SoundArchive(&random)
        let group = "deflate"
        let route = sound.route
        let data = route.data
        var cases: [HostileCase] = []
        for (name, packed) in brokenStreams(data, route.packed, random.below(route.packed.count - 8)) {
            cases.append(
                zip(
                    group, "route: \(name)", ZipForge(sound.xml, route.with { $0.packed = packed }),
                    good: sound.records, reported: [("damagedFile", 1)]))
            let main = sound.xml.with { $0.packed = packed }
            cases.append(either(group, "XML: \(name)", ZipForge(main, route).build(), good: sound.all))
        }
        let empty = [UInt8](repeating: 0, count: 3) + [0xFF, 0xFF]
        for (name, packed) in [
            ("stored blocks of one byte", Deflate.stored(data, piece: 1)),
            ("stored blocks of 65,535 bytes", Deflate.stored(data)),
            (
                "100,000 empty blocks before it",
                [[UInt8]](repeating: empty, count: 100_000).flatMap { $0 } + Deflate.stored(data)
            ),
            ("a level of 9", Deflate.pack(data, level: 9)), ("a level of 0", Deflate.pack(data, level: 0)),
        ] {
            cases.append(zip(group, name, ZipForge(sound.xml, route.with { $0.packed = packed }), good: sound.all))
        }
        // 20 MB of empty blocks, in the XML.
        var endless = [UInt8](repeating: 0, count: 20_000_000)
        for at in stride(from: 0, to: endless.count, by: 5) { (endless[at + 3], endless[at + 4]) = (0xFF, 0xFF) }
        cases.append(
            refused(group, "XML of 4,000,000 empty blocks", ZipForge(sound.xml.with { $0.packed = endless }), "without")
        )
        return cases
    }

    /// Returns data that is not a valid deflate stream of the content.
    private static func brokenStreams(_ data: [UInt8], _ packed: [UInt8], _ place: Int) -> [(String, [UInt8])] {
        var longer = Deflate.stored(data)
        longer[3] ^= 1
        return [
            ("a block of type 3", [0x07] + packed),
            ("no bytes", []),
            ("cut to \(place) bytes", Array(packed[..<place])),
            ("without its last byte", Array(packed.dropLast())),
            ("two streams", packed + packed),
            ("a byte after its end", packed + [0]),
            ("zlib's header before it", [0x78, 0x9C] + packed),
            ("gzip's header before it", [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3] + packed),
            ("stored with a wrong complement", longer),
            (
                "stored with a length beyond the bytes",
                [1] + littleEndian(UInt16(60_000)) + littleEndian(~UInt16(60_000))
                    + data
            ),
            ("stored without an end", Deflate.stored(data, ends: false)),
            // A fixed block: length 3 (257 is 7 bits 0000001, from the highest), distance code 29 of 5 bits, 13 more.
            (
                "a distance before the beginning",
                Deflate.bits([
                    (1, 1), (1, 2), (0b1000000, 7), (0b10111, 5), (0x1FFF, 13), (0, 7),
                ])
            ),
            ("a distance of code 30", Deflate.bits([(1, 1), (1, 2), (0b1000000, 7), (0b01111, 5), (0, 7)])),
            ("a length of code 286", Deflate.bits([(1, 1), (1, 2), (0b01100011, 8), (0, 5), (0, 7)])),
            // A dynamic block: 257 + 31 lengths are too many.
            ("too many lengths", Deflate.bits([(1, 1), (2, 2), (31, 5), (31, 5), (15, 4), (0, 57)])),
            // 19 lengths of 1: more codes than one bit can distinguish.
            (
                "an oversubscribed set of codes",
                Deflate.bits(
                    [
                        (1, 1), (2, 2), (0, 5), (0, 5), (15, 4),
                    ] + [(value: Int, count: Int)](repeating: (1, 3), count: 19) + [(0, 64)])
            ),
            ("an incomplete set of codes", Deflate.bits([(1, 1), (2, 2), (0, 5), (0, 5), (0, 4), (7, 3), (0, 64)])),
            // The first code repeats a length that does not exist.
            (
                "a repetition without a predecessor",
                Deflate.bits([
                    (1, 1), (2, 2), (0, 5), (0, 5), (0, 4), (1, 3), (1, 3), (0, 3), (0, 3), (0, 64),
                ])
            ),
            ("zeros", [UInt8](repeating: 0, count: packed.count)),
            ("ones", [UInt8](repeating: 0xFF, count: packed.count)),
        ]
    }

    /// Archives that unpack to far more than their size.
    static func bombCases(_ random: inout SeededGenerator) -> [HostileCase] {
        let sound = SoundArchive(&random)
        let group = "zip bomb"
        let (xml, route) = (sound.xml, sound.route)
        var cases: [HostileCase] = []
        for mebibytes in [8, 40] {
            let size = mebibytes << 20 + random.below(9_999)
            let bomb = ForgedFile("bomb.gpx", [UInt8](repeating: 0x20, count: size))
            cases.append(
                zip(
                    group, "a route of \(size) bytes", ZipForge(xml, bomb), good: sound.records,
                    reported: [("oversizedFile", 1)]))
            let inside = sound.export.finished + [UInt8](repeating: 0x20, count: size)
            cases.append(
                refused(group, "XML of \(size) bytes", ZipForge(ForgedFile("export.xml", inside)), "would unpack"))
        }
        // Within the allowed ratio of 200 to 1.
        let noise = random.bytes(60_000).map { 0x21 + $0 % 90 }.filter { ![0x3C, 0x26, 0x22, 0x27, 0x3E].contains($0) }
        var filler: [UInt8] = []
        for piece in stride(from: 0, to: 40_000, by: 1_000) {
            filler += [UInt8](repeating: 0x0A, count: 200_000)
            filler += Array("<!--".utf8) + noise[piece..<piece + 1_000].filter { $0 != 0x2D } + Array("-->".utf8)
        }
        var spread = HostileExport()
        spread.records(4)
        spread.raw(filler)
        spread.records(4)
        cases.append(
            zip(
                group, "XML of \(spread.count) bytes, nearly all filler",
                ZipForge(ForgedFile(SoundArchive.folder + "export.xml", spread.finished), route),
                good: spread.good.merging([sound.document: 1]) { $1 }))
        let wide = [UInt8](repeating: 0x20, count: 60 << 20)
        let many = (0..<3).map { number in
            // Enough packed bytes for the ratio, and a stream that ends early.
            ForgedFile("lie\(number).json", wide).with { $0.packed += random.bytes(250_000) }
                .with { $0.data = Array($0.data.prefix(99)) }.with { $0.size = 60 << 20 }
        }
        cases.append(
            zip(
                group, "three documents with false sizes of 60 MiB", ZipForge([xml] + many), good: sound.records,
                reported: [("damagedFile", 1), ("damagedFile", 2), ("damagedFile", 3)]))
        let empty = ForgedFile("", [], stored: true)
        for count in [70_000, 100_001] {
            let files = [xml, route] + (2..<count).map { n in empty.with { $0.name = Array("n/\(n).x".utf8) } }
            cases.append(
                count > 100_000
                    ? refused(group, "\(count) files", ZipForge(files), "more than 100000 files")
                    : zip(group, "\(count) files", ZipForge(files), good: sound.all, exact: false))
        }
        let long = [UInt8](repeating: 0x61, count: 1_000)
        let names = [xml, route] + (0..<20_000).map { n in empty.with { $0.name = Array("\(n)".utf8) + long } }
        cases.append(zip(group, "20,000 names of 1,000 bytes", ZipForge(names), good: sound.all, exact: false))
        return cases
    }
}
