// SPDX-License-Identifier: Apache-2.0

#if compiler(>=6.3)
    public import CKymograph
    import Kymograph

    /// Returns the kind of a series.
    func seriesKind(_ number: Int32) throws(StoreError) -> SeriesKind {
        switch UInt32(bitPattern: number) {
        case UInt32(KYMO_DISCRETE): return .discrete
        case UInt32(KYMO_CUMULATIVE): return .cumulative
        default: throw invalid("there is no kind \(number) of series; use KYMO_DISCRETE or KYMO_CUMULATIVE")
        }
    }

    /// Described in `kymograph.h`.
    @c @implementation
    public func kymo_series_make(
        _ store: OpaquePointer!, _ name: UnsafePointer<CChar>!, _ labels: UnsafePointer<UnsafePointer<CChar>?>!,
        _ kind: Int32, _ out: UnsafeMutablePointer<Int64>!, _ error: UnsafeMutablePointer<OpaquePointer?>!
    ) -> kymo_kind {
        unsafe answer(error) {
            let out = try unsafe place(out, "out")
            let store = try unsafe OpenStore.at(store).store
            let made = try store.series(
                try unsafe text(name, "name"), labels: try unsafe KymographC.labels(labels), kind: try seriesKind(kind))
            unsafe out.pointee = made.id.rawValue
        }
    }

    /// Described in `kymograph.h`.
    @c @implementation
    public func kymo_append(
        _ store: OpaquePointer!, _ series: Int64, _ starts: UnsafePointer<Int64>!, _ ends: UnsafePointer<Int64>!,
        _ values: UnsafePointer<Double>!, _ count: Int, _ commit: UnsafeMutablePointer<Int64>!,
        _ error: UnsafeMutablePointer<OpaquePointer?>!
    ) -> kymo_kind {
        unsafe answer(error) {
            let store = try unsafe OpenStore.at(store).store
            let id = SeriesID(rawValue: series)
            let starts = try unsafe memory(starts, count, "starts")
            let values = try unsafe memory(values, count, "values")
            let receipt: CommitReceipt
            if unsafe ends == nil {
                receipt = try unsafe store.append(to: id, starts: starts.span, values: values.span)
            } else {
                let ends = try unsafe memory(ends, count, "ends")
                receipt = try unsafe store.append(
                    to: id, starts: starts.span, ends: ends.span, values: values.span)
            }
            if let commit = unsafe commit { unsafe commit.pointee = receipt.sequence }
        }
    }

    /// Described in `kymograph.h`.
    @c @implementation
    public func kymo_delete(
        _ store: OpaquePointer!, _ series: Int64, _ start: Int64, _ end: Int64,
        _ deleted: UnsafeMutablePointer<Int64>!, _ commit: UnsafeMutablePointer<Int64>!,
        _ error: UnsafeMutablePointer<OpaquePointer?>!
    ) -> kymo_kind {
        unsafe answer(error) {
            let store = try unsafe OpenStore.at(store).store
            let receipt = try store.delete(from: SeriesID(rawValue: series), startingIn: TimeRange(start, end))
            if let deleted = unsafe deleted { unsafe deleted.pointee = Int64(receipt.count) }
            if let commit = unsafe commit { unsafe commit.pointee = receipt.sequence }
        }
    }
#endif
