// SPDX-License-Identifier: Apache-2.0

#if compiler(>=6.3)
    import ArrowStreams
    import CKymograph
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
#endif
