// SPDX-License-Identifier: Apache-2.0

#if compiler(>=6.3)
    import ArrowStreams
    public import CKymograph
    import Kymograph

    /// A scan as a stream: pulls samples from a cursor, batch by batch.
    final class ScanStream {
        private let cursor: SampleCursor
        private let layout: SampleLayout
        private let batchRows: Int
        private var left: Int
        /// The samples of the series that may remain. Batches reserve no more memory than for these.
        private var remaining: Int

        init(_ cursor: SampleCursor, _ layout: SampleLayout, batchRows: Int, limit: Int, most: Int) {
            self.cursor = cursor
            self.layout = layout
            self.batchRows = batchRows
            left = limit
            remaining = most
        }

        func next() throws -> ArrowBatch? {
            let room = min(batchRows, left)
            if room == 0 { return nil }
            let reserved = min(room, max(1, remaining))
            let batch = layout.batch(reserved)
            var rows = 0
            while rows < room {
                if layout.isDirect, let (series, count) = try decode(max(0, reserved - rows), into: batch) {
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
            remaining -= rows
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

    /// Described in `kymograph.h`.
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
                throw invalid("limit and batch_rows must not be negative, batch_rows at most \(1 << 28)")
            }
            let labels = try LabelColumns(
                names, of: ids, opened.snapshot, plain: flags & UInt32(KYMO_PLAIN_TEXT) != 0)
            let layout = SampleLayout(fields, try timeUnit(unsafe request.time_unit), labels)
            var wanted = RunScan(range, fields.columns)
            if flags & UInt32(KYMO_BACKWARD) != 0 { wanted.order = .backward }
            let cursor = try SampleCursor(
                opened.snapshot, ids, wanted, merged: flags & UInt32(KYMO_MERGED) != 0)
            let most = ids.reduce(0) { $0 &+ opened.snapshot.count(of: $1) }
            let batchRows = min(rows == 0 ? 131_072 : Int(rows), labels.mostRows)
            let scan = ScanStream(
                cursor, layout, batchRows: batchRows, limit: limit == 0 ? .max : Int(limit), most: most)
            unsafe opened.stream(layout.arrow, scan.next).export(to: out)
        }
    }
#endif
