// SPDX-License-Identifier: Apache-2.0

#if compiler(>=6.3)
    import ArrowStreams
    public import CKymograph
    import Kymograph

    /// Described in `kymograph.h`.
    @c @implementation
    public func kymo_series_table(
        _ snapshot: OpaquePointer!, _ name: UnsafePointer<CChar>!, _ labels: UnsafePointer<UnsafePointer<CChar>?>!,
        _ label_count: Int, _ out: UnsafeMutablePointer<ArrowArrayStream>!,
        _ error: UnsafeMutablePointer<OpaquePointer?>!
    ) -> kymo_kind {
        unsafe answer(error) {
            let out = try unsafe place(out, "out")
            let opened = try unsafe OpenSnapshot.at(snapshot)
            let name = unsafe name == nil ? nil : try unsafe text(name, "name")
            let all = opened.snapshot.series.filter { name == nil || $0.name == name }.sorted { $0.id < $1.id }
            let keys =
                unsafe labels == nil
                ? Set(all.flatMap(\.labels.keys)).sorted() : try unsafe texts(labels, label_count, "labels")
            let columns = try LabelColumns(keys, of: all.map(\.id), opened.snapshot, plain: true)
            let longestName = all.reduce(1) { max($0, $1.name.utf8.count) }
            let most = min(16_384, columns.mostRows, max(1, (1 << 28) / longestName))
            let time = ArrowType.timestamp(.nanoseconds, zone: "UTC")
            let fields =
                [
                    ArrowField("series", .int64), ArrowField("name", .text), ArrowField("kind", .text),
                    ArrowField("count", .int64), ArrowField("first", time), ArrowField("last", time),
                ] + columns.fields
            var rest = all[...]
            let stream = opened.stream(fields) {
                if rest.isEmpty { return nil }
                let part = rest.prefix(most)
                let batch = ArrowBatch(fields, rows: part.count)
                for one in part {
                    let extent = try opened.snapshot.extent(of: one.id)
                    batch.columns[0].append(one.id.rawValue)
                    batch.columns[1].append(text: one.name)
                    batch.columns[2].append(text: one.kind == .cumulative ? "cumulative" : "discrete")
                    batch.columns[3].append(Int64(opened.snapshot.count(of: one.id)))
                    batch.columns[4].append(extent?.start)
                    batch.columns[5].append(extent?.end)
                    columns.append(one.id, 1, to: batch, from: 6)
                }
                rest = rest.dropFirst(part.count)
                return batch
            }
            unsafe stream.export(to: out)
        }
    }

    /// Described in `kymograph.h`.
    @c @implementation
    public func kymo_series_find(
        _ snapshot: OpaquePointer!, _ name: UnsafePointer<CChar>!, _ labels: UnsafePointer<UnsafePointer<CChar>?>!,
        _ out: UnsafeMutablePointer<Int64>!, _ error: UnsafeMutablePointer<OpaquePointer?>!
    ) -> kymo_kind {
        unsafe answer(error) {
            let out = try unsafe place(out, "out")
            let opened = try unsafe OpenSnapshot.at(snapshot)
            let name = try unsafe text(name, "name")
            let labels = try unsafe KymographC.labels(labels)
            guard let found = opened.snapshot.series(named: name, labels: labels) else {
                let list = labels.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: ", ")
                throw StoreError(
                    .unknownSeries,
                    "the store has no series \"\(name)\" with \(list.isEmpty ? "no labels" : "the labels \(list)"); "
                        + "the table of series shows all")
            }
            unsafe out.pointee = found.id.rawValue
        }
    }
#endif
