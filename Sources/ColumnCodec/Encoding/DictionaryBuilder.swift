// SPDX-License-Identifier: Apache-2.0

/// Collects the distinct values of a column in ascending order, and the code of each value.
struct DictionaryBuilder {
    /// The distinct values in its first elements, ascending.
    private(set) var table: [Int64] = []
    private(set) var codes: [UInt64] = []
    private var found: [UInt64] = []
    private var ranks: [UInt64] = []

    /// Returns the number of distinct values; 0 for more than 256.
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

    /// Fills `table` and `codes`; returns the number of entries, or 0 for more than 256.
    mutating func build(_ values: [Int64], _ n: Int) -> Int {
        let count = count(values, n)
        if count == 0 { return 0 }
        let order = (0..<count).sorted { table[$0] < table[$1] }
        for (rank, entry) in order.enumerated() { ranks[entry] = UInt64(rank) }
        table[0..<count].sort()
        for index in 0..<n { codes[index] = ranks[Int(found[index])] }
        return count
    }

    /// Whether a dictionary with this number of entries may be the shortest encoding. If LZ4 is tried, the dictionary
    /// may be longer than the best encoding by the factor that LZ4 can save.
    func mayWin(_ entries: Int, _ n: Int, against best: Int) -> Bool {
        let slack = best < ColumnFrame.leastPayload || n < Encoding.miniBlock ? 1 : 4
        return entries * 2 <= n && width(entries) * n / 8 + entries <= slack * best
    }

    /// Returns the number of bits of a code.
    func width(_ entries: Int) -> Int {
        entries < 2 ? 0 : Int.bitWidth - (entries - 1).leadingZeroBitCount
    }
}
