// SPDX-License-Identifier: Apache-2.0

#if compiler(>=6.3)
    import ArrowStreams
    public import CKymograph
    import FileSystem
    import Kymograph

    /// The columns of samples that a caller asked for.
    struct SampleFields: OptionSet {
        let rawValue: UInt32

        static let start = SampleFields(rawValue: UInt32(KYMO_START))
        static let end = SampleFields(rawValue: UInt32(KYMO_END))
        static let value = SampleFields(rawValue: UInt32(KYMO_VALUE))
        static let series = SampleFields(rawValue: UInt32(KYMO_SERIES))
        static let identity = SampleFields(rawValue: UInt32(KYMO_IDENTITY))
        static let commit = SampleFields(rawValue: UInt32(KYMO_COMMIT))
        static let all: SampleFields = [.start, .end, .value, .series, .identity, .commit]

        /// The columns that a scan decodes for them.
        var columns: SampleColumns {
            var columns: SampleColumns = [.starts]
            if contains(.end) { columns.formUnion(.ends) }
            if contains(.value) { columns.formUnion(.values) }
            if contains(.identity) { columns.formUnion(.identity) }
            if contains(.commit) { columns.formUnion(.born) }
            return columns
        }
    }

    /// The positions of the columns of samples in a batch.
    struct SampleLayout {
        let fields: SampleFields
        let unit: ArrowType.TimeUnit
        let labels: LabelColumns
        private(set) var arrow: [ArrowField] = []
        private(set) var start = -1
        private(set) var end = -1
        private(set) var value = -1
        private(set) var identity = -1
        private(set) var commit = -1
        private let hasSeries: Bool

        init(_ fields: SampleFields, _ unit: ArrowType.TimeUnit, _ labels: LabelColumns) {
            self.fields = fields
            self.unit = unit
            self.labels = labels
            hasSeries = fields.contains(.series)
            let time = ArrowType.timestamp(unit, zone: "UTC")
            if hasSeries { arrow.append(ArrowField("series", .int64)) }
            arrow += labels.fields
            func add(_ field: SampleFields, _ name: String, _ type: ArrowType) -> Int {
                guard fields.contains(field) else { return -1 }
                arrow.append(ArrowField(name, type))
                return arrow.count - 1
            }
            start = add(.start, "start", time)
            end = add(.end, "end", time)
            value = add(.value, "value", .double)
            identity = add(.identity, "identity", .uuid)
            commit = add(.commit, "commit", .int64)
        }

        /// Whether starts and values may be decoded directly into their columns.
        var isDirect: Bool { start >= 0 && value >= 0 && end < 0 && identity < 0 && commit < 0 }

        func batch(_ rows: Int) -> ArrowBatch {
            ArrowBatch(arrow, rows: rows, dictionaries: labels.dictionaries(from: hasSeries ? 1 : 0))
        }

        /// Appends the columns that all rows of a series share.
        func appendSeries(_ id: SeriesID, _ rows: Int, to batch: ArrowBatch) {
            if hasSeries { batch.columns[0].append(repeating: id.rawValue, rows) }
            labels.append(id, rows, to: batch, from: hasSeries ? 1 : 0)
        }

        /// Appends samples.
        func append(_ samples: SampleBatch, to batch: ArrowBatch) {
            let rows = samples.count
            appendSeries(samples.series, rows, to: batch)
            samples.withColumns { starts, ends, values in
                if start >= 0 { batch.columns[start].append(copying: starts, floor: unit) }
                if end >= 0 { batch.columns[end].append(copying: ends, floor: unit) }
                if value >= 0 { batch.columns[value].append(copying: values) }
            }
            if identity >= 0 {
                for i in 0..<rows {
                    batch.columns[identity].append(uuid: samples.identity(at: i).map { ($0.high, $0.low) })
                }
            }
            if commit >= 0 { for i in 0..<rows { batch.columns[commit].append(samples.born(at: i)) } }
        }
    }

    /// A scan as a stream: pulls samples from a cursor, batch by batch.
    final class ScanStream {
        private let cursor: SampleCursor
        private let layout: SampleLayout
        private let process = ProcessMark.current
        private let batchRows: Int
        private var left: Int
        /// The samples of all series, at least; a batch reserves no more.
        private let most: Int

        init(_ cursor: SampleCursor, _ layout: SampleLayout, batchRows: Int, limit: Int, most: Int) {
            self.cursor = cursor
            self.layout = layout
            self.batchRows = batchRows
            left = limit
            self.most = most
        }

        func next() throws -> ArrowBatch? {
            guard process == .current else {
                throw StoreError(.forked, "the stream was made before this process was forked; make a new one")
            }
            let room = min(batchRows, left)
            if room == 0 { return nil }
            let batch = layout.batch(min(room, max(1, most)))
            var rows = 0
            while rows < room {
                if layout.isDirect, let (series, count) = try decode(room - rows, into: batch) {
                    layout.appendSeries(series, count, to: batch)
                    rows += count
                    continue
                }
                // A batch ends where the next whole block does not fit, so that it can be decoded directly.
                if layout.isDirect, rows > 0, rows >= batchRows - batchRows / 8 { break }
                guard let samples = try cursor.next(room - rows) else { break }
                layout.append(samples, to: batch)
                rows += samples.count
            }
            left -= rows
            return rows == 0 ? nil : batch
        }

        private func decode(_ room: Int, into batch: ArrowBatch) throws -> (series: SeriesID, rows: Int)? {
            let starts = batch.columns[layout.start].values
            let values = batch.columns[layout.value].values
            let before = starts.count / 8
            let found = try starts.append(Int64.self, room) { starts throws(StoreError) in
                try values.append(Double.self, room) { values throws(StoreError) in
                    try cursor.decode(&starts, &values)
                }
            }
            if let found, layout.unit != .nanoseconds {
                let unit = layout.unit
                starts.withElements(Int64.self) { elements in
                    for i in before..<before + found.rows { elements[i] = unit.floor(elements[i]) }
                }
            }
            return found
        }
    }

    extension ArrowColumn {
        /// Appends instants, converted to a unit.
        func append(copying instants: Span<Int64>, floor unit: ArrowType.TimeUnit) {
            values.append(Int64.self, instants.count) { output in
                if unit == .nanoseconds {
                    for i in instants.indices { output.append(instants[i]) }
                } else {
                    for i in instants.indices { output.append(unit.floor(instants[i])) }
                }
            }
        }

        /// Appends numbers.
        func append(copying numbers: Span<Double>) {
            values.append(Double.self, numbers.count) { output in
                for i in numbers.indices { output.append(numbers[i]) }
            }
        }
    }

    @c @implementation
    public func kymo_scan(
        _ snapshot: OpaquePointer!, _ request: UnsafePointer<kymo_scan_request>!,
        _ out: UnsafeMutablePointer<ArrowArrayStream>!, _ error: UnsafeMutablePointer<OpaquePointer?>!
    ) -> kymo_kind {
        unsafe answer(error) {
            let out = try unsafe place(out, "out")
            let opened = try unsafe OpenSnapshot.at(snapshot)
            let request = try unsafe copy(request, kymo_scan_request(), least: 88, "kymo_scan_request")
            let ids = try unsafe series(request.series, request.series_count, opened.snapshot)
            let range = unsafe request.has_range == 0 ? TimeRange.all : TimeRange(request.start, request.end)
            let flags = unsafe request.flags
            let names = try unsafe texts(request.labels, request.label_count, "labels")
            var fields = SampleFields(rawValue: unsafe request.columns)
            if fields.rawValue == 0 {
                fields = unsafe request.series_count == 1 ? [.start, .end, .value] : [.series, .start, .end, .value]
            }
            guard SampleFields.all.isSuperset(of: fields) else { throw invalid("columns has bits without a meaning") }
            guard flags & ~(UInt32(KYMO_BACKWARD) | UInt32(KYMO_MERGED) | UInt32(KYMO_PLAIN_TEXT)) == 0 else {
                throw invalid("flags has bits without a meaning for a scan")
            }
            let (limit, rows) = unsafe (request.limit, request.batch_rows)
            guard limit >= 0, rows >= 0, rows <= 1 << 28 else {
                throw invalid("limit and batch_rows must be positive, batch_rows at most \(1 << 28)")
            }
            let labels = LabelColumns(
                names, of: ids, opened.snapshot, plain: flags & UInt32(KYMO_PLAIN_TEXT) != 0)
            let layout = SampleLayout(fields, try timeUnit(unsafe request.time_unit), labels)
            var wanted = RunScan(range, fields.columns)
            if flags & UInt32(KYMO_BACKWARD) != 0 { wanted.order = .backward }
            let cursor = try SampleCursor(
                opened.snapshot, ids, wanted, merged: flags & UInt32(KYMO_MERGED) != 0)
            let most = ids.reduce(0) { $0 &+ opened.snapshot.count(of: $1) }
            let scan = ScanStream(
                cursor, layout, batchRows: rows == 0 ? 131_072 : Int(rows), limit: limit == 0 ? .max : Int(limit),
                most: most)
            let stream = ArrowStream(opened.schema(layout.arrow)) { () throws(ArrowStreamError) in
                try inStream { try scan.next() }
            }
            unsafe stream.export(to: out)
        }
    }

    extension OpenSnapshot {
        /// The schema of an answer: its columns, the commit and the store.
        func schema(_ fields: [ArrowField]) -> ArrowSchemaFields {
            ArrowSchemaFields(
                fields,
                metadata: ["kymograph.commit": String(snapshot.sequence), "kymograph.store": storeID])
        }
    }
#endif
