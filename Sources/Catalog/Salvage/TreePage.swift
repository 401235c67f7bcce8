// SPDX-License-Identifier: Apache-2.0

/// A page of a b-tree in SQLite's file format. No byte is trusted: a page with any offset out of bounds is rejected.
struct TreePage {
    enum Kind: UInt8 { case indexInterior = 2, tableInterior = 5, indexLeaf = 10, tableLeaf = 13 }

    struct Cell {
        /// The key of a table's row; in an interior page the greatest key of the child.
        var key: Int64 = 0
        /// The child page left of the key; 0 in a leaf.
        var child: UInt32 = 0
        /// Size of the record in bytes; 0 in the interior pages of a table.
        var payload = 0
        /// The range of the record's first bytes in the page.
        var local = 0..<0
        /// The first overflow page; 0 for none.
        var overflow: UInt32 = 0
    }

    let kind: Kind
    let number: UInt32
    let bytes: [UInt8]
    let cells: [Cell]
    /// The rightmost child; 0 in a leaf.
    let rightmost: UInt32

    var isLeaf: Bool { kind == .indexLeaf || kind == .tableLeaf }
    var isOfTable: Bool { kind == .tableInterior || kind == .tableLeaf }

    /// Returns nil for a page that is damaged or not part of a tree.
    ///
    /// - Parameter usable: the bytes of a page that SQLite uses.
    init?(_ bytes: [UInt8], number: UInt32, usable: Int) {
        let start = number == 1 ? 100 : 0
        guard bytes.count == PageFile.pageBytes, let kind = Kind(rawValue: bytes[start]) else { return nil }
        let isLeaf = kind == .indexLeaf || kind == .tableLeaf
        let count = Int(bytes[start + 3]) << 8 | Int(bytes[start + 4])
        let pointers = start + (isLeaf ? 8 : 12)
        let content = pointers + 2 * count
        guard content <= usable else { return nil }
        var cells: [Cell] = []
        cells.reserveCapacity(count)
        for i in 0..<count {
            let at = Int(bytes[pointers + 2 * i]) << 8 | Int(bytes[pointers + 2 * i + 1])
            guard at >= content, let cell = Self.cell(bytes, at, kind, usable) else { return nil }
            if kind == .tableLeaf || kind == .tableInterior, let last = cells.last {
                guard kind == .tableLeaf ? last.key < cell.key : last.key <= cell.key else { return nil }
            }
            cells.append(cell)
        }
        rightmost = isLeaf ? 0 : Self.number(bytes, start + 8)
        if !isLeaf, rightmost == 0 { return nil }
        self.kind = kind
        self.number = number
        self.bytes = bytes
        self.cells = cells
    }

    /// Returns four big-endian bytes as a number.
    static func number(_ bytes: [UInt8], _ at: Int) -> UInt32 {
        UInt32(bytes[at]) << 24 | UInt32(bytes[at + 1]) << 16 | UInt32(bytes[at + 2]) << 8 | UInt32(bytes[at + 3])
    }

    private static func cell(_ bytes: [UInt8], _ start: Int, _ kind: Kind, _ usable: Int) -> Cell? {
        var at = start
        var cell = Cell()
        if kind == .tableInterior || kind == .indexInterior {
            guard at + 4 <= usable else { return nil }
            cell.child = number(bytes, at)
            guard cell.child > 0 else { return nil }
            at += 4
        }
        if kind != .tableInterior {
            guard let payload = varint(bytes, &at, usable), payload >= 0, payload <= Int64(CatalogPragmas.largestValue)
            else { return nil }
            cell.payload = Int(payload)
        }
        if kind == .tableLeaf || kind == .tableInterior {
            guard let key = varint(bytes, &at, usable) else { return nil }
            cell.key = key
        }
        if kind == .tableInterior { return cell }
        let most = kind == .tableLeaf ? usable - 35 : (usable - 12) * 64 / 255 - 23
        let local = localBytes(cell.payload, most: most, usable)
        cell.local = at..<at + local
        guard cell.local.upperBound <= usable else { return nil }
        if local < cell.payload {
            guard cell.local.upperBound + 4 <= usable else { return nil }
            cell.overflow = number(bytes, cell.local.upperBound)
            guard cell.overflow > 1 else { return nil }
        }
        return cell
    }

    /// Returns the number of a record's bytes that are in the page itself.
    private static func localBytes(_ payload: Int, most: Int, _ usable: Int) -> Int {
        if payload <= most { return payload }
        let least = (usable - 12) * 32 / 255 - 23
        let local = least + (payload - least) % (usable - 4)
        return local <= most ? local : least
    }

    /// Decodes SQLite's varint of one to nine bytes: seven bits a byte, highest first, eight bits in the ninth.
    static func varint(_ bytes: [UInt8], _ at: inout Int, _ end: Int) -> Int64? {
        var value: UInt64 = 0
        for i in 0..<9 {
            guard at < end else { return nil }
            let byte = bytes[at]
            at += 1
            if i == 8 { return Int64(bitPattern: value << 8 | UInt64(byte)) }
            value = value << 7 | UInt64(byte & 0x7F)
            if byte < 0x80 { return Int64(bitPattern: value) }
        }
        return nil
    }
}
