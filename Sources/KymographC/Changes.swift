// SPDX-License-Identifier: Apache-2.0

#if compiler(>=6.3)
    import ArrowStreams
    public import CKymograph
    import Kymograph

    /// Described in `kymograph.h`.
    @c @implementation
    public func kymo_changes(
        _ store: OpaquePointer!, _ anchor: UnsafePointer<CChar>!, _ limit: Int64, _ time_unit: Int32,
        _ samples: UnsafeMutablePointer<ArrowArrayStream>!, _ deletions: UnsafeMutablePointer<ArrowArrayStream>!,
        _ next_anchor: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!,
        _ is_complete: UnsafeMutablePointer<Int32>!, _ error: UnsafeMutablePointer<OpaquePointer?>!
    ) -> kymo_kind {
        unsafe answer(error) {
            let (samples, deletions) = try unsafe (place(samples, "samples"), place(deletions, "deletions"))
            let (next, isComplete) = try unsafe (place(next_anchor, "next_anchor"), place(is_complete, "is_complete"))
            let opened = try unsafe OpenStore.at(store)
            let unit = try timeUnit(time_unit)
            var since: ChangeAnchor?
            if unsafe anchor != nil {
                let text = try unsafe text(anchor, "anchor")
                since = ChangeAnchor(text: text)
                guard since != nil else { throw invalid("\"\(text)\" is no anchor; pass the text of the last page") }
            }
            guard limit >= 0 else { throw invalid("limit is \(limit); use 0 for pages of about a million samples") }
            let none = try LabelColumns([], of: [], opened.store.snapshot(), plain: true)
            let layout = SampleLayout(.all, unit, none)
            var batches = [ArrowBatch]()
            // Batches of a size that consumers handle well.
            let full = 65_536
            let page = try opened.store.changes(
                since: since, limit: limit == 0 ? 16 * full : Int(clamping: limit), including: [.identity, .born]
            ) { part in
                if batches.last.map({ $0.rows >= full }) ?? true { batches.append(layout.batch(2_048)) }
                layout.append(part, to: batches[batches.count - 1])
                return true
            }
            let metadata = ["kymograph.store": opened.storeID]
            let removed = deletionRows(page.deletions, unit)
            let text = unsafe ck_copy_text(page.anchor.text)
            unsafe ArrowStream(ArrowSchemaFields(layout.arrow, metadata: metadata), batches).export(to: samples)
            unsafe ArrowStream(ArrowSchemaFields(deletionFields(unit), metadata: metadata), [removed])
                .export(to: deletions)
            unsafe next.pointee = text
            unsafe isComplete.pointee = page.isComplete ? 1 : 0
        }
    }

    private func deletionFields(_ unit: ArrowType.TimeUnit) -> [ArrowField] {
        let time = ArrowType.timestamp(unit, zone: "UTC")
        return [
            ArrowField("series", .int64), ArrowField("commit", .int64), ArrowField("start", time),
            ArrowField("end", time), ArrowField("identity", .uuid),
        ]
    }

    /// A row for each deleted sample, or for a whole range.
    private func deletionRows(_ deletions: [ChangedDeletion], _ unit: ArrowType.TimeUnit) -> ArrowBatch {
        let batch = ArrowBatch(deletionFields(unit), rows: deletions.count)
        for deletion in deletions {
            let samples: [SampleIdentity?] = deletion.samples ?? [nil]
            for identity in samples {
                batch.columns[0].append(deletion.series.rawValue)
                batch.columns[1].append(deletion.commit)
                batch.columns[2].append(unit.floor(deletion.range.start))
                batch.columns[3].append(unit.floor(deletion.range.end))
                batch.columns[4].append(uuid: identity.map { ($0.high, $0.low) })
            }
        }
        return batch
    }
#endif
