// SPDX-License-Identifier: Apache-2.0

import Bytes
import ChunkFormat
import Cipher

// The header of a segment, the units that follow it, and guesses if the header is damaged: verifying units needs its
// ids, and decrypting them needs the whole header.
extension SegmentImage {
    /// The intact units of a file, and the ranges without one.
    typealias Scan = (units: [FoundUnit], damage: [Range<Int>])

    /// Reads the header, scans all units and finds their key.
    mutating func readUnits() {
        do throws(FormatError) {
            let header = try SegmentHeader.decode(
                Array(bytes.prefix(min(size, SegmentHeader.encryptedSize))), latest: SegmentFormat.encryptedVersion)
            self.header = header
            adopt(header, scan(header))
            findKey()
        } catch {
            problems.append("\(error)")
            guess()
        }
    }

    private mutating func adopt(_ header: SegmentHeader, _ found: Scan) {
        assumed = header
        units = found.units
        damage = found.damage
    }

    private func scan(_ header: SegmentHeader) -> Scan {
        var scanner = UnitScanner(bytes, header: header, end: size)
        var units: [FoundUnit] = []
        while let unit = scanner.next() { units.append(unit) }
        return (units, scanner.damage)
    }

    /// Finds the key of an encrypted segment, and notes a plain segment in an encrypted store.
    private mutating func findKey() {
        if assumed.encryption == nil {
            guard keys?.image != nil else { return }
            problems.append("\(FormatError(.forged, at: 8, "a plain segment in an encrypted store"))")
            return
        }
        guard let ring = keys?.ring else { return }
        do throws(FormatError) { key = try SegmentKey.of(assumed, keys: ring) } catch { problems.append("\(error)") }
    }

    // MARK: a damaged header

    /// Chooses the header with which units verify and, if there is a key, at least one unit opens.
    private mutating func guess() {
        guard size >= SegmentHeader.size else { return adopt(assumed, scan(assumed)) }
        var best: (header: SegmentHeader, found: Scan)?
        let start = Array(bytes.prefix(min(size, SegmentHeader.encryptedSize)))
        for header in SegmentHeader.withOneByteChanged(start) + headersFromFields() {
            let found = scan(header)
            if best?.found.units.isEmpty ?? true { best = (header, found) }
            if found.units.isEmpty { continue }
            guard header.encryption != nil, let ring = keys?.ring else { return adopt(header, found) }
            if let key = try? SegmentKey.of(header, keys: ring), opens(found.units, header, key) {
                self.key = key
                return adopt(header, found)
            }
        }
        if let best { adopt(best.header, best.found) }
        if assumed.encryption != nil, keys?.ring != nil {
            problems.append("no repair of the header gives the key of the segment; restore the file from a backup")
        }
    }

    /// Whether any of the units opens: this proves the header, from which the key is derived.
    private func opens(_ units: [FoundUnit], _ header: SegmentHeader, _ key: SegmentKey) -> Bool {
        var opener = UnitOpener()
        return units.contains { unit in
            var copy = Array(bytes[unit.range])
            let identity = BlockIdentity(
                store: header.store, segment: header.segment, series: 0, position: unit.offset)
            return (try? opener.open(&copy, at: 0, length: unit.length, of: identity, key: key)) != nil
        }
    }

    /// Returns the headers that the damaged header's fields describe; the file's name may have the segment's id.
    private func headersFromFields() -> [SegmentHeader] {
        let store = Array(bytes[16..<32])
        let name = path.split(separator: "/").last.map(String.init) ?? path
        let ids = [Array(bytes[32..<48])] + (Text.uuidBytes(ofFile: name).map { [$0] } ?? [])
        var list = ids.map { SegmentHeader(store: store, segment: $0, commit: 0) }
        guard size >= SegmentHeader.encryptedSize, keys?.exist == true || bytes[8] == SegmentFormat.encryptedVersion
        else { return list }
        for id in ids {
            // Commit and salt must be intact, and so must the generation if the keys do not name all of them.
            list += SegmentHeader.ofFields(
                Array(bytes.prefix(SegmentHeader.encryptedSize)), store: keys?.image?.store.bytes ?? store, segment: id,
                generations: Set([bytes[56]] + (keys?.image?.generations.map(\.number) ?? [])).sorted())
        }
        return list
    }
}

extension FoundUnit {
    /// The bytes of the unit in the file.
    var range: Range<Int> { Int(offset)..<Int(offset) + length }
}
