// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import Cipher

// What an encrypted segment shows without its key: the header, and kind, length and checksum of each unit.
extension SegmentImage {
    /// Writes how to see the content, if it is encrypted and there is no key.
    func closedText(_ output: Output) throws(DumpFailure) {
        if isClosed { try output.line("the content is encrypted: \(keys?.advice ?? DumpKeys.hint)") }
    }

    /// Throws if the selection needs the content, which is encrypted.
    func requireOpen(_ selection: Selection) throws(DumpFailure) {
        guard isClosed, selection.series != nil else { return }
        throw DumpFailure(
            message: "\(path): --series needs the content, which is encrypted; \(keys?.advice ?? DumpKeys.hint)")
    }

    /// Writes the units without a block: on level 2 of an encrypted segment.
    func otherUnitsText(_ output: Output) throws(DumpFailure) {
        for unit in units where unit.kind != .block && output.isOpen {
            try output.line(
                "\(unit.kind.name) at \(unit.offset): \(Text.count(unit.length, "byte")), checksum ok, encrypted")
        }
    }

    /// The fields about encryption; none for a plain segment.
    var encryptionJSON: [(String, JSON)] {
        guard let encryption = assumed.encryption else { return [] }
        var fields: [(String, JSON)] = [
            ("generation", .int(Int(encryption.generation))), ("cipher", .string(Self.cipherName)),
            ("salt", .string(Text.hex(encryption.salt[...]))), ("opened", .bool(key != nil)),
        ]
        if isClosed {
            let list = units.map { unit in
                JSON.object([
                    ("kind", .string("\(unit.kind.name)")), ("offset", .unsigned(unit.offset)),
                    ("bytes", .int(unit.length)), ("stored", .string(Text.hex(unit.stored))),
                ])
            }
            fields.append(("units", .array(list)))
        }
        return [("encryption", .object(fields))]
    }

    /// The only cipher of version 2.
    static let cipherName = "AES-256-GCM"

    // MARK: level 3

    /// Returns the byte ranges of an encrypted block that was not decrypted.
    func closedNotes(_ block: BlockInfo) -> [Note] {
        let at = Int(block.offset)
        return [
            Note(range: at..<at + 1, name: "kind", meaning: "a block"),
            Note(range: at + 1..<at + 4, name: "encrypted", meaning: ""),
            Note(range: at + 4..<at + 8, name: "length", meaning: "\(block.length) bytes, tag and checksum included"),
            Note(range: at + 8..<tagStart(block), name: "encrypted", meaning: ""),
        ] + endNotes(block)
    }

    private func tagStart(_ block: BlockInfo) -> Int {
        Int(block.offset) + block.length - SegmentFormat.trailerBytes - Self.tagBytes
    }

    /// Returns the tag and the checksum of an encrypted block.
    func endNotes(_ block: BlockInfo) -> [Note] {
        let tag = tagStart(block)
        let checksum = tag + Self.tagBytes
        let state = block.state == .forged ? "does not belong to the bytes, their place and the key" : ""
        return [
            Note(range: tag..<checksum, name: "tag", meaning: state.isEmpty ? Self.cipherName : state),
            Note(
                range: checksum..<checksum + SegmentFormat.trailerBytes, name: "checksum",
                meaning: "CRC-32C \(Text.hex(block.stored ?? 0)) over identity and encrypted bytes"),
        ]
    }
}
