// SPDX-License-Identifier: Apache-2.0

import Bytes
import FileSystem

/// A file of an archive, as described by the central directory.
struct ZipEntry: ExportFile {
    static let signature: [UInt8] = [0x50, 0x4B, 0x01, 0x02]
    private static let localLength = 30

    /// The name with `/` as separator. It is a key, never a path.
    let name: String
    let nameBytes: [UInt8]
    let lastName: Substring
    let fileType: String
    let flags: UInt16
    let method: UInt16
    let crc: UInt32
    let packed: UInt64
    let size: UInt64
    /// The offset of the local header.
    let offset: UInt64
    var archiveOffset: UInt64? { offset }
    /// The start of the next file or of the directory.
    var limit: UInt64 = 0
    private let attributes: UInt32
    private let madeByUnix: Bool

    /// Parses the next record of the central directory.
    init(_ reader: inout ByteReader, shift: UInt64) throws(ByteError) {
        let start = reader.offset
        guard try reader.u32() == 0x0201_4B50 else { throw ByteError(offset: start, what: "no file record") }
        madeByUnix = try reader.u16() >> 8 == 3
        _ = try reader.u16()
        flags = try reader.u16()
        method = try reader.u16()
        try reader.skip(4)
        crc = try reader.u32()
        var packed = UInt64(try reader.u32())
        var size = UInt64(try reader.u32())
        let nameLength = Int(try reader.u16())
        let extraLength = Int(try reader.u16())
        let commentLength = Int(try reader.u16())
        try reader.skip(4)
        attributes = try reader.u32()
        var offset = UInt64(try reader.u32())
        nameBytes = Array(try reader.bytes(nameLength))
        let extraEnd = reader.offset + extraLength
        while extraEnd - reader.offset >= 4, reader.remaining >= 4 {
            let kind = try reader.u16()
            let next = reader.offset + 2 + Int(try reader.u16())
            guard next <= extraEnd else { throw ByteError(offset: reader.offset, what: "extra field too long") }
            if kind == 1 {
                // The field has only the numbers that do not fit in the record, in this order.
                if size == UInt32.max { size = try reader.u64() }
                if packed == UInt32.max { packed = try reader.u64() }
                if offset == UInt32.max { offset = try reader.u64() }
                guard reader.offset <= next else { throw ByteError(offset: next, what: "zip64 field too short") }
            }
            try reader.skip(next - reader.offset)
        }
        try reader.skip(max(0, extraEnd - reader.offset) + commentLength)
        let (moved, overflow) = offset.addingReportingOverflow(shift)
        guard !overflow else { throw ByteError(offset: start, what: "offset too large") }
        self.packed = packed
        self.size = size
        self.offset = moved
        name = String(decoding: nameBytes.map { $0 == 0x5C ? 0x2F : $0 }, as: UTF8.self)
        (lastName, fileType) = ExportFileName.parts(of: name)
    }

    /// The minimum number of bytes in the archive; saturated, so that invalid values never fit.
    var leastLength: UInt64 {
        let (sum, overflow) = packed.addingReportingOverflow(UInt64(Self.localLength + nameBytes.count))
        return overflow ? .max : sum
    }

    var isDirectory: Bool { name.hasSuffix("/") }

    /// The reason to skip the file; nil if there is none. The caller checks the size limits of `ExportLimits`.
    var objection: (reason: ExportIssue.Reason, what: String)? {
        let parts = name.utf8.split(separator: 0x2F, omittingEmptySubsequences: false)
        if name.isEmpty || parts[0].isEmpty || parts.contains(where: { $0.elementsEqual("..".utf8) })
            || nameBytes.count > 1_024 || nameBytes.contains(where: { $0 < 0x20 }) || parts[0].last == 0x3A
        {
            return (.unsafeName, "a file with an unsafe name")
        }
        if madeByUnix, attributes >> 28 == 0xA { return (.unsafeName, "a symbolic link") }
        if flags & 0x2041 != 0 { return (.encryptedFile, "an encrypted file") }
        if method != 0, method != 8 { return (.unsupportedMethod, "a file compressed with method \(method)") }
        if method == 0, packed != size { return (.damagedFile, "a stored file with two different lengths") }
        return nil
    }

    /// Returns the range of the file's data, after a check of the local header against the directory.
    func data(in archive: ZipArchive) throws(ExportError) -> Range<UInt64> {
        var header = ByteReader(try archive.read(offset, Self.localLength))
        do {
            guard try header.u32() == 0x0403_4B50 else { throw disagreement("missing") }
            try header.skip(2)
            guard try header.u16() & 0x2041 == flags & 0x2041 else { throw disagreement("flags") }
            guard try header.u16() == method else { throw disagreement("method") }
            try header.skip(16)
            let nameLength = Int(try header.u16())
            let start = offset + UInt64(Self.localLength + nameLength + Int(try header.u16()))
            guard try archive.read(offset + UInt64(Self.localLength), nameLength) == nameBytes else {
                throw disagreement("name")
            }
            guard start <= limit, packed <= limit - start else { throw disagreement("size") }
            return start..<start + packed
        } catch {
            throw error as? ExportError ?? .damagedArchive(what: "\(error)", offset: offset)
        }
    }

