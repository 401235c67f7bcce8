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
        private var texts: [SeriesID: [String?]] = [:]
        private let dictionaries: [ArrowTexts]

        /// The columns, in the order of the labels.
        let fields: [ArrowField]

        init(_ labels: [String], of ids: [SeriesID], _ snapshot: Snapshot, plain: Bool) {
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
            for one in snapshot.series where wanted.contains(one.id) {
                texts[one.id] = labels.map { one.labels[$0] }
                numbers[one.id] = labels.indices.map { i in
                    guard let text = one.labels[labels[i]] else { return -1 }
                    if let number = known[i][text] { return number }
                    let number = Int32(lists[i].count)
                    known[i][text] = number
                    lists[i].append(text)
                    return number
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
