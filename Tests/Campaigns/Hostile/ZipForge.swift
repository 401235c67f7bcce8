// SPDX-License-Identifier: Apache-2.0

import CZlib

/// One file of a forged archive. A nil field gets its true value.
struct ForgedFile: Sendable {
    var name: [UInt8]
    var data: [UInt8]
    var method: UInt16
    /// The bytes stored in the archive.
    var packed: [UInt8]
    var flags: UInt16 = 0
    var attributes: UInt32 = 0
    var madeBy: UInt8 = 0
    /// False fields of the directory.
    var crc: UInt32?
    var size: UInt64?
    var packedSize: UInt64?
    var offset: UInt64?
    /// False fields of the local header.
    var localName: [UInt8]?
    var localMethod: UInt16?
    var localFlags: UInt16?
    var localSignature: UInt32 = 0x0403_4B50
    /// The extra fields of both headers, and false lengths of them.
    var extra: [UInt8] = []
    var localExtra: [UInt8] = []
    var extraLength: UInt16?
    var commentLength: UInt16 = 0
    /// The bytes after the data: a descriptor, true or false.
    var behind: [UInt8] = []

    init(_ name: String, _ data: [UInt8], stored: Bool = false, level: Int32 = 6) {
        self.name = Array(name.utf8)
        self.data = data
        method = stored ? 0 : 8
        packed = stored ? data : Deflate.pack(data, level: level)
    }

    func with(_ change: (inout ForgedFile) -> Void) -> ForgedFile {
        var copy = self
        change(&copy)
        return copy
    }

    /// Returns the twelve or sixteen bytes of a descriptor.
    func descriptor(signed: Bool, crc: UInt32? = nil, packed: Int? = nil, size: Int? = nil) -> [UInt8] {
        (signed ? [0x50, 0x4B, 7, 8] : []) + littleEndian(crc ?? Deflate.crc(data))
            + littleEndian(UInt32(truncatingIfNeeded: packed ?? self.packed.count))
            + littleEndian(UInt32(truncatingIfNeeded: size ?? data.count))
    }
}

/// Builds zip archives with false fields.
struct ZipForge: Sendable {
    var files: [ForgedFile]
    /// Bytes before the first file, which offsets may include.
    var prefix: [UInt8] = []
    var countsPrefix = false
    var comment: [UInt8] = []
    var suffix: [UInt8] = []
    /// False fields of the end record.
    var disk: UInt16 = 0
    var directoryDisk: UInt16 = 0
    var count: UInt16?
    var totalCount: UInt16?
    var directorySize: UInt32?
    var directoryOffset: UInt32?
    var commentLength: UInt16?
    /// The records of zip64, with false fields.
    var long: Long?

    struct Long: Sendable {
        var count: UInt64?
        var size: UInt64?
        var offset: UInt64?
        var place: UInt64?
        var signature: UInt32 = 0x0606_4B50
    }

    init(_ files: ForgedFile...) { self.files = files }

    init(_ files: [ForgedFile]) { self.files = files }

    func with(_ change: (inout ZipForge) -> Void) -> ZipForge {
        var copy = self
        change(&copy)
        return copy
    }

    /// The ranges of the parts of a forged archive.
    struct Places: Sendable {
        /// The local header and the data of each file.
        var files: [Range<Int>] = []
        var data: [Range<Int>] = []
        var directory = 0..<0
        var end = 0..<0
    }

    func build() -> [UInt8] { buildWithPlaces().bytes }

    func buildWithPlaces() -> (bytes: [UInt8], places: Places) {
        var out = prefix
        var places = Places()
        var directory: [UInt8] = []
        let shift = countsPrefix ? 0 : prefix.count
        for file in files {
            let start = out.count
            out += local(file)
            places.data.append(out.count..<out.count + file.packed.count)
            out += file.packed + file.behind
            places.files.append(start..<out.count)
            directory += central(file, UInt64(start - shift))
        }
        let start = out.count
        out += directory
        places.directory = start..<out.count
        if let long { out += longRecords(long, start - shift, directory.count, out.count - shift) }
        let end = out.count
        let number = UInt16(truncatingIfNeeded: files.count)
        out += littleEndian(UInt32(0x0605_4B50)) + littleEndian(disk) + littleEndian(directoryDisk)
        out += littleEndian(long == nil ? count ?? number : .max)
        out += littleEndian(long == nil ? totalCount ?? count ?? number : .max)
        out += littleEndian(long == nil ? directorySize ?? UInt32(directory.count) : .max)
        out += littleEndian(long == nil ? directoryOffset ?? UInt32(truncatingIfNeeded: start - shift) : .max)
        out += littleEndian(commentLength ?? UInt16(truncatingIfNeeded: comment.count)) + comment
        places.end = end..<out.count
        return (out + suffix, places)
    }