    private func disagreement(_ what: String) -> ExportError {
        .damagedArchive(what: "the local header of \(name) differs from the directory: \(what)", offset: offset)
    }
}

/// A source of the decompressed bytes of one file in an archive.
struct ZipEntrySource: ByteSource {
    private let file: any DiskFile
    private let entry: ZipEntry
    private var packed: Range<UInt64>
    private let inflater: Inflater?
    /// The number of compressed bytes that are read at once.
    private let inputLength: Int
    private var input: [UInt8] = []
    private var pending = 0..<0
    private var crc: UInt32 = 0
    /// The number of bytes returned so far.
    private(set) var produced: UInt64 = 0
    private var finished = false
    private(set) var damage: String?
    /// Whether `input` has all compressed bytes after the first read.
    private var isKept: Bool
    let total: UInt64

    private static let usualLength = 128 << 10

    /// - Parameters:
    ///   - total: the total for progress; nil for the length of the file.
    ///   - keeping: whether to read the compressed bytes at once and to keep them, if they are fewer than the bytes.
    init(
        _ entry: ZipEntry, in archive: ZipArchive, total: UInt64? = nil, keeping: Bool = false
    ) throws(ExportError) {
        file = archive.file
        self.entry = entry
        packed = try entry.data(in: archive)
        inflater = entry.method == 8 ? Inflater() : nil
        isKept = keeping && entry.method == 8 && entry.packed < entry.size
        inputLength = isKept ? Int(entry.packed) : Self.usualLength
        self.total = total ?? entry.size
        if entry.method == 8, inflater == nil { damage = "not enough memory to unpack \(entry.name)" }
    }

    var deflated: [UInt8]? { isKept && finished && damage == nil && produced == entry.size ? input : nil }

    mutating func read(into buffer: inout [UInt8], offset: Int, count: Int) throws(ExportError) -> Int {
        guard damage == nil, !finished else { return 0 }
        let wanted = Int(min(UInt64(count), entry.size - produced))
        var room = offset..<offset + wanted
        if let inflater {
            try unpack(inflater, into: &buffer, &room)
        } else {
            try copy(into: &buffer, &room)
        }
        let got = wanted - room.count
        crc = CRC32.update(crc, buffer, offset..<offset + got)
        produced += UInt64(got)
        if damage == nil, produced == entry.size { try finish() }
        return got
    }

    private mutating func copy(into buffer: inout [UInt8], _ room: inout Range<Int>) throws(ExportError) {
        let got = try file.bytes(at: packed.lowerBound, count: room.count, into: &buffer, offset: room.lowerBound)
        if got < room.count { damage = "the archive became shorter" }
        packed = packed.lowerBound + UInt64(got)..<packed.upperBound
        room = room.lowerBound + got..<room.upperBound
    }

    private mutating func unpack(
        _ inflater: Inflater, into buffer: inout [UInt8], _ room: inout Range<Int>
    ) throws(ExportError) {
        while !room.isEmpty {
            try refill()
            let before = (pending.count, room.count)
            switch inflater.unpack(input, &pending, into: &buffer, &room) {
            case .running:
                if before == (pending.count, room.count) {
                    damage = "\(entry.name) ends before its declared length"
                    return
                }
            case .ended:
                if !room.isEmpty { damage = "\(entry.name) is shorter than its declared length" }
                finished = true
                return
            case .damaged(let what):
                damage = "\(entry.name) is damaged: \(what)"
                return
            }
        }
    }

    private mutating func refill() throws(ExportError) {
        guard pending.isEmpty, !packed.isEmpty else { return }
        if input.isEmpty { input = Array(repeating: 0, count: inputLength) }
        let wanted = Int(min(UInt64(inputLength), packed.upperBound - packed.lowerBound))
        let got = try file.bytes(at: packed.lowerBound, count: wanted, into: &input, offset: 0)
        isKept = isKept && got == input.count
        packed = packed.lowerBound + UInt64(got)..<packed.upperBound
        pending = 0..<got
    }

    /// Checks the end of the stream and the checksum, after all bytes were read.
    private mutating func finish() throws(ExportError) {
        if let inflater, !finished {
            var spare: [UInt8] = [0]
            var room = 0..<1
            var status = Inflater.Status.running
            while status == .running, room.count == 1 {
                try refill()
                let before = pending.count
                status = inflater.unpack(input, &pending, into: &spare, &room)
                if status == .running, pending.count == before, room.count == 1 { break }
            }
            if status != .ended || room.count == 0 { damage = "\(entry.name) is longer than declared" }
        }
        finished = true
        if damage == nil, !pending.isEmpty || (inflater != nil && !packed.isEmpty) {
            damage = "\(entry.name) ends before its compressed length"
        }
        if damage == nil, crc != entry.crc { damage = "\(entry.name) does not match its checksum" }
    }
}
