// SPDX-License-Identifier: Apache-2.0

#if compiler(>=6.3)
    import ArrowStreams
    public import CKymograph
    import Kymograph

    /// The columns of an input stream, by their meaning.
    private struct LoadColumns {
        let start: Int
        let end: Int?
        let value: Int
        /// The column of the series' numbers or names; nil if all rows belong to one series.
        let series: Int?
        let name: Int?
        let labels: [(key: String, column: Int)]

        init(_ fields: [(name: String, type: ArrowInputType)], oneSeries: Bool) throws(ArrowInputError) {
            var columns = [String: Int]()
            for (i, field) in fields.enumerated() {
                guard columns.updateValue(i, forKey: field.name) == nil else {
                    throw ArrowInputError("the input stream has two columns \"\(field.name)\"")
                }
            }
            let names = fields.map(\.name).joined(separator: ", ")
            guard let start = columns["start"], let value = columns["value"] else {
                throw ArrowInputError("the input stream needs the columns start and value; it has: \(names)")
            }
            self.start = start
            self.value = value
            end = columns["end"]
            series = oneSeries ? nil : columns["series"]
            name = oneSeries || series != nil ? nil : columns["name"]
            guard oneSeries || series != nil || name != nil else {
                throw ArrowInputError(
                    "the input stream needs a column series (numbers) or name (texts), since no series was given; it "
                        + "has: \(names)")
            }
            let used = [start, value, end, series, name]
            guard name != nil else {
                labels = []
                if let other = fields.indices.first(where: { !used.contains($0) }) {
                    throw ArrowInputError(
                        "column \"\(fields[other].name)\" has no meaning: labels go with a column name")
                }
                return
            }
            labels = fields.enumerated().filter { !used.contains($0.offset) }.map { ($0.element.name, $0.offset) }
        }
    }

    /// Stores the batches of an input stream by a loader.
    private struct Loading {
        let columns: LoadColumns
        let one: SeriesID?
        let kind: SeriesKind
        /// The store before the load.
        let before: Snapshot
        /// The series that the load makes.
        private(set) var made = Set<SeriesID>()
        private var known: [[Int]: SeriesID] = [:]

        init(_ columns: LoadColumns, one: SeriesID?, _ kind: SeriesKind, _ before: Snapshot) {
            self.before = before
            self.columns = columns
            self.one = one
            self.kind = kind
        }

        mutating func load(_ batch: ArrowInputBatch, _ loader: BulkLoader) throws {
            if batch.rows == 0 { return }
            let ids = try seriesOfRows(batch, loader)
            try batch.withNanoseconds(columns.start) { starts in
                try batch.withDoubles(columns.value) { values in
                    // Without ends all rows are points.
                    guard let end = columns.end else { return try store(ids, starts, Span(), values, loader) }
                    try batch.withNanoseconds(end) { try store(ids, starts, $0, values, loader) }
                }
            }
        }

        /// The series of each row; one element if all rows belong to it.
        private mutating func seriesOfRows(_ batch: ArrowInputBatch, _ loader: BulkLoader) throws -> [SeriesID] {
            if let one { return [one] }
            if let series = columns.series {
                let numbers = try batch.integers(series)
                if numbers.allSatisfy({ $0 == numbers[0] }) { return [SeriesID(rawValue: numbers[0])] }
                return numbers.map { SeriesID(rawValue: $0) }
            }
            guard let name = columns.name else { return [] }
            let names = try batch.texts(name)
            let labels = try columns.labels.map { try batch.texts($0.column) }
            known.removeAll()
            var ids = [SeriesID]()
            ids.reserveCapacity(batch.rows)
            for row in 0..<batch.rows {
                // Most rows belong to the series of the row before.
                if row > 0, names.numbers[row] == names.numbers[row - 1],
                    labels.allSatisfy({ $0.numbers[row] == $0.numbers[row - 1] })
                {
                    ids.append(ids[row - 1])
                    continue
                }
                let key = [names.numbers[row]] + labels.map { $0.numbers[row] }
                if let id = known[key] {
                    ids.append(id)
                    continue
                }
                guard key[0] >= 0 else { throw batch.error(name, row, "the name is null") }
                var texts = [String: String]()
                for (i, (label, _)) in columns.labels.enumerated() where key[i + 1] >= 0 {
                    texts[label] = labels[i].list[key[i + 1]]
                }
                let id = try loader.series(names.list[key[0]], labels: texts, kind: kind).id
                if before.series(named: names.list[key[0]], labels: texts) == nil { made.insert(id) }
                known[key] = id
                ids.append(id)
            }
            if known.count == 1 { return [ids[0]] }
            return ids
        }

        private func store(
            _ ids: [SeriesID], _ starts: Span<Int64>, _ ends: Span<Int64>, _ values: Span<Double>,
            _ loader: BulkLoader
        ) throws {
            func append(_ id: SeriesID, _ rows: Range<Int>) throws {
                if ends.isEmpty {
                    try loader.append(to: id, starts: starts.extracting(rows), values: values.extracting(rows))
                } else {
                    try loader.append(
                        to: id, starts: starts.extracting(rows), ends: ends.extracting(rows),
                        values: values.extracting(rows))
                }
            }
            if ids.count == 1 { return try append(ids[0], 0..<starts.count) }
            var stretches = [Range<Int>]()
            var first = 0
            for row in 1...ids.count where row == ids.count || ids[row] != ids[first] {
                stretches.append(first..<row)
                first = row
            }
            if stretches.count <= ids.count / 16 {
                for rows in stretches { try append(ids[rows.lowerBound], rows) }
                return
            }
            // Rows of many series in turn are gathered first.
            var rowsOf = [SeriesID: [Int]]()
            for (row, id) in ids.enumerated() { rowsOf[id, default: []].append(row) }
            for (id, rows) in rowsOf.sorted(by: { $0.key < $1.key }) {
                let ownStarts = rows.map { starts[$0] }
                let ownValues = rows.map { values[$0] }
                if ends.isEmpty {
                    try loader.append(to: id, starts: ownStarts.span, values: ownValues.span)
                } else {
                    let ownEnds = rows.map { ends[$0] }
                    try loader.append(to: id, starts: ownStarts.span, ends: ownEnds.span, values: ownValues.span)
                }
            }
        }
    }

    /// Described in `kymograph.h`.
    @c @implementation
    public func kymo_load(
        _ store: OpaquePointer!, _ options: UnsafePointer<kymo_load_options>!,
        _ in: UnsafeMutablePointer<ArrowArrayStream>!, _ report: UnsafeMutablePointer<kymo_load_report>!,
        _ error: UnsafeMutablePointer<OpaquePointer?>!
    ) -> kymo_kind {
        unsafe answer(error) {
            // The stream is released in any case, so it is taken first.
            let input = Result { try unsafe ArrowInput(taking: place(`in`, "in")) }
            let opened = try unsafe OpenStore.at(store)
            let stream = try input.get()
            var given = kymo_load_options()
            if unsafe options != nil {
                given = try unsafe copy(options, kymo_load_options(), least: 24, "kymo_load_options")
            }
            if let report = unsafe report {
                let size = unsafe report.pointee.size
                guard size == MemoryLayout<kymo_load_report>.size else {
                    throw invalid("the size of kymo_load_report is \(size); set it to sizeof(kymo_load_report)")
                }
            }
            let one = given.series == 0 ? nil : SeriesID(rawValue: given.series)
            let kind = try seriesKind(given.kind == 0 ? Int32(KYMO_DISCRETE) : given.kind)
            let columns = try LoadColumns(stream.fields, oneSeries: one != nil)
            var loading = Loading(columns, one: one, kind, opened.store.snapshot())
            var samples = 0
            let receipt = try opened.store.bulkLoad { loader in
                while let batch = try stream.next() {
                    try loading.load(batch, loader)
                    samples += batch.rows
                }
            }
            if let report = unsafe report {
                unsafe report.pointee = kymo_load_report(
                    size: MemoryLayout<kymo_load_report>.size, samples: Int64(samples), commit: receipt.sequence,
                    new_series: Int64(loading.made.count))
            }
        }
    }
#endif
