// SPDX-License-Identifier: Apache-2.0

/// The distinct values of a column in ascending order, and the code of each value.
struct DictionaryBuilder {
    /// The first entries are the distinct values, ascending.
    private(set) var table: [Int64] = []
    private(set) var codes: [UInt64] = []
    private var found: [UInt64] = []
    private var ranks: [UInt64] = []

    /// The number of distinct values, or 0 when there are more than 256.
    mutating func count(_ values: [Int64], _ n: Int) -> Int {
        if table.isEmpty {
            table = [Int64](repeating: 0, count: Encoding.maximumDictionary)
            ranks = [UInt64](repeating: 0, count: Encoding.maximumDictionary)
        }
        if found.count < n + Encoding.spare {
            found = [UInt64](repeating: 0, count: n + Encoding.spare)
            codes = found
        }
        return ColumnKernels.distinct(values, n, table: &table, codes: &found)
    }

    /// Fills table and codes; the number of entries, or 0 when there are more than 256.
    mutating func build(_ values: [Int64], _ n: Int) -> Int {
        let count = count(values, n)
        if count == 0 { return 0 }
        let order = (0..<count).sorted { table[$0] < table[$1] }
        for (rank, entry) in order.enumerated() { ranks[entry] = UInt64(rank) }
        table[0..<count].sort()
        for index in 0..<n { codes[index] = ranks[Int(found[index])] }
        return count
    }

    /// Whether a dictionary of that many entries may be the shortest. It may be longer than the best where LZ4 is
    /// tried, but not by more than LZ4 can make of it.
    func mayWin(_ entries: Int, _ n: Int, against best: Int) -> Bool {
        let slack = best < ColumnFrame.leastPayload || n < Encoding.miniBlock ? 1 : 4
        return entries * 2 <= n && width(entries) * n / 8 + entries <= slack * best
    }

    /// Bits that a code of one of `entries` needs.
    func width(_ entries: Int) -> Int {
        entries < 2 ? 0 : Int.bitWidth - (entries - 1).leadingZeroBitCount
    }
}
