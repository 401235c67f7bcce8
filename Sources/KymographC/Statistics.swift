// SPDX-License-Identifier: Apache-2.0

#if compiler(>=6.3)
    import ArrowStreams
    public import CKymograph
    import Kymograph

    /// Described in `kymograph.h`.
    @c @implementation
    public func kymo_aggregate(
        _ snapshot: OpaquePointer!, _ series: UnsafePointer<Int64>!, _ series_count: Int, _ start: Int64,
        _ end: Int64, _ stats: UInt32, _ out: UnsafeMutablePointer<kymo_statistics>!,
        _ error: UnsafeMutablePointer<OpaquePointer?>!
    ) -> kymo_kind {
        unsafe answer(error) {
            let out = try unsafe place(out, "out")
            let opened = try unsafe OpenSnapshot.at(snapshot)
            let size = unsafe out.pointee.size
            guard size == MemoryLayout<kymo_statistics>.size else {
                throw invalid(
                    "the size of kymo_statistics is \(size); set it to sizeof(kymo_statistics), which is "
                        + "\(MemoryLayout<kymo_statistics>.size)")
            }
            let ids = try unsafe KymographC.series(series, series_count, opened.snapshot)
            let options = try StatisticColumns(stats).options
            let found = try opened.snapshot.aggregate(of: ids, over: TimeRange(start, end), computing: options)
            unsafe out.pointee = kymo_statistics(
                size: size, count: Int64(found.count), first_start: found.first?.start ?? 0,
                last_start: found.last?.start ?? 0, sum: found.sum ?? .nan, min: found.min ?? .nan,
                max: found.max ?? .nan, mean: found.average ?? .nan, first: found.first?.value ?? .nan,
                last: found.last?.value ?? .nan, standard_deviation: found.standardDeviation ?? .nan,
                time_weighted_mean: found.timeWeightedAverage ?? .nan,
                duration_seconds: found.duration.map { $0 / 1e9 } ?? .nan)
        }
    }

    /// Described in `kymograph.h`.
    @c @implementation
    public func kymo_quantiles(
        _ snapshot: OpaquePointer!, _ series: UnsafePointer<Int64>!, _ series_count: Int, _ start: Int64,
        _ end: Int64, _ probabilities: UnsafePointer<Double>!, _ probability_count: Int,
        _ values: UnsafeMutablePointer<Double>!, _ relative_error: UnsafeMutablePointer<Double>!,
        _ error: UnsafeMutablePointer<OpaquePointer?>!
    ) -> kymo_kind {
        unsafe answer(error) {
            let opened = try unsafe OpenSnapshot.at(snapshot)
            let wanted = try unsafe numbers(probabilities, probability_count, "probabilities")
            let ids = try unsafe KymographC.series(series, series_count, opened.snapshot)
            let found = try opened.snapshot.quantiles(of: ids, over: TimeRange(start, end), at: wanted)
            if !wanted.isEmpty {
                let values = try unsafe place(values, "values")
                for i in wanted.indices { unsafe values[i] = found.values.isEmpty ? .nan : found.values[i] }
            }
            if let relative_error = unsafe relative_error { unsafe relative_error.pointee = found.relativeError }
        }
    }

    /// Described in `kymograph.h`.
    @c @implementation
    public func kymo_downsample(
        _ snapshot: OpaquePointer!, _ series: UnsafePointer<Int64>!, _ series_count: Int, _ start: Int64,
        _ end: Int64, _ points: Int64, _ is_exact: Int32, _ time_unit: Int32,
        _ out: UnsafeMutablePointer<ArrowArrayStream>!, _ error: UnsafeMutablePointer<OpaquePointer?>!
    ) -> kymo_kind {
        unsafe answer(error) {
            let out = try unsafe place(out, "out")
            let opened = try unsafe OpenSnapshot.at(snapshot)
            let unit = try timeUnit(time_unit)
            let ids = try unsafe KymographC.series(series, series_count, opened.snapshot)
            let samples = try opened.snapshot.downsample(
                ids, to: Int(clamping: points), over: TimeRange(start, end),
                by: is_exact != 0 ? .largestTriangle : .extremesFirst)
            let time = ArrowType.timestamp(unit, zone: "UTC")
            let fields = [ArrowField("start", time), ArrowField("end", time), ArrowField("value", .double)]
            let batch = ArrowBatch(fields, rows: samples.count)
            for sample in samples {
                batch.columns[0].append(unit.floor(sample.start))
                batch.columns[1].append(unit.floor(sample.end))
                batch.columns[2].append(sample.value)
            }
            var rest = samples.isEmpty ? nil : batch
            let stream = opened.stream(fields) {
                defer { rest = nil }
                return rest
            }
            unsafe stream.export(to: out)
        }
    }
#endif
