// SPDX-License-Identifier: Apache-2.0

import Bytes

@testable import AppleHealthExport
@testable import KymographHealth

/// Small archives: stored and deflated files, with a descriptor, a comment, a prefix, or zip64 records.
enum ZipSeeds {
    private static let xml = Array(
        "<HealthData><Record type=\"a\" startDate=\"2023-05-13 10:30:00 +0200\"/></HealthData>".utf8)
    private static let route = Array("<gpx><trk/></gpx>".utf8)

    static var all: [[UInt8]] {
        let names = ["apple_health_export/export.xml", "apple_health_export/workout-routes/route.gpx"]
        return [0, 1, 2, 4, 8, 16, 31].map { shape in archive(zip(names, [xml, route]).map { ($0, $1) }, shape) }
    }

    /// Returns an archive. Bit 0 of `shape` deflates, 1 places sizes after the data, 2 adds a zip64 end record, 3 a
    /// comment, 4 a prefix.
    private static func archive(_ files: [(name: String, data: [UInt8])], _ shape: Int) -> [UInt8] {
        var out = ByteWriter()
        if shape & 16 == 16 { out.put(bytes: Array("prefix".utf8)) }
        let base = out.count
        var directory = ByteWriter()
        for (name, data) in files {
            let offset = out.count - base
            let crc = CRC32.update(0, data, 0..<data.count)
            let packed = shape & 1 == 1 ? deflated(data) : data
            let numbers: [UInt32] = [crc, UInt32(packed.count), UInt32(data.count)]
            let later = shape & 2 == 2
            func common(_ writer: inout ByteWriter) {
                writer.put(UInt16(20))
                writer.put(UInt16(later ? 8 : 0))
                writer.put(UInt16(shape & 1 == 1 ? 8 : 0))
                writer.put(UInt32(0))
            }
            out.put(UInt32(0x0403_4B50))
            common(&out)
            for number in numbers { out.put(later ? UInt32(0) : number) }
            out.put(UInt16(name.utf8.count))
            out.put(UInt16(0))
            out.put(bytes: Array(name.utf8))
            out.put(bytes: packed)
            if later {
                out.put(UInt32(0x0807_4B50))
                for number in numbers { out.put(number) }
            }
            directory.put(UInt32(0x0201_4B50))
            directory.put(UInt16(20))
            common(&directory)
            for number in numbers { directory.put(number) }
            directory.put(UInt16(name.utf8.count))
            for _ in 0..<4 { directory.put(UInt16(0)) }
            directory.put(UInt32(0))
            directory.put(UInt32(offset))
            directory.put(bytes: Array(name.utf8))
        }
        end(&out, directory.bytes, files.count, base, shape)
        return out.bytes
    }

    private static func end(_ out: inout ByteWriter, _ directory: [UInt8], _ count: Int, _ base: Int, _ shape: Int) {
        let at = out.count - base
        out.put(bytes: directory)
        let isLong = shape & 4 == 4
        if isLong {
            let record = out.count
            out.put(UInt32(0x0606_4B50))
            out.put(UInt64(44))
            for _ in 0..<2 { out.put(UInt16(45)) }
            for _ in 0..<2 { out.put(UInt32(0)) }
            for number in [count, count, directory.count, at] { out.put(UInt64(number)) }
            out.put(UInt32(0x0706_4B50))
            out.put(UInt32(0))
            out.put(UInt64(record))
            out.put(UInt32(1))
        }
        out.put(UInt32(0x0605_4B50))
        out.put(UInt32(0))
        for _ in 0..<2 { out.put(isLong ? UInt16.max : UInt16(count)) }
        out.put(isLong ? UInt32.max : UInt32(directory.count))
        out.put(isLong ? UInt32.max : UInt32(at))
        let comment = shape & 8 == 8 ? Array("comment".utf8) : []
        out.put(UInt16(comment.count))
        out.put(bytes: comment)
    }

    /// Returns a raw deflate stream: that of a stored object without its head.
    private static func deflated(_ data: [UInt8]) -> [UInt8] {
        var reader = ByteReader(ObjectCompressor(level: 9, dictionary: false).encode(data))
        guard (try? reader.u8()) == StoredCoding.deflate, (try? reader.varint()) != nil,
            let stream = try? reader.bytes(reader.remaining)
        else { return data }
        return Array(stream)
    }
}
