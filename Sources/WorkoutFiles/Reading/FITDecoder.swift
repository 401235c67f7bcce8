// SPDX-License-Identifier: Apache-2.0

/// Reads FIT files: headers, definitions and messages. `FITProfile` interprets the messages.
///
/// A file is one or several blocks, each with a header, messages and a checksum. Damage ends the reading, except for a
/// wrong checksum.
struct FITDecoder {
    private var window: ByteWindow
    private var definitions = [FITDefinition?](repeating: nil, count: 16)
    private var checksum = FITChecksum()
    /// The bytes of the present block that are not read.
    private var rest: UInt64 = 0
    private var profile = FITProfile()
    /// The first wrong checksum.
    private(set) var damage: WorkoutFileError?

    init(_ window: ByteWindow) { self.window = window }

    /// Returns whether the bytes start with a FIT header.
    static func isFIT(_ window: inout ByteWindow) throws(WorkoutFileError) -> Bool {
        guard try window.has(12) else { return false }
        return window[8] == 0x2E && window[9] == 0x46 && window[10] == 0x49 && window[11] == 0x54
    }

    /// Passes items to a function until it returns false.
    ///
    /// - Throws: the damage that ends the reading.
    mutating func decode(_ body: (WorkoutFileItem) -> Bool) throws(WorkoutFileError) {
        repeat {
            try readHeader()
            while rest > 0 {
                guard let message = try readMessage() else { continue }
                for item in profile.items(of: message) where !body(item) { return }
            }
            try readChecksum("the checksum is wrong: bytes of the file were changed")
            definitions = [FITDefinition?](repeating: nil, count: 16)
            profile = FITProfile()
        } while try window.has(1)
    }

    // MARK: - Bytes

    /// Returns the next byte of the block.
    private mutating func byte() throws(WorkoutFileError) -> UInt8 {
        try require(1, "the block ends inside a message")
        let byte = window[0]
        checksum.add(byte)
        window.skip(1)
        rest -= 1
        return byte
    }

    private mutating func short(_ isBigEndian: Bool) throws(WorkoutFileError) -> UInt16 {
        let (first, second) = (UInt16(try byte()), UInt16(try byte()))
        return isBigEndian ? first << 8 | second : second << 8 | first
    }

    private mutating func take(_ count: Int) throws(WorkoutFileError) -> [UInt8] {
        try require(count, "the block ends inside a message")
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        for place in 0..<count {
            checksum.add(window[place])
            bytes.append(window[place])
        }
        window.skip(count)
        rest -= UInt64(count)
        return bytes
    }

    /// Throws unless the block and the file have more bytes.
    private mutating func require(_ count: Int, _ what: String) throws(WorkoutFileError) {
        guard UInt64(count) <= rest else { throw WorkoutFileError(.malformed, at: window.offset, what) }
        guard try window.has(count) else {
            throw WorkoutFileError(
                .truncated, at: window.offset, "the file ends inside a message; \(rest) bytes are missing or unread")
        }
    }

    // MARK: - Parts of a block

    private mutating func readHeader() throws(WorkoutFileError) {
        let start = window.offset
        guard try window.has(1) else { throw WorkoutFileError(.truncated, at: start, "the header is missing") }
        let size = Int(window[0])
        guard size >= 12, try window.has(size), try Self.isFIT(&window) else {
            throw WorkoutFileError(.badHeader, at: start, "the bytes are not a FIT header; the rest was left out")
        }
        let length = (4..<8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64(window[$1]) }
        checksum = FITChecksum()
        for place in 0..<12 { checksum.add(window[place]) }
        if size >= 14 {
            let stored = UInt16(window[12]) | UInt16(window[13]) << 8
            if stored != 0, stored != checksum.value, damage == nil {
                damage = WorkoutFileError(.badChecksum, at: start + 12, "the checksum of the header is wrong")
            }
        }
        for place in 12..<size { checksum.add(window[place]) }
        window.skip(size)
        rest = length
    }

    private mutating func readChecksum(_ what: String) throws(WorkoutFileError) {
        guard try window.has(2) else {
            throw WorkoutFileError(.truncated, at: window.offset, "the file ends before its checksum")
        }
        let stored = UInt16(window[0]) | UInt16(window[1]) << 8
        if stored != checksum.value, damage == nil {
            damage = WorkoutFileError(.badChecksum, at: window.offset, what)
        }
        window.skip(2)
    }

    /// Reads a message; nil for a definition.
    private mutating func readMessage() throws(WorkoutFileError) -> FITMessage? {
        let start = window.offset
        let header = try byte()
        if header & 0x80 != 0 {
            profile.advance(timestampBits: header & 0x1F)
            return try readData(Int(header >> 5 & 3), start)
        }
        if header & 0x40 == 0 { return try readData(Int(header & 0xF), start) }
        _ = try byte()
        let order = try byte()
        guard order <= 1 else {
            throw WorkoutFileError(.malformed, at: start + 2, "the byte order is \(order), not 0 or 1")
        }
        var definition = FITDefinition(message: try short(order == 1), isBigEndian: order == 1)
        for _ in 0..<(try byte()) {
            let (number, size) = (try byte(), Int(try byte()))
            definition.add(number: number, size: size, type: try byte())
        }
        if header & 0x20 != 0 {
            for _ in 0..<(try byte()) {
                _ = try byte()
                definition.skip(Int(try byte()))
                _ = try byte()
            }
        }
        definitions[Int(header & 0xF)] = definition
        return nil
    }

    private mutating func readData(_ local: Int, _ start: UInt64) throws(WorkoutFileError) -> FITMessage? {
        guard let definition = definitions[local] else {
            throw WorkoutFileError(.malformed, at: start, "no definition precedes a message of the local type \(local)")
        }
        return FITMessage(definition: definition, bytes: try take(definition.size))
    }
}
