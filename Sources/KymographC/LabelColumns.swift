// SPDX-License-Identifier: Apache-2.0

#if compiler(>=6.3)
    import ArrowStreams
    import Kymograph

    /// The columns of a stream that describe the series of a row: its labels, as dictionaries or as texts.
    final class LabelColumns {
        private let labels: [String]
        private let isPlain: Bool
        /// The number of each series' text in the dictionary of a label; -1 for a series without the label.
        private var numbers: [SeriesID: [Int32]] = [:]
        /// The texts of each series, for columns of texts.
        private var texts: [SeriesID: [String?]] = [:]
        private let dictionaries: [ArrowTexts]
        /// The rows of a batch whose texts take at most some 256 MB in each column.
        private(set) var mostRows = Int.max

        /// The columns, in the order of the labels.
        let fields: [ArrowField]

        /// - Throws: `invalidArgument` if the different texts of a label are too long for a dictionary.
        init(_ labels: [String], of ids: [SeriesID], _ snapshot: Snapshot, plain: Bool) throws(StoreError) {
            self.labels = labels
            isPlain = plain
            fields = labels.map { ArrowField($0, plain ? .text : .dictionary) }
            guard !labels.isEmpty else {
                dictionaries = []
                return
            }
            let wanted = Set(ids)
            var lists = [[String]](repeating: [], count: labels.count)
            var known = [[String: Int32]](repeating: [:], count: labels.count)
            var longest = 1
            for one in snapshot.series where wanted.contains(one.id) {
                if plain {
                    texts[one.id] = labels.map { one.labels[$0] }
                    for label in labels { longest = max(longest, one.labels[label]?.utf8.count ?? 0) }
                    continue
                }
                numbers[one.id] = labels.indices.map { i in
                    guard let text = one.labels[labels[i]] else { return -1 }
                    if let number = known[i][text] { return number }
                    let number = Int32(lists[i].count)
                    known[i][text] = number
                    lists[i].append(text)
                    return number
                }
            }
            if plain { mostRows = max(1, (1 << 28) / longest) }
            for (i, list) in lists.enumerated() {
                let bytes = list.reduce(0) { $0 + $1.utf8.count }
                guard bytes <= ArrowColumn.mostTextBytes else {
                    throw invalid("the texts of label \"\(labels[i])\" have \(bytes) bytes; use KYMO_PLAIN_TEXT")
                }
            }
            dictionaries = lists.map { ArrowTexts($0) }
        }

        /// The dictionaries of the columns, whose first has the position `first`.
        func dictionaries(from first: Int) -> [Int: ArrowTexts] {
            if isPlain { return [:] }
            var found = [Int: ArrowTexts]()
            for (i, texts) in dictionaries.enumerated() { found[first + i] = texts }
            return found
        }

        /// Appends the labels of a series to columns from `first` on, for some rows.
        func append(_ id: SeriesID, _ rows: Int, to batch: ArrowBatch, from first: Int) {
            for i in labels.indices {
                let column = batch.columns[first + i]
                if isPlain {
                    let text = texts[id]?[i] ?? nil
                    for _ in 0..<rows { column.append(text: text) }
                } else {
                    let number = numbers[id]?[i] ?? -1
                    column.append(repeating: number < 0 ? nil : number, rows)
                }
            }
        }
    }
#endif
