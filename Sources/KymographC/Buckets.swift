// SPDX-License-Identifier: Apache-2.0

#if compiler(>=6.3)
    import ArrowStreams
    public import CKymograph
    import Kymograph

    /// The statistics of a bucket that a caller asked for, as columns.
    struct StatisticColumns {
        private typealias Number = (Aggregate) -> Double?

        private let hasCount: Bool
        private var numbers: [(name: String, of: Number)] = []

        /// What the engine computes in addition.
        private(set) var options: AggregateOptions = []

        /// - Throws: `invalidArgument`.
        init(_ wanted: UInt32) throws(StoreError) {
            var wanted = wanted
            if wanted == 0 {
                wanted =
                    UInt32(KYMO_COUNT) | UInt32(KYMO_SUM) | UInt32(KYMO_MIN) | UInt32(KYMO_MAX)
                    | UInt32(KYMO_MEAN)
            }
            hasCount = wanted & UInt32(KYMO_COUNT) != 0
            wanted &= ~UInt32(KYMO_COUNT)
            func add(_ bit: UInt32, _ name: String, _ of: @escaping Number) {
                guard wanted & bit != 0 else { return }
                wanted &= ~bit
                numbers.append((name, of))
            }
            if wanted & UInt32(KYMO_STDDEV) != 0 { options.insert(.standardDeviation) }
            if wanted & UInt32(KYMO_TIME_WEIGHTED) != 0 { options.insert(.timeWeightedAverage) }
            if wanted & UInt32(KYMO_DURATION) != 0 { options.insert(.duration) }
            add(UInt32(KYMO_SUM), "sum") { $0.sum }
            add(UInt32(KYMO_MIN), "min") { $0.min }
            add(UInt32(KYMO_MAX), "max") { $0.max }
            add(UInt32(KYMO_MEAN), "mean") { $0.average }
            add(UInt32(KYMO_FIRST), "first") { $0.first?.value }
            add(UInt32(KYMO_LAST), "last") { $0.last?.value }
            add(UInt32(KYMO_STDDEV), "stddev") { $0.standardDeviation }
            add(UInt32(KYMO_TIME_WEIGHTED), "time_weighted_mean") { $0.timeWeightedAverage }
            add(UInt32(KYMO_DURATION), "duration") { $0.isEmpty ? nil : $0.duration.map { $0 / 1e9 } }
            guard wanted == 0 else { throw invalid("stats has bits without a meaning") }
        }

        var fields: [ArrowField] {
            (hasCount ? [ArrowField("count", .int64)] : []) + numbers.map { ArrowField($0.name, .double) }
        }

        func append(_ row: Aggregate, to batch: ArrowBatch, from first: Int) {
            var column = first
            if hasCount {
                batch.columns[column].append(Int64(row.count))
                column += 1
            }
            for (_, number) in numbers {
                batch.columns[column].append(number(row))
                column += 1
            }
        }
    }

    /// Returns the division of time of a request.
    func division(_ request: kymo_bucket_request, homeZone: String) throws(StoreError) -> Buckets {
        let (unit, count, anchor) = unsafe (request.unit, request.count, request.anchor)
        if unit == Int32(KYMO_EDGES) {
            return .edges(try unsafe numbers(request.edges, request.edge_count, "edges"))
        }
        guard count > 0 else { throw invalid("count is \(count); the length of a bucket must be positive") }
        if unit == Int32(KYMO_FIXED) { return .fixed(nanoseconds: count, anchor: anchor) }
        guard count <= Int64(Int32.max) else { throw invalid("count is \(count); use a shorter length of buckets") }
        let zone = unsafe request.zone == nil ? homeZone : try unsafe text(request.zone, "zone")
        let length = Int(count)
        let calendar: CalendarUnit
        switch UInt32(bitPattern: unit) {
        case UInt32(KYMO_MINUTES): calendar = .minutes(length)
        case UInt32(KYMO_HOURS): calendar = .hours(length)
        case UInt32(KYMO_DAYS): calendar = .days(length)
        case UInt32(KYMO_WEEKS): calendar = .weeks(length)
        case UInt32(KYMO_MONTHS): calendar = .months(length)
        case UInt32(KYMO_YEARS): calendar = .years(length)
        default: throw invalid("there is no unit \(unit) of buckets")
        }
        return .calendar(calendar, anchor: anchor, zone: zone)
    }

    /// Buckets as a stream: the statistics of one group of series after another.
    final class BucketStream {
        /// The form of the rows.
        struct Form {
            var columns: StatisticColumns
            var labels: LabelColumns
            var unit: ArrowType.TimeUnit
            /// The zone in which starts and ends are shown.
            var zone: String
            var hasSeries: Bool
            var skipsEmpty: Bool
        }

        /// The groups, the next last; each is shown by its first series.
        private var waiting: [[SeriesID]]
        private let compute: ([SeriesID]) throws -> BucketTable
        private let form: Form
        let fields: [ArrowField]
        private var table: BucketTable?
        private var row = 0
        private var current: SeriesID?
        private let batchRows: Int

        init(_ groups: [[SeriesID]], _ form: Form, _ compute: @escaping ([SeriesID]) throws -> BucketTable) {
            waiting = groups.reversed()
            self.compute = compute
            self.form = form
            batchRows = min(65_536, form.labels.mostRows)
            let time = ArrowType.timestamp(form.unit, zone: form.zone)
            fields =
                (form.hasSeries ? [ArrowField("series", .int64)] : []) + form.labels.fields
                + [ArrowField("start", time), ArrowField("end", time)] + form.columns.fields
        }

        /// Computes the buckets of the next group. Returns false after the last.
        @discardableResult
        func computeNext() throws -> Bool {
            guard let group = waiting.popLast() else { return false }
            table = try compute(group)
            row = 0
            current = group.first
            return true
        }

        func next() throws -> ArrowBatch? {
            let first = form.hasSeries ? 1 : 0
            let time = first + form.labels.fields.count
            let batch = ArrowBatch(fields, rows: 256, dictionaries: form.labels.dictionaries(from: first))
            var rows = 0
            while rows < batchRows {
                guard let table, row < table.endIndex else {
                    guard try computeNext() else { break }
                    continue
                }
                let one = table[row]
                row += 1
                if form.skipsEmpty, one.isEmpty { continue }
                if let current {
                    if form.hasSeries { batch.columns[0].append(current.rawValue) }
                    form.labels.append(current, 1, to: batch, from: first)
                }
                batch.columns[time].append(form.unit.floor(one.start))
                batch.columns[time + 1].append(form.unit.floor(one.end))
                form.columns.append(one, to: batch, from: time + 2)
                rows += 1
            }
            return rows == 0 ? nil : batch
        }
    }

    /// Described in `kymograph.h`.
    @c @implementation
    public func kymo_buckets(
        _ snapshot: OpaquePointer!, _ request: UnsafePointer<kymo_bucket_request>!,
        _ out: UnsafeMutablePointer<ArrowArrayStream>!, _ error: UnsafeMutablePointer<OpaquePointer?>!
    ) -> kymo_kind {
        unsafe answer(error) {
            let out = try unsafe place(out, "out")
            let opened = try unsafe OpenSnapshot.at(snapshot)
            let request = try unsafe copy(request, kymo_bucket_request(), least: 120, "kymo_bucket_request")
            let ids = try unsafe series(request.series, request.series_count, opened.snapshot)
            let names = try unsafe texts(request.labels, request.label_count, "labels")
            let flags = unsafe request.flags
            let known =
                UInt32(KYMO_PLAIN_TEXT) | UInt32(KYMO_SKIP_EMPTY) | UInt32(KYMO_TOGETHER)
                | UInt32(KYMO_MERGE_SOURCES)
            guard flags & ~known == 0 else { throw invalid("flags has bits without a meaning for buckets") }
            let isTogether = flags & UInt32(KYMO_TOGETHER) != 0
            let merges = flags & UInt32(KYMO_MERGE_SOURCES) != 0
            guard !merges || isTogether else { throw invalid("KYMO_MERGE_SOURCES needs KYMO_TOGETHER") }
            let range = unsafe request.has_range == 0 ? TimeRange.all : TimeRange(request.start, request.end)
            let buckets = try unsafe division(request, homeZone: opened.homeZone)
            let columns = try StatisticColumns(unsafe request.stats)
            let labels = try LabelColumns(names, of: ids, opened.snapshot, plain: flags & UInt32(KYMO_PLAIN_TEXT) != 0)
            let source = opened.snapshot
            var groups = ids.map { [$0] }
            if isTogether {
                // The order of the request is the priority.
                let rank = Dictionary(ids.enumerated().map { ($1, $0) }, uniquingKeysWith: min)
                groups = try source.groups(of: ids, by: names).map { group in
                    group.series.sorted { rank[$0, default: 0] < rank[$1, default: 0] }
                }
            }
            let zone: String
            if case .calendar(_, _, let name) = buckets { zone = name } else { zone = "UTC" }
            let options = columns.options
            let form = BucketStream.Form(
                columns: columns, labels: labels, unit: try timeUnit(unsafe request.time_unit), zone: zone,
                hasSeries: !isTogether, skipsEmpty: flags & UInt32(KYMO_SKIP_EMPTY) != 0)
            let answer = BucketStream(groups, form) { group in
                merges
                    ? try source.buckets(of: MergedSources(group), buckets, over: range, computing: options)
                    : try source.buckets(of: group, buckets, over: range, computing: options)
            }
            // Wrong arguments are errors of this call, and not of the stream.
            try answer.computeNext()
            unsafe opened.stream(answer.fields, answer.next).export(to: out)
        }
    }
#endif