    private func local(_ file: ForgedFile) -> [UInt8] {
        let isLate = !file.behind.isEmpty
        let name = file.localName ?? file.name
        let packed = UInt32(truncatingIfNeeded: file.packed.count)
        var bytes = littleEndian(file.localSignature) + littleEndian(UInt16(20))
        bytes += littleEndian((file.localFlags ?? file.flags) | (isLate ? 8 : 0))
        bytes += littleEndian(file.localMethod ?? file.method) + littleEndian(UInt32(0))
        bytes += littleEndian(isLate ? 0 : Deflate.crc(file.data)) + littleEndian(isLate ? 0 : packed)
        bytes += littleEndian(isLate ? 0 : UInt32(truncatingIfNeeded: file.data.count))
        bytes += littleEndian(UInt16(truncatingIfNeeded: name.count))
        return bytes + littleEndian(UInt16(truncatingIfNeeded: file.localExtra.count)) + name + file.localExtra
    }

    private func central(_ file: ForgedFile, _ offset: UInt64) -> [UInt8] {
        var bytes: [UInt8] = [0x50, 0x4B, 1, 2, 20, file.madeBy] + littleEndian(UInt16(20))
        bytes += littleEndian(file.flags | (file.behind.isEmpty ? 0 : 8)) + littleEndian(file.method)
        bytes += littleEndian(UInt32(0)) + littleEndian(file.crc ?? Deflate.crc(file.data))
        bytes += littleEndian(UInt32(clamping: file.packedSize ?? UInt64(file.packed.count)))
        bytes += littleEndian(UInt32(clamping: file.size ?? UInt64(file.data.count)))
        bytes += littleEndian(UInt16(truncatingIfNeeded: file.name.count))
        bytes += littleEndian(file.extraLength ?? UInt16(truncatingIfNeeded: file.extra.count))
        bytes += littleEndian(file.commentLength) + littleEndian(UInt32(0)) + littleEndian(file.attributes)
        return bytes + littleEndian(UInt32(clamping: file.offset ?? offset)) + file.name + file.extra
    }

    private func longRecords(_ long: Long, _ start: Int, _ length: Int, _ here: Int) -> [UInt8] {
        var bytes = littleEndian(long.signature) + littleEndian(UInt64(44)) + littleEndian(UInt32(0x002D_002D))
        bytes += littleEndian(UInt64(0)) + littleEndian(long.count ?? UInt64(files.count))
        bytes += littleEndian(long.count ?? UInt64(files.count)) + littleEndian(long.size ?? UInt64(length))
        bytes += littleEndian(long.offset ?? UInt64(start))
        bytes += littleEndian(UInt32(0x0706_4B50)) + littleEndian(UInt32(0))
        return bytes + littleEndian(long.place ?? UInt64(here)) + littleEndian(UInt32(1))
    }
}

/// Returns a number's bytes, lowest first.
func littleEndian<T: FixedWidthInteger>(_ value: T) -> [UInt8] {
    (0..<T.bitWidth / 8).map { UInt8(truncatingIfNeeded: value >> T($0 * 8)) }
}

/// Raw deflate streams, made with zlib and by hand.
enum Deflate {
    static func pack(_ data: [UInt8], level: Int32) -> [UInt8] {
        var stream = unsafe z_stream()
        guard unsafe cz_deflate_raw_init(&stream, level) == Z_OK else { return [] }
        var input = data
        var output = [UInt8](repeating: 0, count: data.count + data.count / 100 + 100)
        let room = output.count
        let made = unsafe input.withUnsafeMutableBufferPointer { from in
            unsafe output.withUnsafeMutableBufferPointer { to in
                unsafe stream.next_in = from.baseAddress
                unsafe stream.avail_in = UInt32(from.count)
                unsafe stream.next_out = to.baseAddress
                unsafe stream.avail_out = UInt32(to.count)
                _ = unsafe deflate(&stream, Z_FINISH)
                return unsafe room - Int(stream.avail_out)
            }
        }
        _ = unsafe deflateEnd(&stream)
        return Array(output[..<made])
    }

    static func crc(_ data: [UInt8]) -> UInt32 {
        unsafe data.withUnsafeBufferPointer { bytes in
            unsafe UInt32(truncatingIfNeeded: crc32(0, bytes.baseAddress, UInt32(bytes.count)))
        }
    }

    /// Returns stored blocks: each piece with its length and complement, the last one marked.
    static func stored(_ data: [UInt8], piece: Int = 65_535, ends: Bool = true) -> [UInt8] {
        var out: [UInt8] = []
        var at = 0
        repeat {
            let count = min(piece, data.count - at)
            let isLast = ends && at + count == data.count
            out += [isLast ? 1 : 0] + littleEndian(UInt16(count)) + littleEndian(~UInt16(count))
            out += data[at..<at + count]
            at += count
        } while at < data.count
        return out
    }

    /// Returns packed bits, lowest bit first, as in the format.
    static func bits(_ fields: [(value: Int, count: Int)]) -> [UInt8] {
        var out: [UInt8] = []
        var used = 0
        for field in fields {
            for bit in 0..<field.count {
                if used % 8 == 0 { out.append(0) }
                if field.value >> bit & 1 == 1 { out[out.count - 1] |= 1 << UInt8(used % 8) }
                used += 1
            }
        }
        return out
    }
}
