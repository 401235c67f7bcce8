// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import Cipher
import Kernels
import TimeIndex

// The units of a segment, decrypted in memory, and what they contain.
extension SegmentImage {
    /// The bytes that encryption adds to a unit.
    static let tagBytes = MessageCipher.tagBytes

    /// Whether the segment is encrypted and has no key.
    var isClosed: Bool { assumed.encryption != nil && key == nil }

    private func identity(_ series: UInt64, _ position: UInt64) -> BlockIdentity {
        BlockIdentity(store: assumed.store, segment: assumed.segment, series: series, position: position)
    }

    /// - Requires: no unit was decrypted yet.
    mutating func readFooter() {
        guard let header else { return }
        if isClosed {
            if units.last?.kind != .footer || units.last?.range.upperBound != size {
                problems.append("the file does not end with an intact footer")
            }
            return
        }
        do throws(FormatError) {
            let tail = Array(bytes[max(0, size - header.footerLength)..<size])
            let footer = try SegmentFooter.decode(tail, fileLength: UInt64(size), header: header, key: key)
            self.footer = footer
            let at = Int(footer.directoryOffset)
            let directory = Array(bytes[at..<at + Int(footer.directoryLength)])
            runs = try RunDirectory.decode(directory, header: header, footer: footer, key: key)
        } catch {
            problems.append("\(error)")
        }
    }

    /// Decrypts the intact units of an encrypted segment in place. Units that do not open keep their bytes.
    mutating func openUnits() throws(DumpFailure) {
        guard let key else { return }
        var opener = UnitOpener()
        var found: [String] = []
        for unit in units {
            var copy = Array(bytes[unit.range])
            do throws(FormatError) {
                _ = try opener.open(
                    &copy, at: 0, length: unit.length, of: identity(0, unit.offset), key: key, unit.kind.name)
                bytes.replaceSubrange(unit.range, with: copy)
                opened.insert(unit.offset)
            } catch {
                guard error.kind == .forged else { throw DumpFailure(message: "\(path): \(error)") }
                forged.insert(unit.offset)
                found.append("\(error)")
            }
        }
        if opened.isEmpty, found.count > 1 {
            problems.append(
                "forged: none of the \(found.count) units was encrypted for this header with the store's key")
        } else {
            problems += found.filter { !problems.contains($0) }
        }
    }

    /// Returns the result of verifying a unit that the scan found.
    func state(of unit: FoundUnit) -> UnitState {
        if !unit.isIntact { return .damaged }
        if assumed.encryption == nil { return .intact }
        if key == nil { return .closed }
        return forged.contains(unit.offset) ? .forged : .intact
    }

    /// Returns the series of a unit; 0 if it is not readable.
    func series(of unit: FoundUnit) -> UInt64 {
        guard opened.contains(unit.offset), unit.kind == .block else { return unit.series }
        return (try? BlockHeader.decode(bytes, at: unit.range.lowerBound, end: size))?.series ?? 0
    }

    /// Decodes all columns of a block; returns the error, or nil on success.
    func decode(_ block: BlockInfo, _ decoder: inout BlockDecoder, _ buffer: BlockBuffer) -> FormatError? {
        var length = block.length
        if assumed.encryption != nil {
            guard opened.contains(block.offset) else {
                switch block.state {
                case .closed:
                    return FormatError(.needsKey, at: block.offset, "the block is encrypted")
                case .forged: return FormatError(.forged, at: block.offset, "the block cannot be decrypted")
                default: return FormatError(.checksum, at: block.offset, "the block is damaged")
                }
            }
            length -= Self.tagBytes
        }
        decoder.isVerifying = key == nil
        do throws(FormatError) {
            try decoder.decode(
                bytes, at: Int(block.offset), length: length,
                identity: identity(block.series, tailPosition ?? block.offset), columns: .all, into: buffer)
            return nil
        } catch { return error }
    }

    func pages(of series: UInt64) -> ImagePages {
        ImagePages(
            bytes: bytes, size: size,
            identity: IndexIdentity(store: assumed.store, segment: assumed.segment, series: series),
            opened: key == nil ? nil : opened, forged: forged)
    }

    static func summary(_ buffer: BlockBuffer) -> Summary {
        let born = buffer.born.bounds(count: buffer.count) ?? (0, 0)
        return Kernel.summarize(
            starts: buffer.starts, ends: buffer.hasEnds ? buffer.ends : nil, values: buffer.values,
            range: 0..<buffer.count, minBorn: born.least, maxBorn: born.greatest)
    }
}

/// Index pages decoded from the bytes of the file.
struct ImagePages {
    let bytes: [UInt8]
    let size: Int
    let identity: IndexIdentity
    /// The offsets of decrypted units; nil for a plain segment.
    let opened: Set<UInt64>?
    /// The offsets of units that do not open.
    let forged: Set<UInt64>

    func page(offset: UInt64, length: UInt32, level: UInt8) throws(IndexError) -> IndexPage {
        guard let at = Int(exactly: offset), at <= size, Int(length) <= size - at else {
            throw IndexError(.truncated, at: offset, "the page is beyond the end of the file")
        }
        guard let opened else {
            return try IndexPage.decode(
                bytes, at: at, length: Int(length), identity: identity, position: offset, level: level)
        }
        guard opened.contains(offset) else {
            if forged.contains(offset) { throw IndexError(.forged, at: offset, "the page does not open") }
            throw IndexError(.checksum, at: offset, "no intact page begins there")
        }
        return try IndexPage.decode(
            opened: bytes, at: at, length: Int(length) - SegmentImage.tagBytes, identity: identity, position: offset,
            level: level)
    }
}

extension UnitKind {
    /// The name of the unit in messages.
    var name: StaticString {
        switch self {
        case .block: "block"
        case .indexPage: "index page"
        case .directory: "run directory"
        case .footer: "footer"
        }
    }
}
