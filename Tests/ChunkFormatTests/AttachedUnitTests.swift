// SPDX-License-Identifier: Apache-2.0

import Bytes
import ChunkFormat
import Testing

@Suite("The units of attached files")
struct AttachedUnitTests {
    private let store = [UInt8](repeating: 1, count: 16)
    private let file = [UInt8](0..<16)
    private let plain = AttachedLayout(isEncrypted: false)

    private func unit(_ content: [UInt8], number: UInt64 = 3, isLast: Bool = true) throws -> [UInt8] {
        var writer = ByteWriter()
        writer.put(bytes: content)
        var codec = AttachedUnit(store: store, file: file)
        try codec.close(&writer, from: 0, number: number, isLast: isLast)
        return writer.bytes
    }

    @Test("a unit is verified at its place only")
    func places() throws {
        var bytes = try unit([1, 2, 3])
        #expect(bytes.count == 3 + AttachedUnit.trailerBytes)
        var codec = AttachedUnit(store: store, file: file)
        #expect(try codec.open(&bytes, 0..<bytes.count, number: 3, isLast: true) == 0..<3)
        #expect(throws: FormatError.self) { try codec.open(&bytes, 0..<bytes.count, number: 4, isLast: true) }
        #expect(throws: FormatError.self) { try codec.open(&bytes, 0..<bytes.count, number: 3, isLast: false) }
        var others = [AttachedUnit(store: file, file: file), AttachedUnit(store: store, file: store)]
        for place in others.indices {
            #expect(throws: FormatError.self) {
                try others[place].open(&bytes, 0..<bytes.count, number: 3, isLast: true)
            }
        }
        var wrong = AttachedUnit(store: [], file: file)
        #expect(throws: FormatError.self) { try wrong.open(&bytes, 0..<bytes.count, number: 3, isLast: true) }
    }

    @Test("each flipped bit, and each other length, is refused")
    func damage() throws {
        var bytes = try unit([UInt8](0..<40))
        var codec = AttachedUnit(store: store, file: file)
        for bit in 0..<bytes.count * 8 {
            var changed = bytes
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(throws: FormatError.self, "bit \(bit)") {
                try codec.open(&changed, 0..<changed.count, number: 3, isLast: true)
            }
        }
        for start in 1...40 {
            #expect(throws: FormatError.self) {
                try codec.open(&bytes, start..<bytes.count, number: 3, isLast: true)
            }
        }
    }

    @Test("lengths of files and of their contents belong together")
    func lengths() {
        for content in [0, 1, 65_535, 65_536, 65_537, 131_072, 1 << 30] as [Int64] {
            let bytes = plain.fileBytes(content: content)
            #expect(bytes == UInt64(content + 36 * max(1, (content + 65_535) / 65_536)))
            #expect(plain.content(fileBytes: bytes) == content)
        }
        for bytes in [0, 1, 35, 65_573, 65_572 + 36, 1 << 50, .max] as [UInt64] {
            #expect(plain.content(fileBytes: bytes) == nil, "\(bytes)")
        }
        #expect(AttachedLayout.count(content: .min) == 1 && plain.fileBytes(content: .min) == 36)
    }
}
